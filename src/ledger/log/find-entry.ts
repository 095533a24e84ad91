// Finds the log entry of a transfer: by its event, or by its time after retention has deleted the event.
import { isLate, parseEntry } from '../../../packages/proof/src/entry.ts';
import { unpackEntries } from '../../../packages/proof/src/stored-entries.ts';
import { TILE_WIDTH } from '../../../packages/proof/src/tiles.ts';
import { legId } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { transferOf } from './log-entries.ts';
import { findEntry } from './tile.ts';
import type { Log } from './transparency-log.ts';

type Found = { index: number; entry: Buffer };

/** A request ends within 30 s, a batch within another 10 s: entries are at most this far from the order of their times. */
const SKEW_MAX_MS = 60_000;
/** How many rows of entries are read at once. */
const ROWS = 16;

/** The entry of the event that carries the money of a transfer, if it is among the first `size` entries. */
export async function findEntryOf(
  sql: Sql,
  log: Log,
  transfer: { id: string; created: Date },
  size: number,
): Promise<Found | undefined> {
  const position = await findPosition(sql, log, transfer.id);
  if (position === undefined) return findByTime(sql, log, transfer, size);
  const index = Number(position - log.start) - 1;
  const entry = index < size ? await findEntry(sql, log.accountId, index) : undefined;
  return entry && { index, entry };
}

/** The event of a move between a label and the available money is about its entry on the label. */
async function findPosition(sql: Sql, { accountId }: Log, id: string): Promise<bigint | undefined> {
  for (const resourceId of [id, legId(id, 'from'), legId(id, 'to')]) {
    const [event] = await sql<{ position: bigint }>`
      select position from event where resource_id = ${resourceId} and account_id = ${accountId} order by position limit 1`;
    if (event) return event.position;
  }
  return undefined;
}

/** Reads the entries from a binary search's place to the end of what may have been written at the same time. */
async function findByTime(
  sql: Sql,
  log: Log,
  { id, created }: { id: string; created: Date },
  size: number,
): Promise<Found | undefined> {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = await findEntry(sql, log.accountId, middle);
    if (entry && !isLate(parseEntry(entry)) && timeOf(entry) < created.getTime() - SKEW_MAX_MS) low = middle + 1;
    else high = middle;
  }
  for (let first = low - (low % TILE_WIDTH); first < size; ) {
    const rows = await sql<{ first: bigint; entries: Buffer }>`
      select first, entries from log_entries
      where account_id = ${log.accountId} and first >= ${first} and first < ${size} order by first limit ${ROWS}`;
    if (rows.length === 0) return undefined;
    for (const row of rows) {
      const entries = unpackEntries(row.entries) ?? [];
      const at = entries.findIndex((entry) => entry.includes(id.slice(0, -1)) && isOf(entry, id));
      if (at >= 0) return { index: Number(row.first) + at, entry: entries[at]! };
      first = Number(row.first) + entries.length;
      if (entries.length > 0 && timeOf(entries[0]!) > created.getTime() + SKEW_MAX_MS) return undefined;
    }
  }
  return undefined;
}

function isOf(entry: Buffer, transferId: string): boolean {
  return transferOf(parseEntry(entry)) === transferId;
}

function timeOf(entry: Buffer): number {
  return Date.parse(parseEntry(entry).created);
}
