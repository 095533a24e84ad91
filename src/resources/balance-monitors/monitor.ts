// Balance monitors: schema, queries and representation. A monitor reports when the amount of its label crosses a threshold.
import type { Static } from 'typebox';
import { bucketOf } from '../../core/ids.ts';
import { AmountRequest, AmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema, type Page } from '../../platform/http/paging.ts';

export type Direction = 'below' | 'above';

/** Amounts are in minor units. */
export type Monitor = {
  id: string;
  accountId: string;
  customerId: string;
  labelId: string;
  currency: string;
  direction: Direction;
  threshold: bigint;
  rearm: bigint;
  armed: boolean;
  /** The last entry of the label that was evaluated. */
  sequence: bigint;
  /** The last crossing, with the id of its ledger entry. */
  crossed: Date | null;
  crossedBalance: bigint | null;
  crossedEntry: string | null;
  created: Date;
  deleted: Date | null;
};

export type MonitorRequest = Static<typeof MonitorRequest>;

export const MonitorRequest = Type.Object(
  { below: Type.Optional(AmountRequest), above: Type.Optional(AmountRequest), rearm: Type.Optional(AmountRequest) },
  {
    title: 'MonitorRequest',
    description:
      'Either below or above, in the currency of the label: a crossing is when the amount becomes less than below, or more than above. After a crossing, the next one is reported once the amount was at least rearm (with below) or at most rearm (with above), by default the threshold.',
    ...STRICT,
  },
);

const CrossingSchema = Type.Object(
  {
    _links: Type.Object({ 'ledger-entry': LinkSchema }),
    created: Type.String({ format: 'date-time', description: 'The time of the ledger entry.' }),
    balance: AmountSchema,
  },
  { title: 'Crossing', description: 'A ledger entry that took the amount across the threshold, and the amount after it.' },
);

export const MonitorSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      label: LinkSchema,
      customer: LinkSchema,
      remove: linkWhen('Present unless the monitor is deleted.'),
    }),
    id: IdSchema,
    below: Type.Optional(AmountSchema),
    above: Type.Optional(AmountSchema),
    rearm: AmountSchema,
    state: Type.Enum(['armed', 'crossed'], {
      description: '`armed`: the next crossing is reported. `crossed`: the amount is beyond the threshold, or not back at rearm.',
    }),
    lastCrossing: Type.Optional(CrossingSchema),
    created: Type.String({ format: 'date-time' }),
    deleted: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { title: 'Monitor' },
);

export const monitorColumns = fragment`id, account_id, customer_id, label_id, currency, direction, threshold, rearm, armed, sequence, crossed,
  crossed_balance, crossed_entry, created, deleted`;

/** The monitor with this id, deleted or not, or undefined. */
export async function findMonitor(sql: Sql, id: string): Promise<Monitor | undefined> {
  const [row] = await sql<Monitor>`
    select ${monitorColumns} from balance_monitor where bucket = ${bucketOf(id)} and id = ${id}`;
  return row;
}

/** Returns a monitor of the caller's account, deleted or not. Refuses as requireOwned does. */
export async function requireMonitor(sql: Sql, caller: { accountId: string }, id: string): Promise<Monitor> {
  return requireOwned(await findMonitor(sql, id), caller);
}

/** A page of the monitors of a label, newest first, and the total. Deleted ones are left out. Without `id`: of all labels of the customer. */
export async function listMonitors(
  sql: Sql,
  { id, customerId }: { id?: string; customerId: string },
  { limit, offset }: Page,
): Promise<{ elements: Monitor[]; total: number }> {
  const monitors = fragment`
    from balance_monitor
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} ${id === undefined ? fragment`` : fragment`and label_id = ${id}`}
      and deleted is null`;
  const elements = await sql<Monitor>`select ${monitorColumns} ${monitors} order by id desc limit ${limit} offset ${offset}`;
  const [count] = await sql<{ total: bigint }>`select count(*) as total ${monitors}`;
  return { elements, total: Number(count?.total) };
}

export function represent(links: Links, monitor: Monitor): Static<typeof MonitorSchema> {
  const { id, currency, direction, crossed, crossedBalance, crossedEntry, deleted } = monitor;
  const self = links.to('monitor', id);
  return {
    _links: {
      self,
      label: links.to('label', monitor.labelId),
      customer: links.to('customer', monitor.customerId),
      ...(!deleted && { remove: self }),
    },
    id,
    [direction]: formatAmount(monitor.threshold, currency),
    rearm: formatAmount(monitor.rearm, currency),
    state: monitor.armed ? 'armed' : 'crossed',
    ...(crossed && {
      lastCrossing: {
        _links: { 'ledger-entry': links.to('ledger-entry', crossedEntry!) },
        created: crossed.toISOString(),
        balance: formatAmount(crossedBalance!, currency),
      },
    }),
    created: monitor.created.toISOString(),
    ...(deleted && { deleted: deleted.toISOString() }),
  };
}
