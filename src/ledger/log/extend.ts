// Extends a log by the next events of the feed: reads them, writes their entries, and adds their hashes to the tiles.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DIGEST, encodeEntries } from '../../../packages/proof/src/encode-entries.ts';
import { encodeEntry } from '../../../packages/proof/src/entry.ts';
import { packEntries } from '../../../packages/proof/src/stored-entries.ts';
import { TILE_WIDTH } from '../../../packages/proof/src/tiles.ts';
import { HASH_BYTES, rootOfHashes } from '../../../packages/proof/src/tree.ts';
import { planWithout } from '../../platform/db/plan.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type FeedEvent, readFeed } from '../feed/read-feed.ts';
import { findHeads } from './audit-head.ts';
import { openEntries, transferOf } from './log-entries.ts';
import { readEdge, type Tile } from './tile.ts';
import type { Log } from './transparency-log.ts';

/** The log after an extension. `more`: whether there may be more events. */
type Extended = { size: number; more: boolean };

/** Entries of one bundle, compressed. `first`: the index of the first. */
type Bundle = { first: number; packed: Buffer };

/** A tile with space for all of its hashes. */
type GrowingTile = { level: number; index: number; hashes: Buffer; width: number; changed: boolean };

/** The most events that one step adds: what a busy service makes between two looks. */
const STEP = 32 * TILE_WIDTH;
/** The events that are added before requests have a turn. It divides a tile. */
const SLICE = 32;
/** After this time requests have a turn after each tile only: the server ends a transaction that stands still. */
const SLICES_MAX_MS = 1_000;

/** Adds the events of one step, and further ones until the log has `least` entries or the feed ends. Like `extendLog` otherwise. */
export async function extendTo(tx: Sql, log: Log, least: number): Promise<Extended> {
  let extended = await extendLog(tx, log);
  while (extended.more && extended.size < least) extended = await extendLog(tx, { ...log, size: extended.size });
  return extended;
}

/**
 * Adds the events of one step. Call in a transaction that locks the log, and store its new size. Throws if the feed lacks an event or its
 * money.
 */
async function extendLog(tx: Sql, log: Log): Promise<Extended> {
  await planWithout(tx, ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']);
  // A step ends with a tile, so that the next one does not write it again.
  const limit = STEP - (log.size % TILE_WIDTH);
  const events = await readFeed(tx, log.accountId, { after: log.start + BigInt(log.size), limit });
  if (events.length === 0) return { size: log.size, more: false };
  const edge = await readEdge(tx, log.accountId, log.size);
  const textOf = await openTexts(tx, log, events);
  const byLevel = new Map(edge.map((tile) => [tile.level, openTile(tile)]));
  const [full, bundles]: [GrowingTile[], Bundle[]] = [[], []];
  let [size, written]: [number, Buffer[]] = [log.size, []];
  const slicesEndMs = performance.now() + SLICES_MAX_MS;
  for (let first = size; size < log.size + events.length; ) {
    const done = size - log.size;
    const slice = events.slice(done, done + SLICE - (size % SLICE));
    const { bundle, leaves } = encodeEntries(slice.map((event, index) => textOf(event, done + index)));
    full.push(...grow(byLevel, { size, leaves }));
    written.push(bundle);
    size += leaves.length;
    if (size % TILE_WIDTH === 0 || size === log.size + events.length) {
      bundles.push({ first, packed: packEntries(Buffer.concat(written)) });
      [first, written] = [size, []];
    }
    if (size % TILE_WIDTH === 0 || performance.now() < slicesEndMs) await nextTurn();
  }
  const growing = [...byLevel.values()];
  await writeTiles(tx, log.accountId, [...full, ...growing.filter(({ changed }) => changed)]);
  await writeBundles(tx, log.accountId, bundles);
  return { size, more: events.length === limit };
}

/** Reads what entries need, and the heads of the audit log. Returns a function that writes the entry of one of the events. */
async function openTexts(tx: Sql, log: Log, events: FeedEvent[]): Promise<(event: FeedEvent, index: number) => string> {
  const entryOf = await openEntries(tx, events);
  const heads = await findHeads(
    tx,
    events.filter(({ topic }) => topic === 'account_audit_head_created').map(({ id }) => id),
  );
  return (event, index) => {
    const { entry, money } = entryOf(event, index);
    if (!money && transferOf(event) !== undefined) throw new Error(`account ${log.accountId}: event ${event.id} has no transfer`);
    const head = heads.get(event.id);
    return encodeEntry(head ? { ...entry, ...head } : entry);
  };
}

/** Adds digests of leaves to the tiles at the right edge of a tree of `size` leaves. Returns the tiles that are full now. */
function grow(byLevel: Map<number, GrowingTile>, { size, leaves }: { size: number; leaves: string[] }): GrowingTile[] {
  const full: GrowingTile[] = [];
  for (const [count, leaf] of leaves.entries()) {
    let hash: string | undefined = leaf;
    for (let level = 0; hash; level++) {
      const index = Math.floor((size + count) / TILE_WIDTH ** (level + 1));
      const tile = byLevel.get(level) ?? openTile({ level, index, hashes: Buffer.alloc(0) });
      byLevel.set(level, tile);
      tile.hashes.write(hash, tile.width * HASH_BYTES, DIGEST);
      tile.width += 1;
      tile.changed = true;
      hash = undefined;
      if (tile.width < TILE_WIDTH) continue;
      full.push(tile);
      byLevel.delete(level);
      hash = Buffer.from(rootOfHashes(tile.hashes)).toString(DIGEST);
    }
  }
  return full;
}

function openTile({ level, index, hashes }: Tile): GrowingTile {
  const space = Buffer.alloc(TILE_WIDTH * HASH_BYTES);
  hashes.copy(space);
  return { level, index, hashes: space, width: hashes.length / HASH_BYTES, changed: false };
}

function toTile({ level, index, hashes, width }: GrowingTile): Tile {
  return { level, index, hashes: hashes.subarray(0, width * HASH_BYTES) };
}

async function writeTiles(tx: Sql, accountId: string, tiles: GrowingTile[]): Promise<void> {
  const hashes = tiles.map((tile) => toTile(tile).hashes);
  const lengths = hashes.map(({ length }) => length);
  await tx`
    insert into log_tile as t (account_id, level, index, hashes, widths)
    select ${accountId}::uuid, level, index, substring(${Buffer.concat(hashes)}::bytea from start for length), '{}'
    from unnest(${tiles.map(({ level }) => level)}::int[], ${tiles.map(({ index }) => index)}::bigint[], ${startsOf(lengths)}::int[],
      ${lengths}::int[]) as w (level, index, start, length)
    on conflict (account_id, level, index) do update set hashes = excluded.hashes`;
}

async function writeBundles(tx: Sql, accountId: string, bundles: Bundle[]): Promise<void> {
  const packed = bundles.map((bundle) => bundle.packed);
  const lengths = packed.map(({ length }) => length);
  await tx`
    insert into log_entries (account_id, first, entries)
    select ${accountId}::uuid, first, substring(${Buffer.concat(packed)}::bytea from start for length)
    from unnest(${bundles.map(({ first }) => first)}::bigint[], ${startsOf(lengths)}::int[], ${lengths}::int[]) as w (first, start, length)`;
}

/** The places of values in one parameter, which `pg` sends in binary. It would send an array in hexadecimal. They count from 1. */
function startsOf(lengths: number[]): number[] {
  let next = 1;
  return lengths.map((length) => {
    next += length;
    return next - length;
  });
}
