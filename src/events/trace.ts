// Trace contexts of events, stored for the deliveries of their webhooks. Written only while tracing is on.
import type { Sql } from '../db/sql.ts';
import { bucketOf } from '../ids.ts';
import { currentRequest } from '../telemetry/current.ts';
import { readTraceparent, type SpanContext, writeTraceparent } from '../telemetry/trace.ts';

export type Traced = { eventId: string; span: SpanContext };

const PRUNE_BATCH = 10_000;

/** Stores the trace context of the current request for one of its events, if the request is traced. */
export async function traceEvent(tx: Sql, eventId: string): Promise<void> {
  const span = currentRequest()?.span;
  if (span) await storeTraces(tx, [{ eventId, span }]);
}

export async function storeTraces(sql: Sql, traced: Traced[]): Promise<void> {
  const ids = traced.map(({ eventId }) => eventId);
  await sql`
    insert into event_trace (bucket, event_id, traceparent)
    select * from unnest(${ids.map(bucketOf)}::int[], ${ids}::uuid[], ${traced.map(({ span }) => writeTraceparent(span))}::text[])
    on conflict do nothing`;
}

/** The stored trace contexts of events, by event id. */
export async function findTraces(sql: Sql, eventIds: string[]): Promise<Map<string, SpanContext>> {
  const rows = await sql<{ eventId: string; traceparent: string }>`
    select t.event_id, t.traceparent
    from unnest(${eventIds.map(bucketOf)}::int[], ${eventIds}::uuid[]) as w (bucket, event_id)
    join lateral (select * from event_trace t where t.bucket = w.bucket and t.event_id = w.event_id limit 1) t on true`;
  return new Map(
    rows.flatMap(({ eventId, traceparent }) => {
      const read = readTraceparent(traceparent);
      return read ? [[eventId, read.context] as const] : [];
    }),
  );
}

/** Deletes trace contexts older than `olderThanMs` in batches, until none is left or the signal aborts. Returns the number of deleted rows. */
export async function pruneTraces(
  sql: Sql,
  { olderThanMs, signal }: { olderThanMs: number; signal: AbortSignal },
): Promise<number> {
  let pruned = 0;
  for (let rows = PRUNE_BATCH; rows === PRUNE_BATCH && !signal.aborted; pruned += rows) {
    const deleted = await sql`
      delete from event_trace
      where ctid = any (array(
        select ctid from event_trace where created < now() - ${olderThanMs} * interval '1 millisecond' limit ${PRUNE_BATCH}))
      returning 1`;
    rows = deleted.length;
  }
  return pruned;
}
