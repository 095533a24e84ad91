// Differences between a log and the rows that a later entry may explain: a change of texts, a removal, or an erasure.
import type { Sql } from '../../platform/db/sql.ts';
import type { Breach } from '../breach.ts';

export type OpenDetails = {
  /** A difference that a later entry may explain. `key`: begins with the id of the resource. */
  leaveOpen(key: string, breach: Breach): void;
  settle(key: string): void;
  /** An entry has details of a customer whose salt is missing. */
  lackSalt(customerId: string, breach: Breach): void;
  erase(customerId: string): void;
  /** The differences that nothing explains: neither the log up to a position of the feed, nor a later event. */
  close(sql: Sql, log: { accountId: string; last: bigint }): Promise<Breach[]>;
};

const BREACHES_MAX = 100;
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
    async close(sql, { accountId, last }) {
      const breaches: Breach[] = [];
      for (const [key, breach] of open) {
        if (breaches.length === BREACHES_MAX) break;
        const resourceId = key.slice(0, ID_LENGTH);
        const later = await sql`
          select 1 from event where resource_id = ${resourceId} and account_id = ${accountId} and position > ${last} limit 1`;
        if (later.length > 0) continue;
        const waiting = await sql`select 1 from event_outbox where ${resourceId}::uuid = any (ids) limit 1`;
        if (waiting.length === 0) breaches.push(breach);
      }
      return breaches;
    },
  };
}
