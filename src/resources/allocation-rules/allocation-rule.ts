// Allocation rules: schema, queries and representation. A rule moves parts of a customer's deposits to its labels.
import type { Static } from 'typebox';
import { bucketOf } from '../../core/ids.ts';
import { AmountRequest, AmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { CHECKED_LATER, NO_CONTROL_CHARACTERS, STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema, type Page } from '../../platform/http/paging.ts';
import { LabelLink } from '../labels/label.ts';
import { formatPercent, PERCENT } from './share.ts';

/** One of `percent`, in hundredths of a percent, and `amount`. Amounts are in minor units. */
export type Step = { labelId: string; percent?: bigint; amount?: bigint; until?: bigint };

export type AllocationRule = {
  id: string;
  accountId: string;
  customerId: string;
  name: string;
  currency: string;
  steps: Step[];
  paused: boolean;
  created: Date;
  deleted: Date | null;
};

/** What a deposit needs of the rule that applies to it. */
export type ActiveRule = Pick<AllocationRule, 'id' | 'currency' | 'steps'>;

export type AllocationRuleRequest = Static<typeof AllocationRuleRequest>;
export type AllocationRuleChange = Static<typeof AllocationRuleChange>;

const NAME_LENGTH = 100;
const STEPS_MAX = 20;

const Name = Type.String({ minLength: 1, maxLength: NAME_LENGTH, pattern: NO_CONTROL_CHARACTERS });
const Percent = Type.String({
  description: 'Percentage of the whole deposit, above 0 up to 100, with at most two decimals.',
  examples: ['25.00'],
  [CHECKED_LATER]: { pattern: PERCENT.source },
});

const StepRequest = Type.Object(
  {
    label: LabelLink,
    percent: Type.Optional(Percent),
    amount: Type.Optional(AmountRequest),
    until: Type.Optional(AmountRequest),
  },
  {
    title: 'AllocationStepRequest',
    description: 'Either percent or amount. With until, the step fills its label at most up to that balance.',
    ...STRICT,
  },
);
const Steps = Type.Array(StepRequest, { minItems: 1, maxItems: STEPS_MAX });

export const AllocationRuleRequest = Type.Object({ name: Name, steps: Steps }, { title: 'AllocationRuleRequest', ...STRICT });

export const AllocationRuleChange = Type.Object(
  {
    name: Type.Optional(Name),
    steps: Type.Optional(Steps),
    paused: Type.Optional(Type.Boolean({ description: 'A paused rule does not apply to deposits.' })),
  },
  {
    title: 'AllocationRuleChange',
    description: 'Either name and steps, which replace those of the rule, or paused.',
    ...STRICT,
  },
);

const StepSchema = Type.Object(
  {
    label: LinkSchema,
    percent: Type.Optional(Type.String()),
    amount: Type.Optional(AmountSchema),
    until: Type.Optional(AmountSchema),
  },
  { title: 'AllocationStep' },
);

export const AllocationRuleSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      edit: linkWhen('Present unless the rule is deleted.'),
      remove: linkWhen('Present unless the rule is deleted.'),
    }),
    id: IdSchema,
    name: Type.String(),
    currency: Type.String({ description: 'ISO 4217 code, that of its labels. The rule applies to deposits in this currency.' }),
    steps: Type.Array(StepSchema, { maxItems: STEPS_MAX }),
    paused: Type.Boolean(),
    created: Type.String({ format: 'date-time' }),
    deleted: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { title: 'AllocationRule' },
);

type StoredStep = { labelId: string; percent?: string; amount?: string; until?: string };
type Row = Omit<AllocationRule, 'steps'> & { steps: StoredStep[] };
export type StoredActiveRule = Pick<Row, 'id' | 'currency' | 'steps'>;

const columns = fragment`id, account_id, customer_id, name, currency, steps, paused, created, deleted`;

/** The rule with this id, deleted or not, or undefined. */
export async function findAllocationRule(sql: Sql, id: string): Promise<AllocationRule | undefined> {
  const [row] = await sql<Row>`select ${columns} from allocation_rule where bucket = ${bucketOf(id)} and id = ${id}`;
  return row && fromRow(row);
}

