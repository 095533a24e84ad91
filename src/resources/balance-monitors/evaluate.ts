// Evaluates monitors behind the settling of the feed, in its order: once for each entry, never on the path of a request.
import type { Clock } from '../../core/clock.ts';
import { bucketOf, legId } from '../../core/ids.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import { type FeedEvent, readFeed } from '../../ledger/feed/read-feed.ts';
import { transferOf } from '../../ledger/log/log-entries.ts';
import { findMoney } from '../../ledger/transfers/transfer.ts';
import { bucketArray, uuidArray } from '../../platform/db/binary-array.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { afterEntry, type Entry } from './crossing.ts';
import { type Monitor, monitorColumns } from './monitor.ts';

export type EvaluationTools = { database: Database; groups: Groups; clock: Clock };

/** The most events of an account that one step evaluates. */
const STEP = 2_000;

/** Evaluates the new events of every followed feed. `onError`: called for each account that fails; the others are evaluated. */
export async function evaluateMonitors(tools: EvaluationTools, onError: (error: unknown) => void): Promise<void> {
  const due = await tools.database.sql<{ accountId: string }>`
    select m.account_id from monitored_feed m join event_head h on h.account_id = m.account_id where h.position > m.position`;
  for (const { accountId } of due) await evaluateAccount(tools, accountId).catch(onError);
}

/** The number of events that the monitors of their account have not seen, for metrics. */
export async function countUnseen(sql: Sql): Promise<number> {
  const [row] = await sql<{ events: string }>`
    select coalesce(sum(h.position - m.position), 0)::text as events
    from monitored_feed m join event_head h on h.account_id = m.account_id and h.position > m.position`;
  return Number(row?.events);
}

/** Evaluates the settled events of an account, if its feed is followed. */
export async function evaluateAccount(tools: EvaluationTools, accountId: string): Promise<void> {
  while (await evaluateStep(tools, accountId));
}

/**
 * Evaluates the next events of a feed. The position is stored after the effects: a repetition after a crash, or by another process at the
 * same time, finds the entries evaluated. Returns whether there may be more.
 */
async function evaluateStep(tools: EvaluationTools, accountId: string): Promise<boolean> {
  const { sql } = tools.database;
  const [feed] = await sql<{ position: bigint }>`select position from monitored_feed where account_id = ${accountId}`;
  if (!feed) return false;
  const events = await readFeed(sql, accountId, { after: feed.position, limit: STEP });
  if (events.length === 0) return false;
  for (const [customerId, entries] of await findEntries(sql, events)) {
    await tools.groups
      .near(bucketOf(customerId))
      .transaction((tx) => evaluateCustomer(tx, customerId, entries, tools.clock.now(accountId)));
  }
  const position = feed.position + BigInt(events.length);
  await sql`update monitored_feed set position = ${position} where account_id = ${accountId} and position < ${position}`;
  return events.length === STEP;
}

/** The entries that the events report, of labels with a monitor, by customer and in the order of the feed. */
async function findEntries(sql: Sql, events: FeedEvent[]): Promise<Map<string, Entry[]>> {
  const customers = [...new Set(events.flatMap(({ customer }) => customer ?? []))];
  const watched = await sql<{ customerId: string; labelId: string }>`
    select m.customer_id, m.label_id
    from unnest(${bucketArray(customers)}::int[], ${uuidArray(customers)}::uuid[]) as w (bucket, id)
    join balance_monitor m on m.bucket = w.bucket and m.customer_id = w.id and m.deleted is null`;
  const labels = new Set(watched.map(({ labelId }) => labelId));
  const owners = new Set(watched.map(({ customerId }) => customerId));
  const moved = events.filter((event) => owners.has(event.customer ?? '') && transferOf(event) !== undefined);
  const found = new Map<string, Entry[]>();
  if (moved.length === 0) return found;
  const ids = moved.map((event) => transferOf(event)!);
  const money = await findMoney(sql, ids);
  for (const [index, { customer, created }] of moved.entries()) {
    const transfer = money[index];
    if (!transfer) continue;
    const sides = [
      { leg: 'from', labelId: transfer.fromId, sequence: transfer.fromSequence, balance: transfer.fromBalance },
      { leg: 'to', labelId: transfer.toId, sequence: transfer.toSequence, balance: transfer.toBalance },
    ] as const;
    for (const { leg, labelId, sequence, balance } of sides) {
      if (!labels.has(labelId)) continue;
      const id = legId(ids[index]!, leg);
      const entry = { labelId, sequence: BigInt(sequence), balance: BigInt(balance), id, created: new Date(created) };
      found.set(customer!, [...(found.get(customer!) ?? []), entry]);
    }
  }
  return found;
}

/** Evaluates entries of a customer's labels in their order: new states and events in one transaction. */
async function evaluateCustomer(tx: Sql, customerId: string, entries: Entry[], now: Date): Promise<void> {
  const bucket = bucketOf(customerId);
  // A reset locks the customer first too, and deletes events before monitors.
  await tx`select 1 from customer where bucket = ${bucket} and id = ${customerId} for key share`;
  const stored = await tx<Monitor>`
    select ${monitorColumns} from balance_monitor
    where bucket = ${bucket} and customer_id = ${customerId} and deleted is null order by id for update`;
  const current = new Map(stored.map((monitor) => [monitor.id, monitor]));
  const crossings: Monitor[] = [];
  for (const entry of entries) {
    for (const monitor of current.values()) {
      if (monitor.labelId !== entry.labelId) continue;
      const next = afterEntry(monitor, entry);
      if (next.crossedEntry !== monitor.crossedEntry) crossings.push(next);
      current.set(monitor.id, next);
    }
  }
  for (const before of stored) {
    const { id, sequence, armed, crossed, crossedBalance, crossedEntry } = current.get(before.id)!;
    if (sequence === before.sequence) continue;
    await tx`
      update balance_monitor set sequence = ${sequence}, armed = ${armed}, crossed = ${crossed}, crossed_balance = ${crossedBalance},
        crossed_entry = ${crossedEntry}
      where bucket = ${bucket} and id = ${id}`;
  }
  for (const { id, accountId } of crossings) {
    const event = { bucket, accountId, customerId, topic: 'customer_label_balance_crossed', resourceId: id };
    await writeEvent(tx, event, now);
  }
}
