// Searches the transfers of an account, or of all accounts: by id, text, amount and time. Each page examines a bounded number of rows.
import { bucketOf, LAST_ID, parseLegId } from '../../core/ids.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import type { Period } from './past.ts';
import { type StoredTransfer, storedTransfer } from './transfer.ts';

/** `accountId`: undefined for all accounts. `amount`: in minor units, of a currency. `after`: the id of the transfer before the page. */
export type TransferSearch = Period & {
  accountId: string | undefined;
  id?: string | undefined;
  reference?: string | undefined;
  correlationId?: string | undefined;
  externalId?: string | undefined;
  amount?: bigint | undefined;
  currency?: string | undefined;
  after?: string | undefined;
  limit: number;
};

/** `next`: how the search continues: after the last transfer of the page, or before a time up to which nothing else matches. */
export type FoundTransfers = { transfers: StoredTransfer[]; next: { after: string } | { before: Date } | undefined };

type Found = { ids: string[]; examined: bigint; oldest: Date | null };
type Place = { id: string; created: Date | 'infinity' };

/** The maximum number of rows of one page, matching or not. */
export const EXAMINED_MAX = 5_000;
const EXAMINED_FIRST = 500;

/** The transfers found, newest first. `tooMany`: more than `EXAMINED_MAX` have the text. `afterUnknown`: no transfer has the id `after`. */
export async function searchTransfers(sql: Sql, search: TransferSearch): Promise<FoundTransfers | 'tooMany' | 'afterUnknown'> {
  const { id, reference, correlationId, externalId, accountId, after, limit } = search;
  if (id !== undefined) {
    const transferId = parseLegId(id)?.transferId ?? id;
    return { transfers: await readTransfers(sql, [transferId], accountId), next: undefined };
  }
  const [last] = after === undefined ? [] : await readTransfers(sql, [after], accountId);
  if (after !== undefined && !last) return 'afterUnknown';
  const place: Place = last ?? { id: LAST_ID, created: 'infinity' };
  const isTexted = reference !== undefined || correlationId !== undefined || externalId !== undefined;
  const found = isTexted ? await findByText(sql, search, place) : await findByTimeInSteps(sql, search, place);
  if (isTexted && found.examined > EXAMINED_MAX) return 'tooMany';
  const transfers = await readTransfers(sql, found.ids.slice(0, limit), accountId);
  if (found.ids.length > limit) return { transfers, next: { after: transfers.at(-1)!.id } };
  const hasMore = !isTexted && found.examined >= EXAMINED_MAX;
  return { transfers, next: hasMore ? { before: found.oldest! } : undefined };
}

/** How many transfers of all accounts were made after one, up to a number; of all if there is none with the id. */
export async function countTransfers(sql: Sql, { after, most }: { after: string; most: number }): Promise<number> {
  const [last] = await sql<{ created: Date }>`select created from transfer where bucket = ${bucketOf(after)} and id = ${after}`;
  const since = last?.created ?? '-infinity';
  const [row] = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from transfer where created > ${since} and amount > 0 limit ${most}) t`;
  return row!.count;
}

/** Transfers of the account, newest first. Reads each by its key. */
async function readTransfers(sql: Sql, ids: string[], accountId: string | undefined): Promise<StoredTransfer[]> {
  if (ids.length === 0) return [];
  return sql<StoredTransfer>`
    select ${storedTransfer(fragment`t.bucket`)}
    from transfer t
    join lateral (select * from ledger_account f where f.bucket = t.bucket and f.id = t.from_id limit 1) f on true
    join lateral (select * from ledger_account g where g.bucket = t.bucket and g.id = t.to_id limit 1) g on true
    where t.bucket = any (${ids.map(bucketOf)}) and t.id = any (${ids}) ${ofAccount(accountId)}
    order by t.created desc, t.id desc`;
}

/** All transfers with the text, which are few; sorts them. */
function findByText(sql: Sql, search: TransferSearch, place: Place): Promise<Found> {
  const { reference, correlationId, externalId } = search;
  const texts = fragment`true
    ${reference === undefined ? fragment`` : fragment`and reference = ${reference}`}
    ${correlationId === undefined ? fragment`` : fragment`and correlation_id = ${correlationId}`}
    ${externalId === undefined ? fragment`` : fragment`and external_id = ${externalId}`}`;
  const examined = fragment`
    select id, bucket, from_id, created, amount, currency from transfer where ${texts} ${within(search)} limit ${EXAMINED_MAX + 1}`;
  return findIn(sql, search, examined, place);
}

/** Most searches find a page among the newest rows. */
async function findByTimeInSteps(sql: Sql, search: TransferSearch, place: Place): Promise<Found> {
  const found = await findByTime(sql, search, place, EXAMINED_FIRST);
  const isEnough = found.ids.length > search.limit || found.examined < EXAMINED_FIRST;
  return isEnough ? found : findByTime(sql, search, place, EXAMINED_MAX);
}

/** Transfers in the order of time. Those of one moment are examined together, so that the search can continue before it. */
function findByTime(sql: Sql, search: TransferSearch, place: Place, most: number): Promise<Found> {
  const examined = fragment`
    select id, bucket, from_id, created, amount, currency from transfer
    where created <= ${place.created} and amount > 0 ${within(search)}
    order by created desc fetch first ${most} rows with ties`;
  return findIn(sql, search, examined, place);
}

async function findIn(sql: Sql, search: TransferSearch, examined: Fragment, place: Place): Promise<Found> {
  const { accountId, amount, currency, limit } = search;
  const isMoney = fragment`
    ${amount === undefined ? fragment`` : fragment`and t.amount = ${amount}`}
    ${currency === undefined ? fragment`` : fragment`and t.currency = ${currency}`}`;
  const [found] = await sql<Found>`
    with examined as materialized (${examined})
    select (select count(*) from examined) as examined, (select min(created) from examined) as oldest,
      array (
        select t.id from examined t join ledger_account f on f.bucket = t.bucket and f.id = t.from_id
        where (t.created, t.id) < (${place.created}, ${place.id}) ${isMoney} ${ofAccount(accountId)}
        order by t.created desc, t.id desc limit ${limit + 1}
      ) as ids`;
  return found!;
}

/** Uses no index, which would begin with all ledger accounts of the account. */
function ofAccount(accountId: string | undefined): Fragment {
  return accountId === undefined ? fragment`` : fragment`and f.account_id is not distinct from ${accountId}`;
}

function within({ from, before }: Period): Fragment {
  return fragment`${from ? fragment`and created >= ${from}` : fragment``} ${before ? fragment`and created < ${before}` : fragment``}`;
}
