// Builds the logs behind the settling of the feed: one builder at a time per log, never on the path of a request.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { nowOfAccount } from '../../platform/db/account-clock.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { ANNOUNCED_EVERY_MS, announceCheckpoint } from './announce.ts';
import { AUDIT_HEAD_EVERY_MS, commitToAudit } from './audit-head.ts';
import { extendTo } from './extend.ts';
import { holdLog, LogHeld, requireSafe } from './hold.ts';
import { type LogKey, listLogKeys } from './log-key.ts';
import type { Marks } from './marks.ts';
import { publishCheckpoint, signersOf } from './publish.ts';
import { lockLog, openLog } from './transparency-log.ts';

/** `marks`: undefined if none are kept. */
export type BuildTools = {
  database: Database;
  sealer: Sealer;
  links: Links;
  clock: Clock;
  log: FastifyBaseLogger;
  marks: Marks | undefined;
};

/**
 * Extends every log whose feed has new events, and signs it. `onError`: called for each log that cannot be extended. Returns the number of
 * the others.
 */
export async function buildLogs(tools: BuildTools, onError: (error: unknown) => void): Promise<number> {
  const keys = await listLogKeys(tools.database.sql);
  let built = 0;
  for (const accountId of await listDue(tools, keys)) {
    try {
      await buildLog(tools, accountId, keys);
      built += 1;
    } catch (error) {
      onError(error);
    }
  }
  return built;
}

/** Extends the log of an account to the end of its feed, and signs it, or holds it. Does nothing while another builder does, or while it is held. */
export async function buildLog(tools: BuildTools, accountId: string, known?: LogKey[]): Promise<void> {
  const { database } = tools;
  const keys = known ?? (await listLogKeys(database.sql));
  await openLog(database, tools, accountId);
  await orHold(tools, async () => {
    for (let more = true; more; ) {
      more = await database.transaction((tx) => addStep(tx, tools, accountId));
      await database.transaction((tx) => signStep(tx, { ...tools, keys }, accountId));
    }
  });
}

/** Signs the log of an account for the first time, if nothing has been signed yet. */
export async function signFirst(tools: BuildTools, accountId: string): Promise<void> {
  const { database } = tools;
  const keys = await listLogKeys(database.sql);
  const sign = async (tx: Sql) => {
    const log = await lockLog(tx, accountId);
    if (!log || log.held || log.checkpoint !== null) return;
    await publishCheckpoint(tx, { ...tools, keys }, log);
  };
  await orHold(tools, () => database.transaction(sign));
}

/** Holds the log that must not be signed. */
async function orHold({ database, log }: BuildTools, build: () => Promise<void>): Promise<void> {
  try {
    await build();
  } catch (error) {
    if (!(error instanceof LogHeld)) throw error;
    await holdLog(database.sql, error.accountId);
    log.error({ account: error.accountId }, error.message);
  }
}

/** Adds one step of events, which nobody has signed yet. Returns whether there may be more. */
async function addStep(tx: Sql, { marks }: BuildTools, accountId: string): Promise<boolean> {
  const log = await lockLog(tx, accountId);
  if (!log || log.held) return false;
  const mark = await marks?.read(log);
  const { size, more } = await extendTo(tx, log, mark?.size ?? 0);
  if (size > log.size) {
    await requireSafe(tx, { log, size, mark });
    await tx`update transparency_log set size = ${size}, signers = null where account_id = ${accountId}`;
  }
  return more;
}

/** Signs the log as it is, unless that has been done, and announces it. */
async function signStep(tx: Sql, tools: BuildTools & { keys: LogKey[] }, accountId: string): Promise<void> {
  const log = await lockLog(tx, accountId);
  if (!log || log.held) return;
  const isNew = log.moved || log.signers !== signersOf(tools.keys);
  const checkpoint = isNew ? await publishCheckpoint(tx, tools, log) : log.checkpoint!;
  const now = tools.clock.now(accountId);
  await announceCheckpoint(tx, { ...log, checkpoint }, now);
  await commitToAudit(tx, log, now);
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
      or l.server <> (select server_identity())
      or l.size > l.announced_size + 1 and l.announced <= ${nowOfAccount(before)}
      or l.audit_entries < (select max(number) from audit_chain) and l.audited <= ${nowOfAccount(hourBefore)})`;
  return rows.map(({ id }) => id);
}
