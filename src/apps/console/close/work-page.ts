// The page of a month that is being closed: totals, what is open with what can be done about it, and what is settled.
import { refuse } from '../../../core/problems.ts';
import type { Act } from '../../../ledger/audit/audit.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, icon, notice, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { findAccount } from '../../../resources/accounts/account.ts';
import { listAskedLines, recordOnce } from '../../../resources/change-requests/bank-line.ts';
import type { Service } from '../../service/service.ts';
import { CLOSE as HREF } from '../addresses.ts';
import { amountText } from '../amount.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';
import { makeMove } from '../money/make-move.ts';
import type { Pages, Visit } from '../screen.ts';
import { itemCard } from './item-card.ts';
import type { Item } from './items.ts';
import { readRecord } from './record.ts';
import { compareMonth, monthOf, openItems, requireOpen, type Settled, saveOpen, type Work } from './work.ts';

const MONTH_NAME = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export function addWork(pages: Pages, service: Service): void {
  addOpenFile(pages, service);
  pages.page(`${HREF}/:id`, 'moveMoney', async (visit) => {
    const work = (await visit.work.read(visit.params.id!)) as Work | undefined;
    if (!work) return undefined;
    const { sql } = service.database;
    const { account, month } = work.choices;
    const [name, asked] = [(await findAccount(sql, account))?.name ?? '', await listAskedLines(sql, account)];
    return {
      title: `Close ${monthName(month)}`,
      main: pageOf(work, { href: `${HREF}/${visit.params.id}`, account: name, asked }),
      scripts: ['drafts.js'],
    };
  });
  const act = (path: string, done: string, change: (visit: Visit, form: URLSearchParams, work: Work) => Promise<Work>) =>
    pages.action(
      `${HREF}/:id/${path}`,
      'moveMoney',
      async (visit, form) => {
        const id = visit.params.id!;
        const work = await requireWork(visit);
        await visit.work.save(id, { ...(await change(visit, form, work)), isClosed: false });
        return `${HREF}/${id}?done=${done}`;
      },
      { from: `${HREF}/:id` },
    );
  act('compare', 'compared', (_visit, _form, work) => compareMonth(service, work));
  act('settle', 'settled', async (_visit, form, work) => settle(work, form));
  act('reopen', 'reopened', async (_visit, form, work) => reopen(work, form.get('item') ?? ''));
  pages.action(
    `${HREF}/:id/record`,
    'moveMoney',
    async (visit, form) => {
      const id = visit.params.id!;
      // Somebody else may have recorded the line since the last comparison.
      const work = await compareMonth(service, await requireWork(visit));
      await visit.work.save(id, work);
      const wanted = await readRecord(service, form, work);
      const next = await recordOnce(service, work.choices.account, wanted, () =>
        makeMove(service, visit, wanted, () => `${HREF}/${id}?done=recorded`),
      );
      await visit.work.save(id, await compareMonth(service, work));
      return next;
    },
    { from: `${HREF}/:id` },
  );
  pages.action(
    `${HREF}/:id/finish`,
    'moveMoney',
    async (visit) => {
      const id = visit.params.id!;
      const work = await compareMonth(service, await requireWork(visit));
      const problem = await service.database.transaction(async (tx) => {
        // A form that is sent twice closes once: the second one waits for the first here.
        if ((await requireWork(visit, tx)).isClosed) return undefined;
        const why = whyOpen(service, work);
        if (!why) await visit.audit(entryOf(work), tx);
        await visit.work.save(id, { ...work, isClosed: !why }, tx);
        return why;
      });
      if (problem) throw refuse('conflict', { message: problem });
      return `${HREF}?done=closed&work=${id}`;
    },
    { from: `${HREF}/:id` },
  );
}

/** Saves what the close of the next month gets. */
function addOpenFile(pages: Pages, service: Service): void {
  pages.file(`${HREF}/:id/open.json`, 'moveMoney', async (visit) => {
    const work = (await visit.work.read(visit.params.id!)) as Work | undefined;
    if (!work) return undefined;
    const { account, month } = work.choices;
    const saved = await saveOpen(service, work);
    await visit.audit({
      action: 'download_list',
      resource: { type: 'account', id: account },
      detail: { list: 'open items', month },
    });
    const content = Buffer.from(`${JSON.stringify(saved, null, 2)}\n`);
    return { mediaType: 'application/json', content, name: `open-${month}.json` };
  });
}

export function openFileLink(href: string, isPrimary: boolean): Html {
  const className = isPrimary ? 'button button-primary' : 'button';
  return html`<a class=${className} href=${`${href}/open.json`} download>${icon('arrow-down-tray', 'small')}Save what is open</a>`;
}

function monthName(month: string): string {
  return MONTH_NAME.format(new Date(`${month}-01T00:00:00Z`));
}

async function requireWork(visit: Visit, tx?: Sql): Promise<Work> {
  const work = (await visit.work.read(visit.params.id!, tx)) as Work | undefined;
  if (!work) throw refuse('notFound');
  return work;
}

