// Refused sign-ins of nobody in particular in the audit log: at most one row a minute for each source, and so many rows a minute for all.
import { writeAudit } from '../../ledger/audit/audit.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { openRate } from '../../platform/http/rate.ts';
import type { Peers } from '../../platform/worker-coordination.ts';

export type Refusals = {
  /** Writes a row, or counts the refusal for the next row of its source. */
  note(refusal: { source: string; method: string }): Promise<void>;
  /** Writes what has been counted, of sources that had no row within a minute. `isLast`: of all. */
  flush(options?: { isLast: boolean }): Promise<void>;
};

type Counted = { refusals: number; methods: Set<string> };

/** How often to flush. */
export const FLUSH_EVERY_MS = 60_000;
const PER_SOURCE = { perSecond: 1 / 60, burst: 1 };
/** Some ten megabytes a day, at most. */
const PER_SERVICE = { perSecond: 20 / 60, burst: 20 };
/** Further sources are counted together. */
const SOURCES_MAX = 1_000;
const OTHERS = 'other addresses';

export function openRefusals(sql: Sql, peers: Peers | undefined): Refusals {
  const shared = (name: string, limit: typeof PER_SOURCE) => {
    const rate = openRate(limit);
    return peers?.shareRate(name, rate) ?? rate;
  };
  const [ofSource, ofService] = [shared('refusals', PER_SOURCE), shared('all refusals', PER_SERVICE)];
  const counted = new Map<string, Counted>();
  let others: Counted | undefined;

  async function write(place: string, { refusals, methods }: Counted): Promise<void> {
    const detail = { with: [...methods].sort().join(', '), ...(refusals > 1 && { refusals }) };
    await writeAudit(sql, { operatorId: null, name: 'unknown', place }, { action: 'sign_in_refused', detail });
  }

  return {
    async note({ source, method }) {
      const one = { refusals: 1, methods: new Set([method]) };
      const known = counted.get(source);
      if (known || (counted.size < SOURCES_MAX && ofSource.take(source) > 0)) counted.set(source, sum(known, one));
      else if (counted.size < SOURCES_MAX && ofService.take('') === 0) await write(source, one);
      else others = sum(others, one);
    },
    async flush({ isLast } = { isLast: false }) {
      for (const [source, known] of [...counted]) {
        if (ofSource.take(source) > 0 && !isLast) continue;
        counted.delete(source);
        if (ofService.take('') === 0) await write(source, known);
        else others = sum(others, known);
      }
      const rest = others;
      others = undefined;
      if (rest) await write(OTHERS, rest);
    },
  };
}

function sum(known: Counted | undefined, more: Counted): Counted {
  return known ? { refusals: known.refusals + more.refusals, methods: known.methods.union(more.methods) } : more;
}
