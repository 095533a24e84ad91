// Commits the transparency logs to the audit log: the head of its hash chain is an entry of every log.
//
// The audit log is of all accounts, and what operators do concerns each of them. Every account's log carries the head, so that the
// checkpoints which auditors hold anyway commit to it too. A separate log would need separate auditors.
import type { Sql } from '../../platform/db/sql.ts';
import { type AuditHead, findAuditHead } from '../audit/audit-chain.ts';
import { writeAccountEvent } from '../feed/event.ts';
import type { Log } from './transparency-log.ts';

/** Entries of the audit log that are younger than this may not be in a log yet. */
export const AUDIT_HEAD_EVERY_MS = 3_600_000;

/** Call in a transaction that locks the log. `now`: by the clock of the account. Does nothing if the log has the head, or had one within an hour. */
export async function commitToAudit(tx: Sql, log: Log, now: Date): Promise<void> {
  const { accountId, audited, auditEntries } = log;
  if (now.getTime() - audited.getTime() < AUDIT_HEAD_EVERY_MS) return;
  const head = await findAuditHead(tx);
  if (!head || head.auditEntries <= auditEntries) return;
  const eventId = await writeAccountEvent(tx, { accountId, topic: 'account_audit_head_created' }, now);
  await tx`
    insert into audit_head (account_id, event_id, entries, hash)
    values (${accountId}, ${eventId}, ${head.auditEntries}, decode(${head.auditHash}, 'hex'))`;
  await tx`update transparency_log set audited = ${now}, audit_entries = ${head.auditEntries} where account_id = ${accountId}`;
}

/** The heads that events report, by the id of the event. */
export async function findHeads(tx: Sql, eventIds: string[]): Promise<Map<string, AuditHead>> {
  if (eventIds.length === 0) return new Map();
  const rows = await tx<{ eventId: string; entries: bigint; hash: string }>`
    select event_id, entries, encode(hash, 'hex') as hash from audit_head where event_id = any (${eventIds}::uuid[])`;
  return new Map(rows.map(({ eventId, entries, hash }) => [eventId, { auditEntries: Number(entries), auditHash: hash }]));
}
