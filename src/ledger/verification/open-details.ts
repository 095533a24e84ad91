// Differences between a log and the rows that a later entry may explain: a change of texts, a removal, or an erasure.
import type { Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach } from '../breach.ts';

/** A log that was compared up to a position of the feed. */
type Compared = { accountId: string; last: bigint };

export type OpenDetails = {
  /** A difference that a later entry may explain. `key`: begins with the id of the resource. */
  leaveOpen(key: string, breach: Breach): void;
  settle(key: string): void;
  /** An entry has details of a customer whose salt is missing. */
  lackSalt(customerId: string, breach: Breach): void;
  erase(customerId: string): void;
  /** The differences that nothing explains: neither the log up to a position of the feed, nor a later event. */
  close(sql: Sql, log: Compared): Promise<Breach[]>;
};

const ID_LENGTH = 36;

/** In memory that grows with what was changed after its first entry. */
export function openDetails(): OpenDetails {
  const open = new Map<string, Breach>();
  const erased = new Set<string>();
  const saltOf = (customerId: string) => `${customerId} salt`;
  return {
    leaveOpen: (key, breach) => void open.set(key, breach),
    settle: (key) => void open.delete(key),
    lackSalt(customerId, breach) {
      if (!erased.has(customerId)) open.set(saltOf(customerId), breach);
    },
    erase(customerId) {
      erased.add(customerId);
      open.delete(saltOf(customerId));
    },
    async close(sql, log) {
      const breaches: Breach[] = [];
      for (const [key, breach] of open) {
        if (breaches.length === BREACHES_MAX) break;
        if (!(await isLater(sql, log, key.slice(0, ID_LENGTH)))) breaches.push(breach);
      }
      // Only the next check reads the entries of those events.
      return breaches.length > 0 && (await arePruned(sql, log)) ? [] : breaches;
    },
  };
}

/** Whether a resource has an event after those of the log. The outbox is read first: an event may move to the feed between two statements. */
async function isLater(sql: Sql, { accountId, last }: Compared, resourceId: string): Promise<boolean> {
  const waiting = await sql`select 1 from event_outbox where ${resourceId}::uuid = any (ids) limit 1`;
  if (waiting.length > 0) return true;
  const later = await sql`
    select 1 from event where resource_id = ${resourceId} and account_id = ${accountId} and position > ${last} limit 1`;
  return later.length > 0;
}

/** Whether retention has deleted events after those of the log, which the log got during the comparison. */
async function arePruned(sql: Sql, { accountId, last }: Compared): Promise<boolean> {
  const rows = await sql`
    select 1 from event_head h
    where h.account_id = ${accountId}
      and coalesce((select min(position) from event where account_id = ${accountId}), h.position + 1) > ${last + 1n}`;
  return rows.length > 0;
}