/** Returns a rule of the caller's account, deleted or not. Refuses as requireOwned does. */
export async function requireAllocationRule(sql: Sql, caller: { accountId: string }, id: string): Promise<AllocationRule> {
  return requireOwned(await findAllocationRule(sql, id), caller);
}

/** Selects a customer's active rules, one for a currency at most, which `activeRuleIn` reads: a look-up has one row. */
export const selectActiveRules = (bucket: unknown, customerId: unknown): Fragment => fragment`
  select jsonb_agg(jsonb_build_object('id', id, 'currency', currency, 'steps', steps)) as rules from allocation_rule
  where bucket = ${bucket} and customer_id = ${customerId} and not paused and deleted is null`;

const findActiveRules = lookUp<{ rules: StoredActiveRule[] | null }>(({ bucket, id }) => selectActiveRules(bucket, id));

/** The active rule of a customer in a currency, or undefined. */
export async function findActiveRule(sql: Sql, customerId: string, currency: string): Promise<ActiveRule | undefined> {
  const found = await findActiveRules(sql, customerId);
  return activeRuleIn(currency, found?.rules ?? null);
}

/** Like `findActiveRule`, of what was selected. `rules`: null for a customer who has none. */
export function activeRuleIn(currency: string, rules: StoredActiveRule[] | null): ActiveRule | undefined {
  const rule = rules?.find((rule) => rule.currency === currency);
  return rule && fromRow(rule);
}

/** A page of a customer's rules, newest first, and the total. Deleted rules are left out. */
export async function listAllocationRules(
  sql: Sql,
  customerId: string,
  { limit, offset }: Page,
): Promise<{ elements: AllocationRule[]; total: number }> {
  const rules = fragment`
    from allocation_rule
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and deleted is null`;
  const rows = await sql<Row>`select ${columns} ${rules} order by id desc limit ${limit} offset ${offset}`;
  const [count] = await sql<{ total: bigint }>`select count(*) as total ${rules}`;
  return { elements: rows.map(fromRow), total: Number(count?.total) };
}

/** Inserts a rule, or replaces the members of it that can change. Call in a transaction that has locked the customer. */
export async function saveAllocationRule(tx: Sql, rule: AllocationRule): Promise<void> {
  const { id, accountId, customerId, name, currency, paused, created, deleted } = rule;
  const steps = JSON.stringify(rule.steps, (_name, value) => (typeof value === 'bigint' ? value.toString() : value));
  await tx`
    insert into allocation_rule (bucket, id, account_id, customer_id, name, currency, steps, paused, created, deleted)
    values (${bucketOf(id)}, ${id}, ${accountId}, ${customerId}, ${name}, ${currency}, ${steps}::jsonb, ${paused}, ${created},
      ${deleted})
    on conflict (bucket, id) do update set name = excluded.name, currency = excluded.currency, steps = excluded.steps,
      paused = excluded.paused, deleted = excluded.deleted`;
}

export function represent(links: Links, rule: AllocationRule): Static<typeof AllocationRuleSchema> {
  const { id, name, currency, steps, paused, created, deleted } = rule;
  const self = links.to('allocation-rule', id);
  return {
    _links: { self, customer: links.to('customer', rule.customerId), ...(!deleted && { edit: self, remove: self }) },
    id,
    name,
    currency,
    steps: steps.map(({ labelId, percent, amount, until }) => ({
      label: links.to('label', labelId),
      ...(percent !== undefined && { percent: formatPercent(percent) }),
      ...(amount !== undefined && { amount: formatAmount(amount, currency) }),
      ...(until !== undefined && { until: formatAmount(until, currency) }),
    })),
    paused,
    created: created.toISOString(),
    ...(deleted && { deleted: deleted.toISOString() }),
  };
}

function fromRow<Stored extends { steps: StoredStep[] }>(row: Stored): Omit<Stored, 'steps'> & { steps: Step[] } {
  const steps = row.steps.map(({ labelId, percent, amount, until }) => ({
    labelId,
    ...(percent !== undefined && { percent: BigInt(percent) }),
    ...(amount !== undefined && { amount: BigInt(amount) }),
    ...(until !== undefined && { until: BigInt(until) }),
  }));
  return { ...row, steps };
}
