// The rule of transparency logs: their entries are those of the events and rows that are stored.
import { type Entry, encodeEntry, readEntry } from '../../../packages/proof/src/entry.ts';
import { unpackEntries } from '../../../packages/proof/src/stored-entries.ts';
import { bucketOf } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { findAuditHashes } from '../audit/audit-chain.ts';
import { BREACHES_MAX, type Breach, type Range } from '../breach.ts';
import { type Logged, openEntries, transferOf } from '../log/log-entries.ts';
import { findOtherOwners } from '../transfers/transfer.ts';
import { type OpenDetails, openDetails } from './open-details.ts';

type Log = { accountId: string; number: bigint; start: bigint; size: bigint };
type StoredEvent = {
  position: bigint;
  bucket: number;
  id: string;
  topic: string;
  customer: string | null;
  resourceId: string;
  created: Date;
};
/** An entry with what it is compared with. */
type Compared = { entry: Entry; text: Buffer; logged: Logged; details: OpenDetails; breach(detail: string): Breach };

/** How many rows of entries are compared at once: at most 4,096 entries. */
const ROWS = 16;
const REMOVAL = 'customer_label_removed';
const ERASURE = 'customer_erased';
/** Takes the place of an entry that cannot be read. */
const NO_ENTRY: Entry = { id: '', topic: '', created: '', resourceId: '' };

/** Finds entries without their event or row, and with other money or details. An account is in the range that has its bucket. */
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
  const { accountId, start, size } = log;
  const breaches: Breach[] = [];
  const details = openDetails();
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
    breaches.push(...(await compareEntries(sql, log, { first: next, texts, details })));
    next += BigInt(texts.length);
  }
  return [...breaches, ...(await details.close(sql, { accountId, last: start + size }))];
}

/** Compares entries with the rows, and with the events that retention has kept. */
async function compareEntries(
  sql: Sql,
  log: Log,
  { first, texts, details }: { first: bigint; texts: Buffer[]; details: OpenDetails },
): Promise<Breach[]> {
  const read = texts.map(readEntry);
  const entries = read.map((entry) => ('fault' in entry ? NO_ENTRY : entry));
  const loggedOf = await openEntries(sql, entries);
  const owners = await findOtherOwners(
    sql,
    entries.map(transferOf),
    entries.map(({ customer }) => customer),
  );
  const heads = await findAuditHashes(
    sql,
    entries.flatMap(({ auditEntries }) => auditEntries ?? []),
  );
  const position = log.start + first + 1n;
  const events = await sql<StoredEvent>`
    select position, bucket, id, customer_id as customer, resource_id, created,
      (select topic from event_topic t where t.account_id = e.account_id and t.number = e.topic) as topic
    from event e
    where account_id = ${log.accountId} and position between ${position} and ${position + BigInt(texts.length - 1)}`;
  // After the events: retention announces what it deletes.
  const [head] = await sql<{ pruned: Date | null }>`select pruned from event_head where account_id = ${log.accountId}`;
  const kept = new Map(events.map((event) => [event.position, event]));
  return entries.flatMap((entry, index) => {
    const id = transferOf(entry) ?? (entry.id === '' ? log.accountId : entry.resourceId);
    const where = `log entry ${first + BigInt(index)}`;
    const breach = (detail: string): Breach => ({ bucket: bucketOf(id), id, detail: `${where} ${detail}` });
    const fault = read[index]!;
    if ('fault' in fault) return [breach(fault.fault)];
    const event = kept.get(position + BigInt(index));
    const difference = event ? differenceOf(entry, event) : isKept(entry, head?.pruned ?? null) && 'has no event in the feed';
    if (difference) return [breach(difference)];
    const owner = owners.get(id);
    if (owner !== undefined) return [breach(`is of customer ${entry.customer}, and its transfer of ${owner}`)];
    if (entry.auditHash !== undefined && heads.get(entry.auditEntries!) !== entry.auditHash)
      return [breach('has another hash of the audit log than its chain')];
    const compared = { entry, text: texts[index]!, logged: loggedOf(entry, index), details, breach };
    const detail = transferOf(entry) === undefined ? faultOfResource(compared, log.accountId) : faultOfTransfer(compared);
    return detail === undefined ? [] : [breach(detail)];
  });
}

