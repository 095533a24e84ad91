// Parts of a range of buckets: so few rows that no query is long, also where one customer has most of the ledger.
import { planWithout } from '../../platform/db/plan.ts';
import { type Fragment, fragment, identifier, type Sql } from '../../platform/db/sql.ts';
import type { Range } from '../breach.ts';

/** A row by the columns that a part is divided by. `sequence`: of an entry. */
type Place = { bucket: number; id: string; sequence: bigint | null };
/** What the entries of an account before a place add up to. Numbers and times as text. */
type Begun = { total: string; entries: string; sent: string; oldest: string; newest: string };

/** The rows of a range after one place and up to another. `begun`: of the account of `after`, whose entries began in earlier parts. */
export type Part = Range & { after?: Place; upTo?: Place; begun?: Begun | undefined };

/** By what the rows of a rule are divided, in the order of an index. Rows that a rule adds up are of one place, or entries. */
export type Division = keyof typeof COLUMNS;

/** Runs statements in one new snapshot. */
export type Read = <Result>(work: (tx: Sql) => Promise<Result>) => Promise<Result>;

type Columns = { table: string; id: string; sequence?: string; isPresent: string };

const COLUMNS = {
  entries: { table: 'ledger_entry', id: 'ledger_account_id', sequence: 'sequence', isPresent: 'true' },
  transfers: { table: 'transfer', id: 'from_id', sequence: 'from_sequence', isPresent: 'from_sequence > 0' },
  arrivals: { table: 'transfer', id: 'to_id', sequence: 'to_sequence', isPresent: 'to_sequence > 0' },
  deposits: { table: 'transfer', id: 'deposit_id', isPresent: 'deposit_id is not null' },
  reversals: { table: 'transfer', id: 'reverses', isPresent: 'reverses is not null' },
  returns: { table: 'transfer', id: 'return_id', isPresent: 'return_id is not null' },
  captures: { table: 'transfer', id: 'hold_id', isPresent: 'hold_id is not null' },
  events: { table: 'event', id: 'id', isPresent: 'true' },
} satisfies Record<string, Columns>;

const NOTHING = fragment``;

/** Divides a range into parts of about so many rows, each found before it is read. */
export async function* partsOf(read: Read, range: Range, by: Division | undefined, rows: number): AsyncGenerator<Part> {
  let part: Part = range;
  for (;;) {
    const upTo = by && (await read((tx) => findPlace(tx, part, by, rows)));
    if (!upTo) break;
    const ended: Part = { ...part, upTo };
    yield ended;
    part = { ...range, after: upTo, begun: by === 'entries' ? await read((tx) => sumUp(tx, ended)) : undefined };
  }
  yield part;
}

async function findPlace(tx: Sql, part: Part, by: Division, rows: number): Promise<Place | undefined> {
  // Rows in the order of an index, which are not sorted: of entries, each side by its own.
  await planWithout(tx, ['bitmapscan']);
  const sides = by === 'entries' ? (['transfers', 'arrivals'] as const) : [by];
  const found = sides.map((side) => {
    const { table, id, sequence }: Columns = COLUMNS[side];
    return fragment`(
      select bucket, ${identifier(id)} as id, ${identifier(sequence ?? 'null::bigint')} as sequence from ${identifier(table)}
      where ${within(part, side)}
      order by bucket, ${identifier(sequence === undefined ? id : `${id}, ${sequence}`)} limit ${rows + 1})`;
  });
  const [place] = await tx<Place>`
    select bucket, id, sequence from (${found.reduce((one, other) => fragment`${one} union all ${other}`)}) place
    order by bucket, id, sequence offset ${rows} limit 1`;
  return place;
}

/** The condition of the rows of a part. `of`: the alias of the table. Entries include the one at `after`, with which the next is compared. */
export function within(part: Part, by: Division, of?: string): Fragment {
  const { id, sequence, isPresent }: Columns = COLUMNS[by];
  const name = (column: string) => (of === undefined ? column : `${of}.${column}`);
  const columns = ['bucket', id, ...(sequence === undefined ? [] : [sequence])].map(name);
  const present = isPresent === 'true' ? NOTHING : identifier(`and ${name(isPresent)}`);
  return fragment`${between(part, columns, by === 'entries' ? '>=' : '>')} ${present}`;
}

/** The condition of rows of another table that the places of a part name. */
export function between({ first, last, after, upTo }: Part, columns: string[], from: '>' | '>=' = '>'): Fragment {
  const place = identifier(`(${columns.join(', ')})`);
  const rowOf = ({ bucket, id, sequence }: Place) =>
    columns.length === 2 ? fragment`(${bucket}::int, ${id}::uuid)` : fragment`(${bucket}::int, ${id}::uuid, ${sequence}::bigint)`;
  return fragment`${identifier(columns[0]!)} between ${first} and ${last}
    ${after ? fragment`and ${place} ${identifier(from)} ${rowOf(after)}` : NOTHING}
    ${upTo ? fragment`and ${place} <= ${rowOf(upTo)}` : NOTHING}`;
}

/** Whether an entry is of a part, and not the one before it. */
export function isNew({ after }: Part): Fragment {
  if (!after) return fragment`true`;
  return fragment`(bucket, ledger_account_id, sequence) > (${after.bucket}::int, ${after.id}::uuid, ${after.sequence}::bigint)`;
}

/** The condition of accounts, in a column, whose entries end in a part. */
export function endsIn({ first, last, after, upTo }: Part, id: string): Fragment {
  const account = identifier(`(bucket, ${id})`);
  return fragment`bucket between ${first} and ${last}
    ${after ? fragment`and ${account} >= (${after.bucket}::int, ${after.id}::uuid)` : NOTHING}
    ${upTo ? fragment`and ${account} < (${upTo.bucket}::int, ${upTo.id}::uuid)` : NOTHING}`;
}

/** What the entries of each account add up to: those of a part, and those before. `condition`: of the entries. */
export function entrySums(part: Part, condition: Fragment): Fragment {
  const { after, begun } = part;
  const before = (value: string | undefined, type: string, otherwise: string) =>
    begun && after
      ? fragment`case when bucket = ${after.bucket}::int and ledger_account_id = ${after.id}::uuid then ${value}::${identifier(type)} else ${identifier(otherwise)} end`
      : identifier(otherwise);
  return fragment`
    select bucket, ledger_account_id as id, sum(amount) + ${before(begun?.total, 'numeric', '0')} as total,
      count(*) + ${before(begun?.entries, 'bigint', '0')} as entries,
      count(*) filter (where kind = 'reallocation' and amount < 0) + ${before(begun?.sent, 'bigint', '0')} as sent,
      least(min(created), ${before(begun?.oldest, 'timestamptz', 'null')}) as oldest,
      greatest(max(created), ${before(begun?.newest, 'timestamptz', 'null')}) as newest
    from ledger_entry where ${within(part, 'entries')} and ${condition}
    group by bucket, ledger_account_id`;
}

/** Of the account at the end of a part, before that place. */
async function sumUp(tx: Sql, part: Part & { upTo?: Place }): Promise<Begun | undefined> {
  const { bucket, id, sequence } = part.upTo!;
  const ofAccount = fragment`bucket = ${bucket} and ledger_account_id = ${id} and sequence < ${sequence}`;
  const [begun] = await tx<Begun>`
    select total::text, entries::text, sent::text, oldest::text, newest::text from (${entrySums(part, ofAccount)}) sums`;
  return begun;
}
