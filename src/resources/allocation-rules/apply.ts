// Applies an allocation rule to a deposit: the transfers of its steps, and the preview of what they would move.
import type { Static } from 'typebox';
import { bucketOf, legId, newId } from '../../core/ids.ts';
import { AmountRequest, AmountSchema, requireAmount } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { refuse } from '../../core/problems.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { findOwed } from '../../ledger/transfers/balance.ts';
import type { Transfer } from '../../ledger/transfers/post.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { type Customer, findCustomer, lockCustomer } from '../customers/customer.ts';
import { findLabel } from '../labels/label.ts';
import { type ActiveRule, findActiveRule, type Step } from './allocation-rule.ts';
import { shareOf } from './share.ts';

export const PreviewRequest = Type.Object({ amount: AmountRequest }, { title: 'AllocationPreviewRequest', ...STRICT });

export const PreviewSchema = Type.Object(
  {
    steps: Type.Array(
      Type.Object({ _links: Type.Object({ label: LinkSchema }), amount: AmountSchema }, { title: 'PreviewedStep' }),
    ),
    available: AmountSchema,
    repaid: Type.Optional(AmountSchema),
  },
  {
    title: 'AllocationPreview',
    description:
      "What the steps would move to labels, and what would stay available. `repaid`: what would pay the customer's debt before them; absent if that is zero.",
  },
);

/** Whether rules apply to the deposits of a customer now. */
export function canAllocate({ status }: Pick<Customer, 'status'>): boolean {
  return status === 'verified';
}

/** The transfers of a rule, to post after the deposit in the same call. The ledger skips a step that does not apply then. */
export function allocationsOf(rule: ActiveRule, deposit: Transfer): Transfer[] {
  const whole = deposit.amount ?? 0n;
  const moving = rule.steps.filter((step) => amountOf(step, whole) > 0n);
  return moving.map((step) => {
    const id = newId(bucketOf(deposit.id));
    return {
      ...partOf(deposit, id, 'customer_label_ledger_entry_created'),
      kind: 'allocation',
      toId: step.labelId,
      amount: amountOf(step, whole),
      resource: { type: 'ledger-entry', id: legId(id, 'to') },
      allocation: { deposit: 0, until: step.until },
      ruleId: rule.id,
    };
  });
}

/** What all transfers of parts of a deposit have, which the ledger posts after it in the same call. */
export function partOf(deposit: Transfer, id: string, topic: Transfer['event']['topic']) {
  return {
    id,
    accountId: deposit.accountId,
    fromId: deposit.toId,
    currency: deposit.currency,
    reference: undefined,
    event: { id: newId(bucketOf(id)), topic },
    idempotency: undefined,
  };
}

/** What a deposit would move now. Nothing is written. Throws ValidationError for the amount. Locks the customer, whom a stored answer names. */
export async function previewDeposit(
  tx: Sql,
  links: Links,
  customerId: string,
  { amount }: Static<typeof PreviewRequest>,
): Promise<Static<typeof PreviewSchema>> {
  const whole = requireAmount(amount, 'positive');
  await lockCustomer(tx, customerId);
  const customer = await findCustomer(tx, customerId);
  if (!customer) throw refuse('customerNotFound');
  const rule = canAllocate(customer) ? await findActiveRule(tx, customerId, amount.currency) : undefined;
  const balances = new Map<string, bigint>();
  const owed = await findOwed(tx, customerId, amount.currency);
  const repaid = owed < whole ? owed : whole;
  let left = whole - repaid;
  const steps: Static<typeof PreviewSchema>['steps'] = [];
  for (const step of rule?.steps ?? []) {
    const label = await findLabel(tx, step.labelId);
    const balance = balances.get(step.labelId) ?? label?.balance ?? 0n;
    const limits = [amountOf(step, whole), left, ...(step.until === undefined ? [] : [step.until - balance])];
    const moved = limits.reduce((least, limit) => (limit < least ? limit : least));
    if (!label || label.removed || moved <= 0n) continue;
    balances.set(step.labelId, balance + moved);
    left -= moved;
    steps.push({ _links: { label: links.to('label', step.labelId) }, amount: formatAmount(moved, amount.currency) });
  }
  return {
    steps,
    available: formatAmount(left, amount.currency),
    ...(repaid > 0n && { repaid: formatAmount(repaid, amount.currency) }),
  };
}

/** The amount of a step before the limits of its label and of the deposit. */
function amountOf({ percent, amount }: Step, whole: bigint): bigint {
  return percent === undefined ? (amount ?? 0n) : shareOf(whole, percent);
}