/** Whether retention has not deleted the event of an entry: it deletes those created before `pruned`. */
function isKept({ created }: Entry, pruned: Date | null): boolean {
  return pruned === null || Date.parse(created) >= pruned.getTime();
}

function differenceOf(entry: Entry, { created, ...event }: StoredEvent): string | undefined {
  if (event.id !== entry.id) return `is event ${entry.id}, and the feed has ${event.id}`;
  if (entry.customer !== undefined && event.customer !== entry.customer)
    return `is of customer ${entry.customer}, and its event of ${event.customer}`;
  if (event.bucket !== bucketOf(entry.id)) return `has its event in bucket ${event.bucket}`;
  if (event.topic !== entry.topic) return `has the topic ${entry.topic}, and its event ${event.topic}`;
  if (event.resourceId !== entry.resourceId) return `is about ${entry.resourceId}, and its event about ${event.resourceId}`;
  // Digits after the milliseconds are cut off.
  if (created.toISOString() !== entry.created) return `is of ${entry.created}, and its event of ${created.toISOString()}`;
  return undefined;
}

function faultOfTransfer({ entry, text, logged, details, breach }: Compared): string | undefined {
  const { entry: made, money, isErased } = logged;
  if (!money) return 'has no transfer';
  if (entry.customer === undefined) {
    // An earlier release wrote it.
    const old = { ...made, deposit: undefined, rule: undefined, reverses: undefined, details: undefined };
    return encodeEntry(old) === text.toString() ? undefined : 'is not the money of its transfer';
  }
  if (encodeEntry({ ...made, details: entry.details }) !== text.toString()) return 'is not the money of its transfer';
  if (isErased) details.lackSalt(entry.customer, breach('has details, and their salt is missing'));
  else if (made.details !== entry.details) return 'has other details than its transfer';
  return undefined;
}

/** The newest entry of a resource has its details, because each change has an event; until then the difference is open. */
function faultOfResource({ entry, text, logged, details, breach }: Compared, accountId: string): string | undefined {
  const { entry: made, detailed, isErased } = logged;
  const { topic, resourceId, customer } = entry;
  if (encodeEntry({ ...made, details: entry.details }) !== text.toString()) return 'is not an event in canonical form';
  if (topic === ERASURE) details.erase(resourceId);
  if (!detailed) {
    if (entry.details !== undefined) return 'has no row';
    return undefined;
  }
  if (customer !== undefined && detailed.customerId !== customer)
    return `is of customer ${customer}, and its row of ${detailed.customerId}`;
  if (detailed.accountId !== accountId) return `is of account ${accountId}, and its row of ${detailed.accountId}`;
  const removed = detailed.removed?.toISOString();
  if (topic === REMOVAL && removed !== entry.created) return `removes a label that was removed ${removed ?? 'never'}`;
  if (topic === REMOVAL) details.settle(`${resourceId} removal`);
  else if (removed !== undefined)
    details.leaveOpen(`${resourceId} removal`, breach('is of a label that was removed without an entry'));
  if (isErased) details.lackSalt(detailed.customerId, breach('has details, and their salt is missing'));
  else if (entry.details === undefined || made.details === entry.details) details.settle(resourceId);
  else details.leaveOpen(resourceId, breach('has other details than its row'));
  return undefined;
}

async function isCurrent(sql: Sql, { accountId, number }: Log): Promise<boolean> {
  const rows = await sql`select 1 from transparency_log where account_id = ${accountId} and number = ${number}`;
  return rows.length > 0;
}
