// The rule of batches: their results are those of the transfers that are stored.
import { bucketOf } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach, type Range } from '../breach.ts';

/** `moved` and `paid`: the ids of the reallocations and of the withdrawals that the results name. */
type Batch = { bucket: number; id: string; accountId: string; mode: string; total: number; moved: string[]; paid: string[] };
type Made = { id: string; kind: string; accountId: string | null; customerId: string };

/** How many batches are compared at once. */
const ROWS = 16;

/** Finds batches that name a missing transfer, one of another kind, or one of another account; and atomic ones that are not whole. */
export async function findBatchBreaches(sql: Sql, { first, last }: Range): Promise<Breach[]> {
  const breaches: Breach[] = [];
  for (let batches = await read(sql, { first, last }); batches.length > 0 && breaches.length < BREACHES_MAX; ) {
    const stored = await findMade(
      sql,
      batches.flatMap(({ moved, paid }) => [...moved, ...paid]),
    );
    for (const batch of batches) {
      const detail = faultOf(batch, stored);
      // A reset during the comparison deletes the transfers.
      if (detail !== undefined && (await exists(sql, batch))) breaches.push({ bucket: batch.bucket, id: batch.id, detail });
    }
    batches = await read(sql, { first, last }, batches.at(-1));
  }
  return breaches.slice(0, BREACHES_MAX);
}

function read(sql: Sql, { first, last }: Range, after?: Batch): Promise<Batch[]> {
  return sql<Batch>`
    select bucket, id, account_id, mode, jsonb_array_length(results || withdrawals) as total,
      array(select result #>> '{}' from jsonb_array_elements(results) result where jsonb_typeof(result) = 'string') as moved,
      array(select result #>> '{}' from jsonb_array_elements(withdrawals) result where jsonb_typeof(result) = 'string') as paid
    from label_reallocation_batch
    where bucket between ${after?.bucket ?? first} and ${last} and (${after?.id}::uuid is null or (bucket, id) > (${after?.bucket}::int, ${after?.id}))
    order by bucket, id limit ${ROWS}`;
}

/** An outer join: the planner might begin with the accounts of a bucket otherwise. */
async function findMade(sql: Sql, ids: string[]): Promise<Map<string, Made>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<Made>`
    select t.id, t.kind, t.customer_id, a.account_id
    from unnest(${`{${ids.map(bucketOf).join(',')}}`}::int[], ${`{${ids.join(',')}}`}::uuid[]) as w (bucket, id)
    join transfer t on t.bucket = w.bucket and t.id = w.id
    left join ledger_account a on a.bucket = t.bucket and a.id = t.from_id`;
  return new Map(rows.map((row) => [row.id, row]));
}

function faultOf({ accountId, mode, total, moved, paid }: Batch, stored: Map<string, Made>): string | undefined {
  for (const [kind, ids] of Object.entries({ reallocation: moved, withdrawal: paid })) {
    const missing = ids.find((id) => stored.get(id)?.kind !== kind || stored.get(id)?.accountId !== accountId);
    if (missing !== undefined) return `names ${missing}, which is not a ${kind} of its account`;
  }
  const made = [...moved, ...paid];
  if (new Set(made).size < made.length) return 'names a transfer twice';
  if (mode !== 'atomic') return undefined;
  if (made.length < total) return `is atomic and has ${total - made.length} refused items`;
  return new Set(made.map((id) => stored.get(id)!.customerId)).size > 1 ? 'is atomic and of several customers' : undefined;
}

async function exists(sql: Sql, { bucket, id }: Batch): Promise<boolean> {
  const rows = await sql`select 1 from label_reallocation_batch where bucket = ${bucket} and id = ${id}`;
  return rows.length > 0;
}
