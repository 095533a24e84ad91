// Stored tiles and entries of transparency logs.
import { unpackBundle, unpackEntries } from '../../../packages/proof/src/stored-entries.ts';
import { edgeOf, readHash, TILE_WIDTH, type TileKey, tilesAbove } from '../../../packages/proof/src/tiles.ts';
import { HASH_BYTES, type HashAt } from '../../../packages/proof/src/tree.ts';
import type { Sql } from '../../platform/db/sql.ts';

export type Tile = TileKey & { hashes: Buffer };

type Wanted = { accountId: string; level: number; index: number; width: number };

/** The tile of a width: a full one, or a partial one of a published checkpoint that is not full yet. */
export async function findTile(sql: Sql, { accountId, level, index, width }: Wanted): Promise<Buffer | undefined> {
  const [row] = await sql<{ hashes: Buffer }>`
    select hashes from log_tile
    where account_id = ${accountId} and level = ${level} and index = ${index}
      and case when ${width}::int = ${TILE_WIDTH} then length(hashes) = ${TILE_WIDTH * HASH_BYTES} else ${width} = any (widths) end`;
  return row?.hashes.subarray(0, width * HASH_BYTES);
}

/** The bundle of a width, under the conditions of its tile on level 0. */
export async function findBundle(sql: Sql, { accountId, index, width }: Omit<Wanted, 'level'>): Promise<Buffer | undefined> {
  if (!(await findTile(sql, { accountId, level: 0, index, width }))) return undefined;
  const first = index * TILE_WIDTH;
  const rows = await sql<{ entries: Buffer }>`
    select entries from log_entries
    where account_id = ${accountId} and first >= ${first} and first < ${first + width} order by first`;
  return Buffer.concat(rows.flatMap(({ entries }) => unpackBundle(entries) ?? []));
}

/** The entry with an index. */
export async function findEntry(sql: Sql, accountId: string, index: number): Promise<Buffer | undefined> {
  const [row] = await sql<{ first: bigint; entries: Buffer }>`
    select first, entries from log_entries where account_id = ${accountId} and first <= ${index} order by first desc limit 1`;
  return row && unpackEntries(row.entries)?.[index - Number(row.first)];
}

/** The tiles at the right edge of a tree, to which a builder appends. */
export function readEdge(sql: Sql, accountId: string, size: number): Promise<Tile[]> {
  return readTiles(sql, accountId, edgeOf(size));
}

/** The hashes that lead from a leaf to the root. */
export async function readPath(sql: Sql, accountId: string, { index, size }: { index: number; size: number }): Promise<HashAt> {
  return toHashAt(await readTiles(sql, accountId, [...edgeOf(size), ...tilesAbove(index, size)]));
}

/** The hashes in tiles. */
export function toHashAt(tiles: Tile[]): HashAt {
  const byKey = new Map(tiles.map((tile) => [`${tile.level} ${tile.index}`, tile.hashes]));
  return (height, index) => readHash((key) => byKey.get(`${key.level} ${key.index}`)!, height, index);
}

async function readTiles(sql: Sql, accountId: string, keys: TileKey[]): Promise<Tile[]> {
  const rows = await sql<{ level: number; index: bigint; hashes: Buffer }>`
    select t.level, t.index, t.hashes
    from unnest(${keys.map(({ level }) => level)}::int[], ${keys.map(({ index }) => index)}::bigint[]) as k (level, index)
    join log_tile t on t.account_id = ${accountId} and t.level = k.level and t.index = k.index`;
  return rows.map((row) => ({ ...row, index: Number(row.index) }));
}
