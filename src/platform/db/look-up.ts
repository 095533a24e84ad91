// Look-ups by id. Those that wait at the same time share one statement, as writes share a commit: a statement costs the service more than
// its rows do.
import { bucketOf } from '../../core/ids.ts';
import { bucketArray, uuidArray } from './binary-array.ts';
import { type Fragment, fragment, type Sql } from './sql.ts';
import { withTimeout } from './unavailable.ts';

/** Selects at most one row, and ends with its conditions. `bucket` and `id` are values, or columns of the ids of a shared statement. */
type Select = (key: { bucket: number | Fragment; id: string | Fragment }) => Fragment;
type LookUp<Row> = (sql: Sql, id: string) => Promise<Row | undefined>;
type Waiting<Row> = { id: string; resolve: (row: Row | undefined) => void; reject: (error: unknown) => void };
type Queue<Row> = { waiting: Waiting<Row>[]; isAsking: boolean };
type Sharing = { isByBucket: boolean };

/** The ids of one statement, at most. */
const TOGETHER_MAX = 200;
/**
 * Others do not wait longer for a statement: later ones start, and the ids of a shared one are looked up one by one. With
 * LIMITS.request, all of this ends within ten seconds.
 */
const TOGETHER_MS = 400;

const sharing = new WeakMap<Sql, Sharing>();

/** Lets the look-ups of a pool share statements. `isByBucket`, on a cluster: those of one bucket, whose rows are on one worker. */
export function shareLookUps(sql: Sql, { isByBucket }: Sharing): void {
  sharing.set(sql, { isByBucket });
}

/**
 * Makes a look-up of a row by its id; undefined if there is none. It shares statements of a pool that `shareLookUps` names. Elsewhere, as
 * in a transaction, each is a separate statement. A row is never older than the call: a statement takes the ids that wait when it starts.
 */
export function lookUp<Row extends object>(select: Select): LookUp<Row> {
  const ask = openStatements<Row>(select);
  const queuesOf = new WeakMap<Sql, Map<number, Queue<Row>>>();

  function queueOf(sql: Sql, part: number): Queue<Row> {
    const queues = queuesOf.get(sql) ?? new Map<number, Queue<Row>>();
    queuesOf.set(sql, queues);
    const queue = queues.get(part) ?? { waiting: [], isAsking: false };
    queues.set(part, queue);
    return queue;
  }

  async function askAll(sql: Sql, queue: Queue<Row>, { isByBucket }: Sharing): Promise<void> {
    while (queue.waiting.length > 0) {
      const asked = queue.waiting.splice(0, TOGETHER_MAX);
      const [one] = asked as [Waiting<Row>];
      if (asked.length > 1) await askTogether(sql, asked, isByBucket);
      else await withTimeout(TOGETHER_MS, askAlone(sql, one)).catch(() => {});
    }
    queue.isAsking = false;
  }

  async function askTogether(sql: Sql, asked: Waiting<Row>[], isByBucket: boolean): Promise<void> {
    const ids = asked.map(({ id }) => id);
    try {
      const rows = await withTimeout(TOGETHER_MS, isByBucket ? ask.ofBucket(sql, ids) : ask.together(sql, ids));
      for (const [index, { resolve }] of asked.entries()) resolve(rows[index]);
    } catch {
      // Not awaited: an id that fails or is slow delays nobody else.
      for (const one of asked) void askAlone(sql, one);
    }
  }

  function askAlone(sql: Sql, { id, resolve, reject }: Waiting<Row>): Promise<void> {
    return ask.alone(sql, id).then(resolve, reject);
  }

  return (sql, id) => {
    const how = sharing.get(sql);
    if (!how) return ask.alone(sql, id);
    const queue = queueOf(sql, how.isByBucket ? bucketOf(id) : 0);
    const { promise, resolve, reject } = Promise.withResolvers<Row | undefined>();
    queue.waiting.push({ id, resolve, reject });
    if (!queue.isAsking) {
      queue.isAsking = true;
      // After the requests that have arrived with this one.
      setImmediate(() => askAll(sql, queue, how));
    }
    return promise;
  };
}

/** The statements of a look-up. Rows of several ids are in the order of the ids. `limit` keeps the planner at the key of the table. */
function openStatements<Row extends object>(select: Select) {
  const ofColumns = select({ bucket: fragment`w.bucket`, id: fragment`w.id` });
  return {
    alone: async (sql: Sql, id: string) => (await sql<Row>`${select({ bucket: bucketOf(id), id })}`)[0],
    together: async (sql: Sql, ids: string[]) =>
      inOrder(
        ids.length,
        await sql<Row & { place: number }>`
          select w.place::int as place, r.*
          from unnest(${bucketArray(ids)}::int[], ${uuidArray(ids)}::uuid[]) with ordinality as w (bucket, id, place)
          cross join lateral (${ofColumns} limit 1) r`,
      ),
    ofBucket: async (sql: Sql, ids: string[]) =>
      inOrder(
        ids.length,
        await sql<Row & { place: number }>`
          select w.place::int as place, r.*
          from unnest(${uuidArray(ids)}::uuid[]) with ordinality as w (id, place)
          cross join lateral (${select({ bucket: bucketOf(ids[0]!), id: fragment`w.id` })} limit 1) r`,
      ),
  };
}

function inOrder<Row extends object>(length: number, found: (Row & { place: number })[]): (Row | undefined)[] {
  const rows: (Row | undefined)[] = Array.from({ length });
  for (const row of found) rows[row.place - 1] = row;
  return rows;
}
