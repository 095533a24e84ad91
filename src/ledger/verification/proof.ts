// The proof that increments of the ledger check extend: for each bucket, the sum of the hashes of all entries up to a moment.
//
// An entry adds the hash of its account with the number and the balance after it, and subtracts the hash with those before it. So the
// entries of an account that are numbered without gaps, and whose balances follow from each other, add up to the hash of the last one
// minus the hash of an empty account, which the stored account has too. The hash includes customer and currency. Sums are of 64 bits and
// have no order: any part of a history can be added at any time.
import { type Fragment, fragment, identifier, type Sql } from '../../platform/db/sql.ts';
import type { Range } from '../breach.ts';
import { HAS_FORBIDDEN_BALANCE, HAS_REFERENCES_OF_KIND } from './rules.ts';

/** By bucket; null where rules have not passed. Times are texts, because they have microseconds. */
type Proof = { until: string; hashes: (bigint | null)[]; complete: Date | null };
/** `hash`: what is added to a bucket. `isSuspect`: some row breaks a rule by itself. */
export type Sum = { hash: bigint; isSuspect: boolean; transfers: number };
type Row = { bucket: number; hash: string; isSuspect: boolean; transfers: number };
/** Created after the first moment, and up to the second. */
export type Period = { after: string; until: string };

export async function readProof(sql: Sql, { isLocked = false } = {}): Promise<Proof> {
  const [row] = await sql<{ until: string; hashes: (string | null)[]; complete: Date | null }>`
    select until::text, hashes::text[], complete from ledger_proof where id = 1 ${isLocked ? fragment`for update` : fragment``}`;
  const { until, hashes, complete } = row!;
  return { until, hashes: hashes.map((hash) => (hash === null ? null : BigInt(hash))), complete };
}

export async function writeProof(sql: Sql, { until, hashes }: Pick<Proof, 'until' | 'hashes'>): Promise<void> {
  const text = `{${hashes.map((hash) => (hash === null ? 'null' : BigInt.asIntN(64, hash))).join(',')}}`;
  await sql`update ledger_proof set until = ${until}::timestamptz, hashes = ${text}::bigint[] where id = 1`;
}

/** What the transfers of a period add to the proof. */
export async function sumTransfers(sql: Sql, period: Period, range: Range): Promise<Map<number, Sum>> {
  return byBucket(await sql<Row>`select bucket, hash::text, is_suspect, transfers from (${transfersOf(period, range)}) moved`);
}

/** What the stored accounts of a range add up to, minus what the transfers of a period add: the proof at its begin. */
export async function sumAccounts(sql: Sql, period: Period, range: Range): Promise<Map<number, Sum>> {
  return byBucket(
    await sql<Row>`
    select bucket, sum(hash)::text as hash, bool_or(is_suspect) as is_suspect, sum(transfers)::int as transfers
    from (
      ${accountsOf(range)}
      union all
      select bucket, -hash, is_suspect, transfers from (${transfersOf(period, range)}) moved
    ) summand
    group by bucket`,
  );
}

function byBucket(rows: Row[]): Map<number, Sum> {
  return new Map(rows.map(({ bucket, hash, ...rest }) => [bucket, { hash: BigInt.asIntN(64, BigInt(hash)), ...rest }]));
}

/** The reallocations that a label counts are a further summand. */
function transfersOf({ after, until }: Period, { first, last }: Range): Fragment {
  return fragment`
    select bucket, count(*)::int as transfers, bool_or(not ${HAS_REFERENCES_OF_KIND}) as is_suspect,
      sum(${stateOf('from_id', 'from_sequence', 'from_balance')}) - sum(${stateOf('from_id', 'from_sequence - 1', 'from_balance + amount')})
      + sum(${stateOf('to_id', 'to_sequence', 'to_balance')}) - sum(${stateOf('to_id', 'to_sequence - 1', 'to_balance - amount')})
      + coalesce(sum(uuid_hash(from_id)::bigint) filter (where kind = 'reallocation'), 0) as hash
    from transfer
    where created > ${after}::timestamptz and created <= ${until}::timestamptz and amount > 0 and bucket between ${first} and ${last}
    group by bucket`;
}

/** Accounts that nothing has moved add nothing. */
function accountsOf({ first, last }: Range): Fragment {
  return fragment`
    select bucket, sum(${stateOf('id', 'version', 'balance')}) - sum(${stateOf('id', '0', '0')})
      + sum(reallocations_out * uuid_hash(id)::bigint) as hash,
      bool_or(${HAS_FORBIDDEN_BALANCE}) as is_suspect, 0 as transfers
    from ledger_account
    where bucket between ${first} and ${last} and created > '-infinity'
      and (version <> 0 or balance <> 0 or reallocations_out <> 0 or kind not in ('label', 'available', 'external', 'owed'))
    group by bucket`;
}

/** Columns of the source. The balance is hashed twice, because the hash of a bigint mixes its halves. */
function stateOf(account: string, sequence: string, balance: string): Fragment {
  return identifier(
    `uuid_hash_extended(${account}, uuid_hash_extended(customer_id, hashtextextended(currency, hashint8extended((${balance})::bigint, hashint8extended((${balance})::bigint >> 32, ${sequence})))))`,
  );
}
