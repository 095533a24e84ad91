// Creates, changes and deletes allocation rules. A customer has at most one active rule per currency.
import { bucketOf, newId } from '../../core/ids.ts';
import { type Fault, invalid, refuse } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { wordsOf } from '../../platform/http/errors.ts';
import type { Links } from '../../platform/http/links.ts';
import { lockCustomer } from '../customers/customer.ts';
import {
  type AllocationRule,
  type AllocationRuleChange,
  type AllocationRuleRequest,
  findActiveRule,
  requireAllocationRule,
  saveAllocationRule,
} from './allocation-rule.ts';
import { requireSteps } from './check.ts';

/** Returns the new rule, which is active. Refuses with Conflict if the customer has an active rule in this currency. */
export async function createAllocationRule(
  tx: Sql,
  links: Links,
  customer: { id: string; accountId: string },
  { name, steps: requested }: AllocationRuleRequest,
  now: Date,
): Promise<AllocationRule> {
  const { id: customerId, accountId } = customer;
  await lockCustomer(tx, customerId);
  const { steps, currency } = await requireSteps(tx, links, customer, requested);
  const id = newId(bucketOf(customerId));
  const rule = { id, accountId, customerId, name, currency, steps, paused: false, created: now, deleted: null };
  await requireOnlyActive(tx, rule);
  await saveAllocationRule(tx, rule);
  return rule;
}

/**
 * Replaces the name and the steps of a rule, or pauses or resumes it. Refuses with Conflict if another rule is active in its currency,
 * and with InvalidResourceState if it is deleted.
 */
export async function changeAllocationRule(
  tx: Sql,
  links: Links,
  caller: { accountId: string },
  id: string,
  { name, steps: requested, paused }: AllocationRuleChange,
): Promise<AllocationRule> {
  const rule = await lockRule(tx, caller, id);
  const replaces = name !== undefined || requested !== undefined;
  if (replaces && paused !== undefined) {
    throw invalid({ code: 'NotAllowed', message: 'Paused cannot be changed together with other members.', path: '/paused' });
  }
  let changed: AllocationRule;
  if (paused !== undefined) changed = { ...rule, paused };
  else {
    if (name === undefined || requested === undefined)
      throw refuse('badRequest', { faults: missing({ name, steps: requested }) });
    const customer = { id: rule.customerId, accountId: rule.accountId };
    changed = { ...rule, name, ...(await requireSteps(tx, links, customer, requested)) };
  }
  await requireOnlyActive(tx, changed);
  await saveAllocationRule(tx, changed);
  return changed;
}

/** Deletes a rule, which stays readable. Refuses with InvalidResourceState if it is deleted already. */
export async function deleteAllocationRule(
  tx: Sql,
  caller: { accountId: string },
  id: string,
  now: Date,
): Promise<AllocationRule> {
  const deleted = { ...(await lockRule(tx, caller, id)), deleted: now };
  await saveAllocationRule(tx, deleted);
  return deleted;
}

/** Locks the customer of a rule, so that changes of its rules run one after another, and returns the rule as it is then. */
async function lockRule(tx: Sql, caller: { accountId: string }, id: string): Promise<AllocationRule> {
  const { customerId } = await requireAllocationRule(tx, caller, id);
  await lockCustomer(tx, customerId);
  const rule = await requireAllocationRule(tx, caller, id);
  if (rule.deleted) throw refuse('allocationRuleDeleted');
  return rule;
}

async function requireOnlyActive(tx: Sql, { id, customerId, currency, paused }: AllocationRule): Promise<void> {
  const active = paused ? undefined : await findActiveRule(tx, customerId, currency);
  if (!active || active.id === id) return;
  throw refuse('allocationRuleActive', { about: { type: 'allocation-rule', id: active.id } });
}

function missing(members: Record<string, unknown>): Fault[] {
  return Object.entries(members)
    .filter(([, value]) => value === undefined)
    .map(([name]) => ({ code: 'Required', message: `${wordsOf(name)} is required.`, path: `/${name}` }));
}