/** Explains an item, or links two items of both sides that belong together. */
function settle(work: Work, form: URLSearchParams): Work {
  const item = requireOpen(work, form.get('item') ?? '');
  const { minorUnits } = item;
  const other = form.get('with');
  if (!other) {
    const text = (form.get('text') ?? '').trim().slice(0, TEXT_LENGTH);
    if (text === '') throw refuse('badRequest', { message: 'Say why it does not match.' });
    return { ...work, settled: { ...work.settled, [item.key]: { how: 'explained', text, minorUnits } } };
  }
  const linked = requireOpen(work, other);
  if (linked.kind === item.kind || linked.currency !== item.currency || linked.minorUnits !== minorUnits)
    throw refuse('badRequest', { message: 'Link a line of the bank and a movement of the ledger of the same amount.' });
  const link = (to: Item): Settled => ({ how: 'linked', with: to.key, minorUnits });
  return { ...work, settled: { ...work.settled, [item.key]: link(linked), [linked.key]: link(item) } };
}

function reopen(work: Work, key: string): Work {
  const how = work.settled[key];
  const keys = how?.how === 'linked' ? [key, how.with] : [key];
  return { ...work, settled: Object.fromEntries(Object.entries(work.settled).filter(([other]) => !keys.includes(other))) };
}

/** Why the month cannot be closed yet. */
function whyOpen({ clock }: Pick<Service, 'clock'>, work: Work): string | undefined {
  const now = clock.now(work.choices.account);
  if (monthOf(work.choices, now).before > now) return 'The month is not over.';
  const open = openItems(work).length;
  return open > 0 ? `${open} ${open === 1 ? 'item is' : 'items are'} still open.` : undefined;
}

function entryOf({ choices, items, settled, totals, covers }: Work): Act {
  const explained = items.map(({ key, kind, currency, minorUnits }) => {
    const how = settled[key]!;
    return `${kind} ${amountText(BigInt(minorUnits), currency)} ${currency}: ${how.how === 'explained' ? how.text : `linked with ${how.with}`}`;
  });
  const detail = {
    ...{ month: choices.month, zone: choices.zone, covers: `${covers.from} to ${covers.to}`, settled: items.length, explained },
    totals: totals.map(
      ({ currency, closing, ledgerClosing }) => `${currency} bank ${closing ?? 'unknown'}, ledger ${ledgerClosing}`,
    ),
  };
  return { action: 'close_month', resource: { type: 'account', id: choices.account }, detail };
}

type Shown = { href: string; account: string; asked: Awaited<ReturnType<typeof listAskedLines>> };

function pageOf(work: Work, { href, account, asked }: Shown): Html {
  const { choices, covers, compared, items } = work;
  const open = openItems(work);
  const done = items.filter(({ key }) => work.settled[key]);
  const post = (path: string, label: string, isPrimary: boolean) =>
    html`<form method="post" action=${`${href}/${path}`}>
      <button class=${isPrimary ? 'button button-primary' : 'button'} type="submit">${label}</button>
    </form>`;
  return html`${pageHeader({
    title: `Close ${monthName(choices.month)} of ${account}`,
    lead: html`${choices.file} covers ${covers.from} to ${covers.to} in ${choices.zone}. Compared ${time(new Date(compared), 'seconds')}.`,
    back: { href: HREF, label: 'Month close' },
    actions: html`${openFileLink(href, false)} ${post('compare', 'Compare again', false)} ${post('finish', 'Close the month', open.length === 0)}`,
  })}
  ${totalsCard(work)}
  ${
    open.length === 0
      ? notice(html`<p>Nothing is open. Close the month, or compare again.</p>`, 'good')
      : card(
          { title: open.length === 1 ? 'One item is open' : `${open.length} items are open`, isBare: true },
          html`<ol class="close-items">${open.map((item) => itemCard(item, { href, others: open, asked: asked.get(item.key)?.id }))}</ol>`,
        )
  }
  ${done.length > 0 && settledCard(work, done, href)}
  ${items.length === 0 && card({ title: 'Differences' }, emptyState({ icon: 'check-circle', title: 'Everything matches', text: 'Each line of the bank has its movement in the ledger, and the balances agree.' }))}`;
}

function totalsCard({ totals }: Work): Html {
  const columns = [
    { label: 'Currency' },
    { label: 'Matched lines', isNumber: true },
    { label: 'Bank, opening', isNumber: true },
    { label: 'Ledger, opening', isNumber: true },
    { label: 'Bank, closing', isNumber: true },
    { label: 'Ledger, closing', isNumber: true },
  ];
  const rows = totals.map(({ currency, matched, opening, ledgerOpening, closing, ledgerClosing }) => [
    currency,
    matched.toLocaleString('en'),
    ...[opening, ledgerOpening, closing, ledgerClosing].map((value) => value ?? html`<span class="muted">not in the file</span>`),
  ]);
  return card({ title: 'Totals', isBare: true }, table({ caption: 'Totals', columns, rows }));
}

function settledCard({ settled }: Work, items: Item[], href: string): Html {
  const columns = [{ label: 'Item' }, { label: 'Amount', isNumber: true }, { label: 'How' }, { label: 'Action' }];
  const rows = items.map(({ key, day, text, currency, minorUnits }) => {
    const how = settled[key]!;
    return [
      html`${day} <span class="muted">${text}</span>`,
      html`<span class="nowrap">${amountText(BigInt(minorUnits), currency)} ${currency}</span>`,
      how.how === 'explained' ? html`${badge('explained', 'accent')} ${how.text}` : badge('linked', 'good'),
      html`<form method="post" action=${`${href}/reopen`}>
        <input type="hidden" name="item" value=${key} />
        <button class="button button-small" type="submit">Open again</button>
      </form>`,
    ];
  });
  return card({ title: 'Settled', isBare: true }, table({ caption: 'Settled', columns, rows }));
}
