// Policies of each account: what checkers may decide without a person, with the history and the disagreements of people, and limits of what one
// person moves.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { findAccount, listAccounts } from '../../../resources/accounts/account.ts';
import { ACCEPT_TEXTS } from '../../../resources/documents/policy/choices.ts';
import {
  countDisagreements,
  defaultPolicy,
  listPolicies,
  type Policy,
  type PolicyVersion,
  setPolicy,
} from '../../../resources/documents/policy/policy.ts';
import { listMoveLimits } from '../../../resources/moves/limit.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import type { Screen, Visit } from '../screen.ts';
import { addMoveLimits, moveLimitsCard } from './move-limits.ts';
import { policyForm, readPolicyForm } from './policy-form.ts';

const HREF = '/console/policies';

export const policies: Screen = {
  href: HREF,
  label: 'Policies',
  icon: 'shield-check',
  group: 'Access',
  permission: 'setPolicies',
  done: { set: 'The policy is in force from the next check on.', limited: 'The limit is in force.' },
  add(pages, service) {
    pages.page(HREF, 'setPolicies', async () => ({ title: 'Policies', main: await overview(service) }));
    pages.page(`${HREF}/:id`, 'setPolicies', async ({ params }) => showPolicy(service, params.id!));
    pages.action(
      `${HREF}/:id`,
      'setPolicies',
      async (visit, form) => {
        await changePolicy(service, visit, form);
        return `${HREF}/${visit.params.id}?done=set`;
      },
      { from: `${HREF}/:id` },
    );
    addMoveLimits(pages, service);
  },
};

async function overview(service: Service): Promise<Html> {
  const accounts = await listAccounts(service.database.sql);
  const rows = await Promise.all(
    accounts.map(async ({ id, name }) => {
      const { policy, counts } = await readState(service, id);
      return [
        html`<a href=${`${HREF}/${id}`}>${name}</a>`,
        policy.accept,
        policy.reject.join(', ') || 'none',
        `${policy.sample} %`,
        policy.perDay ?? 'no limit',
        sampleText(counts),
        (await listMoveLimits(service.database.sql, id))
          .map((limit) => `${amountText(limit.amount, limit.currency)} ${limit.currency}`)
          .join(', ') || 'no limit',
      ];
    }),
  );
  const columns = ['Account', 'Accepts', 'Rejects', 'Sample', 'A day', 'Disagreements', 'One person moves'].map((label) => ({
    label,
  }));
  return html`${pageHeader({ title: 'Policies', lead: 'What checkers may decide about documents without a person, and which money takes two.' })}
    ${card({ title: 'Accounts', isBare: true }, table({ caption: 'Policies of accounts', columns, rows }))}`;
}

async function readState({ database: { sql }, config }: Service, accountId: string) {
  const history = await listPolicies(sql, accountId);
  const policy: Policy = history[0] ?? defaultPolicy(config.autoDecide, config.mode);
  return { history, policy, counts: await countDisagreements(sql, accountId) };
}

async function showPolicy(service: Service, id: string) {
  const account = isId(id) ? await findAccount(service.database.sql, id) : undefined;
  if (!account) return undefined;
  const { policy, history, counts } = await readState(service, id);
  const title = `Policy of ${account.name}`;
  return {
    title,
    main: html`${pageHeader({ title, lead: ACCEPT_TEXTS[policy.accept], back: { href: HREF, label: 'Policies' } })}
      ${card({ title: policy.version === 0 ? 'The default of AUTO_DECIDE' : `Version ${policy.version}` }, policyForm(`${HREF}/${id}`, policy))}
      ${card({ title: 'Sample' }, html`<p>${sampleText(counts)}</p>`)}
      ${await moveLimitsCard(service, id)}
      ${history.length > 0 && card({ title: 'History', isBare: true }, historyTable(history))}`,
  };
}

function sampleText({ sampled, disagreed }: { sampled: number; disagreed: number }): string {
  return sampled === 0
    ? 'No sampled document has been decided.'
    : `People rejected ${disagreed} of ${sampled} sampled documents that would have been accepted.`;
}

function historyTable(history: PolicyVersion[]): Html {
  const columns = ['Version', 'Accepts', 'Rejects', 'Sample', 'A day', 'By', 'Why', 'Since'].map((label) => ({ label }));
  const rows = history.map(({ version, accept, reject, sample, perDay, actor, reason, created }) => [
    ...[String(version), accept, reject.join(', ') || 'none', `${sample} %`, perDay ?? 'no limit', actor, reason],
    time(created),
  ]);
  return table({ caption: 'History of the policy', columns, rows });
}

async function changePolicy({ database }: Service, { params, person, audit }: Visit, form: URLSearchParams): Promise<void> {
  const accountId = params.id!;
  const { reason, ...policy } = readPolicyForm(form);
  await database.transaction(async (tx) => {
    if (!isId(accountId) || !(await findAccount(tx, accountId))) throw refuse('notFound');
    const version = await setPolicy(tx, accountId, { ...policy, reason, actor: person.name });
    const resource = { type: 'account', id: accountId };
    await audit({ action: 'set_evidence_policy', resource, detail: { version, ...policy, reason } }, tx);
  });
}
