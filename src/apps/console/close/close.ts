// Month close: a file of the bank is compared with the ledger, what is open is worked off, and the close is recorded in the audit log.
import { ENCODINGS } from '../../../core/bank-formats.ts';
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { isZone } from '../../../core/zone.ts';
import { type AuditEntry, listAudit } from '../../../ledger/audit/audit.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, field, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { listAccounts } from '../../../resources/accounts/account.ts';
import { CLOSE as HREF } from '../addresses.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';
import type { Screen } from '../screen.ts';
import { select, selectAccount } from '../select.ts';
import { addStatementsZip, zipHref } from './statements-zip.ts';
import { type Choices, compareMonth, type Work } from './work.ts';
import { addWork, openFileLink } from './work-page.ts';

const CLOSES_MAX = 50;
const NAMES = ['account', 'month', 'zone', 'map', 'currency', 'encoding', 'bankAccount', 'file'] as const;

const ENCODING_CHOICES = [
  { value: '', text: 'as the file says, or UTF-8' },
  ...ENCODINGS.map((encoding) => ({ value: encoding, text: encoding })),
];

type Account = { id: string; name: string };

export const close: Screen = {
  href: HREF,
  label: 'Month close',
  icon: 'scale',
  group: 'Work',
  permission: 'moveMoney',
  done: {
    closed: 'The month is closed. The audit log has who closed it, when, and with which totals.',
    recorded: 'It is recorded, and matches its line now.',
    settled: 'It is settled.',
    reopened: 'It is open again.',
    compared: 'The file is compared with the ledger as it is now.',
  },
  add(pages, service) {
    const { sql } = service.database;
    pages.page(HREF, 'moveMoney', async ({ zone, query, work }) => {
      const closed = (await work.read(query.get('work') ?? '')) as Work | undefined;
      const [accounts, closes] = await Promise.all([listAccounts(sql), listAudit(sql, { action: 'close_month' }, CLOSES_MAX)]);
      return {
        title: 'Month close',
        main: html`${pageHeader({ title: 'Month close', lead: 'Drop the file of the bank, work off what does not match, and close the month.' })}
          ${closed && openCard(closed, `${HREF}/${query.get('work')}`)}
          <div class="columns columns-wide">
            ${closesCard(closes, accounts)} ${startCard(accounts, { zone, month: lastMonth(service.clock.now(accounts[0]?.id)) })}
          </div>`,
      };
    });
    pages.upload(
      HREF,
      'moveMoney',
      async ({ work }, form, files) => {
        const choices = readChoices(form, await listAccounts(sql));
        const [file, previous] = [files.get('file'), files.get('previous')];
        if (!choices.file) throw refuse('badRequest', { message: 'Choose the file of the bank.' });
        if (!file?.length) throw refuse('badRequest', { message: 'The file is empty.' });
        const begun = await compareMonth(service, {
          ...{ choices, file: file.toString('base64'), settled: {} },
          ...(previous?.length && { previous: previous.toString() }),
        });
        return `${HREF}/${await work.open(begun)}`;
      },
      { from: HREF },
    );
    addWork(pages, service);
    addStatementsZip(pages, service);
  },
};

