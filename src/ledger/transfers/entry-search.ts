// Finds entries of a ledger account by kind, text, amount and time. Each call examines a bounded number of entries.
import { bucketOf } from '../../core/ids.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';
import { type AccountKind, type Entry, shownKind } from './entries.ts';
import type { Sequences } from './past.ts';
import { EXAMINED_MAX } from './transfer-search.ts';

/**
 * `text`: a part of the reference, without regard to case. `amount`: in minor units, of either sign. `otherId`: the account on the other side.
 * All that are given must match.
 */
export type EntryFilter = {
  kind?: Entry['kind'] | undefined;
  text?: string | undefined;
  externalId?: string | undefined;
  metadata?: Record<string, string> | undefined;
  amount?: bigint | undefined;
  otherId?: string | undefined;
};

/** An entry with what refers to its transfer. `reversed`: the sum of its reversals, in minor units. */
export type FoundEntry = Omit<Entry, 'id' | 'otherKind'> & {
  otherKind: AccountKind;
  metadata: Record<string, string> | null;
  holdId: string | null;
  reversed: bigint;
};

/** `rest`: the range that the next call continues with; undefined at the end. */
type Found = { entries: FoundEntry[]; rest: Sequences | undefined };

/** The entries of an account in a range that match, in an order of their sequences. A page may be short, or empty, and have a next one. */
export async function findEntries(
  sql: Sql,
  accountId: string,
  { first, last }: Sequences,
  { filter, limit, order }: { filter: EntryFilter; limit: number; order: 'newest' | 'oldest' },
): Promise<Found> {
  const bucket = bucketOf(accountId);
  const most = BigInt(EXAMINED_MAX);
  const isNewest = order === 'newest';
  const range = isNewest
    ? { first: last - most > first ? last - most : first, last }
    : { first, last: first + most < last ? first + most : last };
  const direction = isNewest ? fragment`desc` : fragment`asc`;
  const entries = await sql<FoundEntry>`
    select w.*, o.kind as other_kind, o.name as other_name,
      coalesce((select sum(r.amount) from transfer r where r.bucket = ${bucket} and r.reverses = w.transfer_id), 0)::bigint as reversed
    from (
      select e.transfer_id, ${shownKind} as kind, e.deposit_id, e.rule_id, e.return_id, e.reference,
        e.correlation_id, e.external_id, e.created, e.sequence, e.amount, e.balance, e.other_id, e.metadata, e.reverses, e.hold_id
      from ledger_entry e
      where e.bucket = ${bucket} and e.ledger_account_id = ${accountId}
        and e.sequence > ${range.first} and e.sequence <= ${range.last} ${matching(filter)}
      order by e.sequence ${direction} limit ${limit}
    ) w
    join lateral (select kind, name from ledger_account o where o.bucket = ${bucket} and o.id = w.other_id limit 1) o on true
    order by w.sequence ${direction}`;
  return {
    entries,
    rest: restOf({ first, last }, { range, isNewest, stopped: entries.length === limit ? entries.at(-1) : undefined }),
  };
}

function matching({ kind, text, externalId, metadata, amount, otherId }: EntryFilter): Fragment {
  const none = fragment``;
  return fragment`
    ${kind === undefined ? none : fragment`and ${shownKind} = ${kind}`}
    ${text === undefined ? none : fragment`and position(lower(${text}) in lower(e.reference)) > 0`}
    ${externalId === undefined ? none : fragment`and e.external_id is not distinct from ${externalId}`}
    ${metadata === undefined ? none : fragment`and e.metadata @> ${metadata}::jsonb`}
    ${otherId === undefined ? none : fragment`and e.other_id = ${otherId}`}
    ${amount === undefined ? none : fragment`and abs(e.amount) = ${amount < 0n ? -amount : amount}`}`;
}

/** What is left of a range after a page: behind the entry at which it stopped, or behind what was examined. */
function restOf(
  { first, last }: Sequences,
  { range, isNewest, stopped }: { range: Sequences; isNewest: boolean; stopped: FoundEntry | undefined },
): Sequences | undefined {
  const rest = isNewest
    ? { first, last: stopped ? stopped.sequence - 1n : range.first }
    : { first: stopped ? stopped.sequence : range.last, last };
  return rest.first < rest.last ? rest : undefined;
}
