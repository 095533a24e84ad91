// Sandbox: the clock, planned faults, scripted customers and reset of a sandbox account. It does not exist in production.
import { hash } from 'node:crypto';
import { bucketOf } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { listFaults, type PlannedFault } from '../../../platform/sandbox/fault.ts';
import { listAccounts } from '../../../resources/accounts/account.ts';
import { requireForm } from '../../../resources/customers/check.ts';
import { createCustomer } from '../../../resources/customers/create.ts';
import { submitUpload } from '../../../resources/documents/submit.ts';
import type { Service } from '../../service/service.ts';
import { SANDBOX as HREF } from '../addresses.ts';
import { addDesign } from '../design/design.ts';
import { durationText } from '../quantity.ts';
import type { Pages, Screen } from '../screen.ts';
import { selectAccount } from '../select.ts';
import { requireAccount } from './account.ts';
import { addSandboxActions } from './sandbox-actions.ts';
import { clockForm, DOCUMENTS_MAX, documentForm, faultForm, resetForm, scriptForm } from './sandbox-forms.ts';
import { DOCUMENT_SCRIPTS, formWithDocument, passportOf } from './scripts.ts';

export const sandbox: Screen = {
  href: HREF,
  label: 'Sandbox',
  icon: 'beaker',
  group: 'Run',
  permission: 'useSandbox',
  mode: 'sandbox',
  done: {
    clock: 'The clock is advanced. Tokens may have expired, and webhooks may have become due.',
    fault: 'The fault is planned.',
    documents: 'The documents are added. Those that wait are in the queue of Review.',
    removed: 'The fault is removed.',
    reset: 'The account is reset. Its applications still work. Get new tokens if its clock was more than a day ahead.',
  },
  add(pages, service) {
    const { sandboxTools } = service;
    if (!sandboxTools) return;
    pages.page(HREF, 'useSandbox', async ({ query }) => {
      const accounts = await listAccounts(service.database.sql);
      const wanted = query.get('account');
      const account = accounts.find(({ id }) => id === wanted) ?? accounts.at(-1);
      if (!account) return { title: 'Sandbox', main: withoutAccount() };
      const faults = await listFaults(service.database.sql, account.id);
      return {
        title: 'Sandbox',
        main: html`${pageHeader({ title: 'Sandbox', lead: 'Let time pass and things fail, before they do in production.', actions: html`<a class="button" href="/console/design">Design</a>` })}
          ${accountForm(accounts, account.id)}
          <div class="columns">
            <div>${clockCard(service, account.id)} ${scriptForm(account.id)} ${documentForm(account.id)}</div>
            <div>${faultCard(faults)} ${faultForm(account.id, [...sandboxTools.operations].toSorted())} ${resetForm(account)}</div>
          </div>`,
      };
    });
    addDesign(pages);
    addSandboxActions(pages, service, sandboxTools);
    addScriptedDocuments(pages, service);
  },
};

function withoutAccount(): Html {
  return html`${pageHeader({ title: 'Sandbox' })}
  ${emptyState({ icon: 'beaker', title: 'No account', text: html`<code>earmark account create</code> makes one.` })}`;
}

function accountForm(accounts: { id: string; name: string }[], current: string): Html {
  if (accounts.length < 2) return undefined;
  return html`<form class="filters" method="get" action=${HREF}>
    ${selectAccount(accounts, current)}
    <button class="button" type="submit">Show</button>
  </form>`;
}

function clockCard({ clock }: Pick<Service, 'clock'>, accountId: string): Html {
  const aheadMs = clock.aheadMs?.(accountId) ?? 0;
  return card(
    { title: 'Clock', lead: aheadMs > 0 ? `${durationText(aheadMs)} ahead` : 'at real time' },
    html`<dl class="facts"><dt>Now</dt><dd>${time(clock.now(accountId), 'seconds')}</dd></dl>
      ${clockForm(accountId)}`,
  );
}

function faultCard(faults: PlannedFault[]): Html {
  if (faults.length === 0) {
    const text = 'Every request is answered as it should be.';
    return card({ title: 'Planned faults' }, emptyState({ icon: 'check-circle', title: 'No planned faults', text }));
  }
  const columns = [{ label: 'Operation' }, { label: 'Fault' }, { label: 'Requests left', isNumber: true }, { label: 'Action' }];
  const rows = faults.map((fault) => [
    fault.operation,
    faultText(fault),
    fault.remaining.toLocaleString('en'),
    html`<form method="post" action=${`${HREF}/faults/${fault.id}/remove`}>
      <button class="button button-small" type="submit">Remove<span class="visually-hidden"> ${fault.operation}: ${faultText(fault)}</span></button>
    </form>`,
  ]);
  return card({ title: 'Planned faults', isBare: true }, table({ caption: 'Planned faults', columns, rows }));
}

function faultText({ status, cut, delayMs, effect }: PlannedFault): string {
  const parts = [
    ...(delayMs > 0 ? [`waits ${durationText(delayMs)}`] : []),
    ...(status !== null ? [`answers ${status}`] : []),
    ...(cut ? ['closes the connection'] : []),
    ...(effect ? ['after carrying it out'] : []),
  ];
  return parts.join(', ');
}

function addScriptedDocuments(pages: Pages, service: Service): void {
  const { config, sealer, clock, database } = service;
  pages.action(`${HREF}/documents`, 'useSandbox', async ({ audit }, form) => {
    const accountId = await requireAccount(service, form);
    const script = readScript(form);
    const count = Number(form.get('count'));
    if (!Number.isInteger(count) || count < 1 || count > DOCUMENTS_MAX) {
      throw refuse('badRequest', { message: `Choose from 1 to ${DOCUMENTS_MAX} documents.` });
    }
    const { drawSpecimen } = await import('../../sandbox/specimen.ts');
    for (let index = 0; index < count; index++) {
      const fields = formWithDocument(script, index);
      const id = await database.transaction(async (tx) => {
        const customer = requireForm(fields);
        const { id } = await createCustomer(tx, { mode: config.mode, sealer }, accountId, customer, clock.now(accountId));
        await audit({ action: 'add_document', resource: { type: 'customer', id }, detail: { script } }, tx);
        return id;
      });
      const file = await drawSpecimen(passportOf(fields, { script, index, now: clock.now(accountId) }));
      const request = { method: 'POST', url: `${HREF}/documents`, headers: {}, body: undefined, caller: { accountId } };
      const subject = { bucket: bucketOf(id), accountId, customerId: id, ownerId: null };
      await submitUpload(service, request, subject, { documentType: 'passport', file, digest: hash('sha256', file) });
    }
    return `${HREF}?account=${accountId}&done=documents`;
  });
}

function readScript(form: URLSearchParams): keyof typeof DOCUMENT_SCRIPTS {
  const script = form.get('script') ?? '';
  if (!Object.hasOwn(DOCUMENT_SCRIPTS, script)) throw refuse('badRequest', { message: 'Choose what happens to the documents.' });
  return script as keyof typeof DOCUMENT_SCRIPTS;
}
