// The rule of transparency logs: their entries are those of the events and transfers that are stored.
import type { Sql } from '../db/sql.ts';
import { bucketOf } from '../ids.ts';
import { findAuditHashes } from '../operators/audit-chain.ts';
import { type Entry, encodeEntry, readEntry } from '../proof/entry.ts';
import { unpackEntries } from '../proof/stored-entries.ts';
import { formatMoney, transferOf } from './logged-money.ts';
import { findMoney, type MovedMoney } from './transfer.ts';

type Range = { first: number; last: number };
type Breach = { bucket: number; id: string; detail: string };
type Log = { accountId: string; number: bigint; start: bigint; size: bigint };

/** How many rows of entries are compared at once: at most 4,096 entries. */
const ROWS = 16;
const BREACHES_MAX = 100;

/** Finds entries without their transfer or event, and with other money. An account is in the range that has its bucket. */
export async function findLogBreaches(sql: Sql, { first, last }: Range): Promise<Breach[]> {
  const logs = await sql<Log>`select account_id, number, start, size from transparency_log where size > 0`;
  const breaches: Breach[] = [];
  for (const log of logs.filter(({ accountId }) => bucketOf(accountId) >= first && bucketOf(accountId) <= last)) {
    const found = await compareLog(sql, log);
    // A reset during the comparison deletes the entries.
    if (found.length > 0 && (await isCurrent(sql, log))) breaches.push(...found);
  }
  return breaches.slice(0, BREACHES_MAX);
}

async function compareLog(sql: Sql, log: Log): Promise<Breach[]> {
  const { accountId, size } = log;
  const breaches: Breach[] = [];
  let next = 0n;
  while (next < size && breaches.length < BREACHES_MAX) {
    const rows = await sql<{ first: bigint; entries: Buffer }>`
      select first, entries from log_entries
      where account_id = ${accountId} and first >= ${next} and first < ${size} order by first limit ${ROWS}`;
    const texts: Buffer[] = [];
    for (const { first, entries } of rows)
      if (first === next + BigInt(texts.length)) texts.push(...(unpackEntries(entries) ?? []));
    if (texts.length === 0)
      return [...breaches, { bucket: bucketOf(accountId), id: accountId, detail: `entry ${next} of the log is missing` }];
    breaches.push(...(await compareEntries(sql, log, { first: next, texts })));
    next += BigInt(texts.length);
  }
  return breaches;
}

/** Compares entries with the transfers, and with the events that retention has kept. */
async function compareEntries(sql: Sql, log: Log, { first, texts }: { first: bigint; texts: Buffer[] }): Promise<Breach[]> {
  const entries = texts.map(readEntry);
  const transferIds = entries.map((entry) => entry && transferOf(entry));
  const moved = await findMoney(sql, transferIds);
  const heads = await findAuditHashes(
    sql,
    entries.flatMap((entry) => entry?.auditEntries ?? []),
  );
  const position = log.start + first + 1n;
  const events = await sql<{ position: bigint; id: string }>`
    select position, id from event
    where account_id = ${log.accountId} and position between ${position} and ${position + BigInt(texts.length - 1)}`;
  const kept = new Map(events.map((event) => [event.position, event.id]));
  return entries.flatMap((entry, index) => {
    const transferId = transferIds[index];
    const money = moved[index];
    const eventId = kept.get(position + BigInt(index));
    const isOfAudit = entry?.auditHash === undefined || heads.get(entry.auditEntries!) === entry.auditHash;
    const stored = { text: texts[index]!, money, transferId, eventId };
    const detail = isOfAudit ? faultOf(entry, stored) : 'has another hash of the audit log than its chain';
    const id = transferId ?? log.accountId;
    return detail === undefined ? [] : [{ bucket: bucketOf(id), id, detail: `log entry ${first + BigInt(index)} ${detail}` }];
  });
}

type Stored = { text: Buffer; money: MovedMoney | undefined; transferId: string | undefined; eventId: string | undefined };

function faultOf(entry: Entry | undefined, { text, money, transferId, eventId }: Stored): string | undefined {
  if (!entry) return 'is not an event';
  if (eventId !== undefined && eventId !== entry.id) return `is event ${entry.id}, and the feed has ${eventId}`;
  if (text.toString() === encodeEntry(entry, money && formatMoney(money))) return undefined;
  if (transferId === undefined) return 'is not an event in canonical form';
  return money ? 'is not the money of its transfer' : 'has no transfer';
}

async function isCurrent(sql: Sql, { accountId, number }: Log): Promise<boolean> {
  const rows = await sql`select 1 from transparency_log where account_id = ${accountId} and number = ${number}`;
  return rows.length > 0;
}
