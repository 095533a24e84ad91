// The hash chain of the audit log: a trigger extends it, and the ledger check follows it from the rows alone (migrations/0014-operators.sql).
import { createHash } from 'node:crypto';
import { BUCKETS } from '../../core/ids.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach } from '../breach.ts';

/** The end of the chain: the number of entries, and the newest hash in hex. */
export type AuditHead = { auditEntries: number; auditHash: string };

type Link = { number: bigint; entryId: string; hash: string; stored: string | null; columns: (string | null)[] };

const BUCKET = 0;
const PAGE = 1_000;

/** What the hash covers, in the order of the trigger. */
const COLUMNS = fragment`array[e.id::text, e.operator_id::text, e.actor, e.action, e.resource_type, e.resource_id, e.detail::text, e.place,
  (extract(epoch from e.created) * 1000000)::bigint::text]`;

/** Undefined while nothing is in the audit log. */
export async function findAuditHead(sql: Sql): Promise<AuditHead | undefined> {
  const [row] = await sql<{ number: bigint; hash: string }>`
    select number, encode(hash, 'hex') as hash from audit_chain order by number desc limit 1`;
  return row && { auditEntries: Number(row.number), auditHash: row.hash };
}

/** The hashes after these numbers of entries, by the number. */
export async function findAuditHashes(sql: Sql, numbers: number[]): Promise<Map<number, string>> {
  if (numbers.length === 0) return new Map();
  const rows = await sql<{ number: bigint; hash: string }>`
    select number, encode(hash, 'hex') as hash from audit_chain where number = any (${numbers}::bigint[])`;
  return new Map(rows.map(({ number, hash }) => [Number(number), hash]));
}

/** Finds entries that contradict their hash, gaps, and entries outside the chain. A range of buckets stands for its share of the chain. */
export async function findAuditBreaches(sql: Sql, { first, last }: { first: number; last: number }): Promise<Breach[]> {
  const [row] = await sql<{ end: bigint }>`select coalesce(max(number), 0) as end from audit_chain`;
  const shareOf = (bucket: number) => (row!.end * BigInt(bucket)) / BigInt(BUCKETS);
  const breaches = first === 0 ? await findOutside(sql) : [];
  let after = shareOf(first);
  const until = shareOf(last + 1);
  let before = (await findAuditHashes(sql, [Number(after)])).get(Number(after)) ?? '';
  while (after < until && breaches.length < BREACHES_MAX) {
    const links = await readLinks(sql, { after, until });
    for (const link of links) {
      after += 1n;
      const fault = faultOf(link, { number: after, before });
      if (fault !== undefined) breaches.push({ bucket: BUCKET, id: link.entryId, detail: fault });
      [after, before] = [link.number, link.hash];
    }
    if (links.length === 0) {
      breaches.push({ bucket: BUCKET, id: '', detail: `entries ${after + 1n} to ${until} of the audit log are missing` });
      break;
    }
  }
  return breaches.slice(0, BREACHES_MAX);
}

function readLinks(sql: Sql, { after, until }: { after: bigint; until: bigint }): Promise<Link[]> {
  return sql<Link>`
    select c.number, c.entry_id, encode(c.hash, 'hex') as hash, e.id::text as stored, ${COLUMNS} as columns
    from audit_chain c left join audit_entry e on e.id = c.entry_id
    where c.number > ${after} and c.number <= ${until} order by c.number limit ${PAGE}`;
}

function faultOf({ number, hash, stored, columns }: Link, expected: { number: bigint; before: string }): string | undefined {
  if (number !== expected.number) return `entry ${expected.number} of the audit log is missing`;
  if (stored === null) return `entry ${number} of the audit log was removed`;
  return hashOf(expected.before, columns) === hash ? undefined : `entry ${number} of the audit log was changed`;
}

function hashOf(before: string, columns: (string | null)[]): string {
  const content = columns.map((value) => (value === null ? '-' : `${Buffer.byteLength(value)}:${value}`)).join('');
  return createHash('sha256').update(before, 'hex').update(content).digest('hex');
}

async function findOutside(sql: Sql): Promise<Breach[]> {
  return sql<Breach>`
    select ${BUCKET}::int as bucket, e.id, 'is an entry of the audit log outside its chain' as detail
    from audit_entry e left join audit_chain c on c.entry_id = e.id
    where c.number is null limit ${BREACHES_MAX}`;
}