function readChoices(form: URLSearchParams, accounts: Account[]): Choices {
  const text = (name: string) => (form.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  const choices = Object.fromEntries(NAMES.map((name) => [name, text(name)])) as Choices;
  if (!isId(choices.account) || !accounts.some(({ id }) => id === choices.account))
    throw refuse('badRequest', { message: 'Choose an account.' });
  if (!isZone(choices.zone)) throw refuse('badRequest', { message: 'The time zone of the bank is written as Europe/Berlin.' });
  return choices;
}

/** After a close: what it leaves to the next one. */
function openCard({ choices, settled }: Work, href: string): Html {
  const left = Object.values(settled).filter(({ how }) => how === 'explained').length;
  const count = left === 1 ? 'One item stays' : `${left} items stay`;
  return card(
    { title: `For the month after ${choices.month}` },
    html`<p>${left === 0 ? 'Nothing stays open.' : `${count} open, with what you said about it.`} Save this file, and drop it beside that of the
        bank next month: it also has what is settled. It has texts of the bank, so it is kept here for you only, for twelve hours.</p>
      ${openFileLink(href, true)}`,
  );
}

/** As `yyyy-mm`. */
function lastMonth(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
}

function startCard(accounts: Account[], { zone, month }: { zone: string; month: string }): Html {
  const input = (id: string, { label, hint, ...more }: { label: string; hint?: string; value?: string; placeholder?: string }) =>
    field(
      { id, label, hint },
      html`<input class="input" id=${id} name=${id} maxlength=${TEXT_LENGTH} autocomplete="off" aria-describedby=${hint ? `${id}-hint` : undefined} ...${more} />`,
    );
  return card(
    { title: 'Close a month' },
    html`<form method="post" action=${HREF} enctype="multipart/form-data">
      ${selectAccount(accounts)}
      ${field(
        { id: 'month', label: 'Month' },
        html`<input class="input" type="month" id="month" name="month" value=${month} required placeholder="2026-11" pattern="\\d{4}-\\d\\d" />`,
      )}
      ${input('zone', { label: 'Time zone of the bank', value: zone })}
      ${field(
        {
          id: 'file',
          label: 'File of the bank',
          hint: 'camt.053, MT940, BAI2, OFX or CSV, up to 4 MB. It is kept sealed for you, for twelve hours.',
        },
        html`<input class="input" type="file" id="file" name="file" required aria-describedby="file-hint" />`,
      )}
      ${field(
        {
          id: 'previous',
          label: 'What the month before left open',
          hint: 'Optional: the file that its close saved, or that of earmark reconcile --save.',
        },
        html`<input class="input" type="file" id="previous" name="previous" accept=".json" aria-describedby="previous-hint" />`,
      )}
      <details>
        <summary>A CSV file, other characters than UTF-8, or several accounts</summary>
        ${input('map', { label: 'Columns of a CSV file', hint: 'The name of each column of yours.', placeholder: 'date=Booked;amount=Amount;reference=Text' })}
        ${input('currency', { label: 'Currency of a CSV file', placeholder: 'EUR' })}
        ${select({ id: 'encoding', label: 'Characters of the file' }, ENCODING_CHOICES)}
        ${input('bankAccount', { label: 'Account at the bank', hint: 'The one of the customers, if the file has several.' })}
      </details>
      <div class="buttons">
        <button class="button button-primary" type="submit">Compare with the ledger</button>
      </div>
    </form>`,
  );
}

function closesCard(closes: AuditEntry[], accounts: Account[]): Html {
  if (closes.length === 0) {
    const text = 'A closed month appears here, with who closed it, and with the statements of all customers.';
    return card({ title: 'Closed months' }, emptyState({ icon: 'scale', title: 'No month is closed yet', text }));
  }
  const columns = [
    { label: 'Month' },
    { label: 'Account' },
    { label: 'Covered by the file' },
    { label: 'Closed' },
    { label: 'By' },
    { label: 'Explained', isNumber: true },
    { label: 'Statements' },
  ];
  const rows = closes.map(({ created, actor, resourceId, detail }) => {
    const of = { account: resourceId ?? '', month: String(detail.month), zone: String(detail.zone) };
    const link = (format: 'pdf' | 'csv') =>
      html`<a href=${zipHref({ ...of, format })} download aria-label=${`${format.toUpperCase()} statements of ${of.month}`}>${format.toUpperCase()}</a>`;
    return [
      of.month,
      accounts.find(({ id }) => id === resourceId)?.name ?? '',
      String(detail.covers),
      time(created),
      actor,
      String(detail.settled ?? 0),
      html`<span class="inline-links">${link('pdf')} ${link('csv')}</span>`,
    ];
  });
  return card({ title: 'Closed months', isBare: true }, table({ caption: 'Closed months', columns, rows }));
}
