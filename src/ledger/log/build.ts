// Builds the logs behind the settling of the feed: one builder at a time per log, never on the path of a request.
import type { Clock } from '../../core/clock.ts';
import { nowOfAccount } from '../../platform/db/account-clock.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { ANNOUNCED_EVERY_MS, announceCheckpoint } from './announce.ts';
import { AUDIT_HEAD_EVERY_MS, commitToAudit } from './audit-head.ts';
import { extendLog } from './extend.ts';
import { type LogKey, listLogKeys } from './log-key.ts';
import { publishCheckpoint, signersOf } from './publish.ts';
import { readEdge } from './tile.ts';
import { lockLog, openLog } from './transparency-log.ts';

export type BuildTools = { database: Database; sealer: Sealer; links: Links; clock: Clock };

/** Extends every log whose feed has new events, and signs it. `onError`: called for each log that cannot be extended; the others are. */
export async function buildLogs(tools: BuildTools, onError: (error: unknown) => void): Promise<void> {
  const keys = await listLogKeys(tools.database.sql);
  for (const accountId of await listDue(tools, keys)) await buildLog(tools, accountId, keys).catch(onError);
}

/** Extends the log of an account to the end of its feed, and signs it. Does nothing while another builder does, or while it is held. */
export async function buildLog(tools: BuildTools, accountId: string, known?: LogKey[]): Promise<void> {
  const { database, sealer } = tools;
  const keys = known ?? (await listLogKeys(database.sql));
  await openLog(database, tools, accountId);
  const step = (tx: Sql) => buildStep(tx, { ...tools, sealer, keys }, accountId);
  while (await database.transaction(step));
}

/** Signs the log of an account for the first time, if nothing has been signed yet. */
export async function signFirst(tools: BuildTools, accountId: string): Promise<void> {
  const { database, sealer } = tools;
  const keys = await listLogKeys(database.sql);
  await database.transaction(async (tx) => {
    const log = await lockLog(tx, accountId);
    if (!log || log.held || log.checkpoint !== null) return;
    await publishCheckpoint(tx, { sealer, keys }, log, { size: log.size, edge: await readEdge(tx, accountId, log.size) });
  });
}

/** Adds one step of events. Returns whether there may be more. */
async function buildStep(tx: Sql, tools: { sealer: Sealer; keys: LogKey[]; clock: Clock }, accountId: string): Promise<boolean> {
  const log = await lockLog(tx, accountId);
  if (!log || log.held) return false;
  const extended = await extendLog(tx, log);
  const isNew = extended.size > log.size || log.signers !== signersOf(tools.keys);
  const checkpoint = isNew ? await publishCheckpoint(tx, tools, log, extended) : log.checkpoint!;
  const now = tools.clock.now(accountId);
  await announceCheckpoint(tx, { ...log, size: extended.size, checkpoint }, now);
  await commitToAudit(tx, log, now);
  return extended.more;
}

/** The accounts whose log must be begun, extended, signed with other keys, or announced. */
async function listDue({ database: { sql }, clock }: BuildTools, keys: LogKey[]): Promise<string[]> {
  const now = clock.now().getTime();
  const [before, hourBefore] = [new Date(now - ANNOUNCED_EVERY_MS), new Date(now - AUDIT_HEAD_EVERY_MS)];
  const rows = await sql<{ id: string }>`
    select a.id
    from account a
    left join transparency_log l on l.account_id = a.id
    left join event_head h on h.account_id = a.id
    left join account_clock clock on clock.account_id = a.id
    where l.account_id is null or l.held is null and (h.position > l.start + l.size or l.signers is distinct from ${signersOf(keys)}
      or l.size > l.announced_size + 1 and l.announced <= ${nowOfAccount(before)}
      or l.audit_entries < (select max(number) from audit_chain) and l.audited <= ${nowOfAccount(hourBefore)})`;
  return rows.map(({ id }) => id);
}
