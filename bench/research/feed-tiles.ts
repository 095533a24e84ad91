// The tile side of feed-is-log.ts: a tail of settled rows of the outbox, and packs of log entries for all before it.
import { encodeEntries } from '../../packages/proof/src/encode-entries.ts';
import { encodeEntry } from '../../packages/proof/src/entry.ts';
import { packEntries, unpackEntries } from '../../packages/proof/src/stored-entries.ts';
import type { Database } from '../../src/platform/db/sql.ts';

/** The events of a row of the outbox, and so of the tail. */
export const ROW = 48;
/** The number that stands for the only topic. */
const TOPIC_NUMBER = 1;

export type Settled = { id: string; customer: string; resourceId: string; created: string; topic: string };
type Pack = { first: number; packed: Buffer; low: number; high: number };

export type Tiles = ReturnType<typeof openTiles>;

/** `size`: entries in a row of log_entries: a tile of 256, or a part of one. */
export function openTiles(database: Database, size: number) {
  const { sql } = database;

  /** Packs events after a position, whole packs only, and with `inPlace` removes them from the tail. Returns their number. */
  async function fold(account: string, after: number, events: Settled[], inPlace: boolean): Promise<number> {
    const whole = events.length - (events.length % size);
    const packs: Pack[] = [];
    for (let n = 0; n < whole; n += size) packs.push(packOf(after + n, events.slice(n, n + size)));
    const of = <T>(value: (pack: Pack) => T) => packs.map(value);
    await database.transaction(async (tx) => {
      await tx`insert into log_entries (account_id, first, entries)
        select ${account}::uuid, first, decode(entries, 'base64')
        from unnest(${of(({ first }) => first)}::bigint[], ${of(({ packed }) => packed.toString('base64'))}::text[]) as w (first, entries)`;
      if (!inPlace) return;
      await tx`insert into feed_tile (account_id, tile, low, high)
        select ${account}::uuid, tile, low, high
        from unnest(${of(({ first }) => first / size)}::bigint[], ${of(({ low }) => low)}::bigint[], ${of(({ high }) => high)}::bigint[])
          as w (tile, low, high)`;
      await tx`insert into feed_tile_topic (account_id, topic, topic_position, tile)
        select ${account}::uuid, ${TOPIC_NUMBER}::int, first, first / ${size}::bigint from unnest(${of(({ first }) => first)}::bigint[]) as w (first)`;
      // Whole rows only: the rest of a row is in the tail and in a pack until the next step.
      await tx`delete from feed_tail where account_id = ${account} and first + array_length(ids, 2) - 1 <= ${after + whole}`;
    });
    return whole;
  }

  /** A page of the tail after a position. */
  async function readTail(account: string, after: number, limit: number): Promise<Settled[]> {
    const rows = await sql<{ first: bigint; topic: string; created: Date; lines: string }>`
      select first, topic, created, (select string_agg(concat_ws(' ', ids[1][n], ids[2][n], ids[3][n]), e'\n') from generate_subscripts(ids, 2) as n) as lines
      from feed_tail where account_id = ${account} and first > ${after - ROW} order by first limit ${Math.ceil(limit / ROW) + 1}`;
    return rows
      .flatMap(({ first, topic, created, lines }) =>
        lines.split('\n').map((line, index) => {
          const [id, customer, resourceId] = line.split(' ') as [string, string, string];
          return { position: Number(first) + index, id, customer, resourceId, created: created.toISOString(), topic };
        }),
      )
      .filter(({ position }) => position > after)
      .slice(0, limit);
  }

  async function readPack(account: string, first: number): Promise<Buffer[] | undefined> {
    const [row] = await sql<{
      entries: Buffer;
    }>`select entries from log_entries where account_id = ${account} and first = ${first}`;
    return row && unpackEntries(row.entries);
  }

  async function newest(account: string, limit: number): Promise<unknown[]> {
    await sql`select settled from settle_tail(10000, 1)`;
    const [head] = await sql<{ position: bigint }>`select position from event_head where account_id = ${account}`;
    return pageAt(account, Number(head!.position) - limit - 1, limit + 1);
  }

  /** The page after an event: the tile that has the event, and those after it. */
  async function pageAfter(account: string, id: string, limit: number): Promise<unknown[]> {
    await sql`select settled from settle_tail(10000, 1)`;
    await sql`select position from event_head where account_id = ${account}`;
    const packs = 1 + Math.ceil(limit / size);
    const time = timeOf(id);
    const tiles = await sql<{ first: bigint; entries: Buffer }>`
      select e.first, e.entries from (
        select tile from feed_tile where account_id = ${account} and high >= ${time} and low <= ${time} order by high limit 1
      ) t join log_entries e on e.account_id = ${account}::uuid and e.first between t.tile * ${size}::bigint and (t.tile + ${packs - 1}::bigint) * ${size}::bigint
      order by e.first`;
    const bundles = [unpackEntries(tiles[0]!.entries)!];
    const index = bundles[0]!.findIndex((entry) => entry.includes(id));
    if (index < 0) return pageAt(account, (await find(account, id)).position, limit);
    let entries = bundles[0]!.slice(index + 1);
    for (const tile of tiles.slice(1)) if (entries.length <= limit) entries = entries.concat(unpackEntries(tile.entries)!);
    const events = entries.slice(0, limit + 1).map((entry) => toEvent(JSON.parse(String(entry))));
    if (events.length > limit) return events;
    const after = Number(tiles[0]!.first) + index + 1 + events.length;
    return [...events, ...(await pageAt(account, after, limit + 1 - events.length))];
  }

  /** Tiles of one statement, then the tail for what they lack. */
  async function pageAt(account: string, after: number, limit: number): Promise<unknown[]> {
    const first = Math.floor(after / size) * size;
    const tiles = await sql<{ first: bigint; entries: Buffer }>`
      select first, entries from log_entries where account_id = ${account} and first between ${first} and ${after + limit - 1} order by first`;
    const found = tiles.flatMap((tile) => {
      const entries = unpackEntries(tile.entries)!;
      const start = Math.max(0, after - Number(tile.first));
      return entries
        .slice(start, start + after + limit - Math.max(after, Number(tile.first)))
        .map((entry) => toEvent(JSON.parse(String(entry))));
    });
    if (found.length >= limit) return found.slice(0, limit);
    return [...found, ...(await readTail(account, after + found.length, limit - found.length))];
  }

  /** Looks in the tiles whose range of times has the time of the id, as in its first 48 bits. */
  async function find(account: string, id: string): Promise<{ position: number; event: unknown }> {
    const time = timeOf(id);
    const tiles = await sql<{ first: bigint; entries: Buffer }>`
      select e.first, e.entries from feed_tile t join log_entries e on e.account_id = t.account_id and e.first = t.tile * ${size}::bigint
      where t.account_id = ${account} and t.high >= ${time} and t.low <= ${time} order by t.high limit 4`;
    for (const tile of tiles) {
      const entries = unpackEntries(tile.entries)!;
      const index = entries.findIndex((entry) => entry.includes(id));
      if (index >= 0) return { position: Number(tile.first) + index + 1, event: toEvent(JSON.parse(String(entries[index]))) };
    }
    throw new Error(`event ${id} is not in ${tiles.length} tiles`);
  }

  return { fold, readTail, readPack, newest, pageAfter, pageAt, find };
}

function packOf(first: number, events: Settled[]): Pack {
  const { bundle } = encodeEntries(events.map(entryOf));
  const times = events.map(({ id }) => timeOf(id));
  return { first, packed: packEntries(bundle), low: Math.min(...times), high: Math.max(...times) };
}

/** Milliseconds since 1970, in the first 48 bits of an id. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

function entryOf(event: Settled): string {
  const sequence = 1000 + Math.floor(Math.random() * 1000);
  return encodeEntry({
    ...event,
    ...{
      amount: '12.34',
      currency: 'USD',
      from: event.resourceId,
      to: event.customer,
      fromBalance: `${sequence}.10`,
      toBalance: `${sequence * 3}.20`,
    },
    ...{ fromSequence: sequence, toSequence: sequence * 2 },
  });
}

function toEvent({ id, topic, created, resourceId, customer }: Settled) {
  return { id, topic, created: new Date(created), resourceId, customerId: customer };
}
