// Requests of each application in the last two days, with those that were refused: counted in memory, and added to the database in the
// background.
import type { FastifyBaseLogger } from 'fastify';
import { fragment, type Sql } from '../../platform/db/sql.ts';

export type Calls = {
  /** Counts a request, in memory. */
  count(applicationId: string, isRefused: boolean): void;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** `day`: the last 24 hours. `hour`: the last 60 minutes, at most five fewer. */
export type CallReport = { day: Counts; hour: Counts };
export type Counts = { calls: bigint; refusals: bigint };

type Counted = { calls: number; refusals: number };

const FLUSH_EVERY_MS = 10_000;
export const NO_CALLS: CallReport = { day: { calls: 0n, refusals: 0n }, hour: { calls: 0n, refusals: 0n } };

export function openCalls({ sql, log }: { sql: Sql; log: FastifyBaseLogger }): Calls {
  let counted = new Map<string, Counted>();
  let writing = Promise.resolve();
  let next: Promise<void> | undefined;

  function add(id: string, calls: number, refusals: number): void {
    const former = counted.get(id);
    if (former) {
      former.calls += calls;
      former.refusals += refusals;
    } else counted.set(id, { calls, refusals });
  }

  async function write(): Promise<void> {
    if (counted.size === 0) return;
    const written = counted;
    counted = new Map();
    try {
      await addCalls(sql, written);
    } catch (error) {
      for (const [id, { calls, refusals }] of written) add(id, calls, refusals);
      log.debug({ err: error }, 'could not store the calls of applications');
    }
  }

  /** One write at a time. Callers that wait for it share the next one. */
  function flush(): Promise<void> {
    next ??= writing.then(() => {
      next = undefined;
      writing = write();
      return writing;
    });
    return next;
  }

  const timer = setInterval(flush, FLUSH_EVERY_MS).unref();
  return {
    count: (id, isRefused) => add(id, 1, isRefused ? 1 : 0),
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Sorted, so that two processes never wait for each other in a circle. */
async function addCalls(sql: Sql, counted: Map<string, Counted>): Promise<void> {
  const ids = [...counted.keys()].sort();
  const [calls, refusals] = [ids.map((id) => counted.get(id)!.calls), ids.map((id) => counted.get(id)!.refusals)];
  await sql`
    insert into application_calls as a (application_id, period, calls, refusals)
    select c.id, date_bin(interval '5 minutes', now(), timestamptz 'epoch'), c.calls, c.refusals
    from unnest(${ids}::uuid[], ${calls}::bigint[], ${refusals}::bigint[]) as c (id, calls, refusals)
    order by c.id
    on conflict (application_id, period) do update set calls = a.calls + excluded.calls, refusals = a.refusals + excluded.refusals`;
  await sql`delete from application_calls where application_id = any(${ids}) and period <= now() - interval '2 days'`;
}

/** The requests of all applications in the periods from one time until another. A period has five minutes. */
export async function callsBetween(sql: Sql, from: Date, until: Date): Promise<Counts> {
  const [row] = await sql<Counts>`
    select coalesce(sum(calls), 0)::bigint as calls, coalesce(sum(refusals), 0)::bigint as refusals
    from application_calls where period >= ${from} and period < ${until}`;
  return row!;
}

/** The requests of the `most` applications with the most calls since `from`, by steps of time since `since`, which is earlier. */
export async function callsOfBusiest(
  sql: Sql,
  { since, from, stepSeconds, most }: { since: Date; from: Date; stepSeconds: number; most: number },
): Promise<{ id: string; name: string; at: Date; calls: bigint }[]> {
  return sql<{ id: string; name: string; at: Date; calls: bigint }>`
    select a.id, a.name, date_bin(make_interval(secs => ${stepSeconds}), c.period, ${since}) as at, sum(c.calls)::bigint as calls
    from (
      select application_id as id, sum(calls) as in_all from application_calls where period >= ${from}
      group by application_id order by in_all desc, application_id limit ${most}
    ) b
    join application a on a.id = b.id
    join application_calls c on c.application_id = b.id and c.period >= ${since}
    group by a.id, a.name, b.in_all, at order by b.in_all desc, a.id, at`;
}

/** The requests of applications, by id: of all, or of one. */
export async function reportCalls(sql: Sql, id?: string): Promise<Map<string, CallReport>> {
  const one = id === undefined ? fragment`true` : fragment`application_id = ${id}`;
  const inHour = fragment`filter (where period > now() - interval '1 hour')`;
  const rows = await sql<Counts & { id: string; hourCalls: bigint; hourRefusals: bigint }>`
    select application_id as id, sum(calls)::bigint as calls, sum(refusals)::bigint as refusals,
      coalesce(sum(calls) ${inHour}, 0)::bigint as hour_calls, coalesce(sum(refusals) ${inHour}, 0)::bigint as hour_refusals
    from application_calls where ${one} and period > now() - interval '1 day' group by application_id`;
  return new Map(
    rows.map(({ id, calls, refusals, hourCalls, hourRefusals }) => [
      id,
      { day: { calls, refusals }, hour: { calls: hourCalls, refusals: hourRefusals } },
    ]),
  );
}
