// Transparency logs: schema, queries and representation. A log belongs to an account and begins with the first look at it, or its first event.
import type { Static } from 'typebox';
import { formatVerifier } from '../../../packages/proof/src/note.ts';
import type { Clock } from '../../core/clock.ts';
import { Type } from '../../core/type.ts';
import { type Database, fragment, type Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { type LogKey, listLogKeys, verifierOf } from './log-key.ts';

export type Log = {
  accountId: string;
  /** With the number of the log, if it is not the first of its account. */
  origin: string;
  /** 1 for the first log of its account, one more after each reset or fork. */
  number: bigint;
  /** The feed position before entry 0. */
  start: bigint;
  size: number;
  /** Null until it is signed for the first time. Of fewer entries than `size` while the newest are not signed. */
  checkpoint: string | null;
  /** The newest checkpoint that enough witnesses have cosigned. */
  witnessed: string | null;
  /** Null while the newest entries are not signed. */
  signers: string | null;
  held: Date | null;
  announced: Date;
  announcedSize: number;
  /** When the log got the newest head of the audit log, and how many entries that covers. */
  audited: Date;
  auditEntries: number;
};

/** `moved`: another database server, or the same one on another timeline, has signed the log. */
export type LockedLog = Log & { moved: boolean };

const columns = fragment`account_id, origin, number, start, size, checkpoint, witnessed, signers, held, announced, announced_size, audited,
  audit_entries`;

type Row = Omit<Log, 'size' | 'announcedSize' | 'auditEntries'> & { size: bigint; announcedSize: bigint; auditEntries: bigint };

export const LogSchema = Type.Object(
  {
    origin: Type.String({ description: 'The first line of each checkpoint, and the name of its keys.' }),
    key: Type.String({ description: 'The verifier key of the checkpoints (C2SP signed-note). Store it before you need it.' }),
    formerKeys: Type.Optional(Type.Array(Type.String(), { description: 'Earlier keys, newest first.' })),
  },
  { title: 'TransparencyLog', description: 'The transparency log of the account: what an auditor has to know.' },
);

/** Finds the log of an account, or begins it. */
export async function openLog(
  { sql }: Pick<Database, 'sql'>,
  { links, clock }: { links: Links; clock: Clock },
  accountId: string,
): Promise<Log> {
  const known = await findLog(sql, accountId);
  if (known) return known;
  const origin = `${new URL(links.url('')).host}/accounts/${accountId}/log`;
  await sql`
    insert into transparency_log (account_id, origin, number, start, size, announced, announced_size, audited,
      audit_entries)
    values (${accountId}, ${origin}, 1, coalesce((select min(position) - 1 from event where account_id = ${accountId}),
      (select position from event_head where account_id = ${accountId}), 0), 0, ${clock.now(accountId)}, 0, ${clock.now(accountId)}, 0)
    on conflict do nothing`;
  return (await findLog(sql, accountId))!;
}

export async function findLog(sql: Sql, accountId: string): Promise<Log | undefined> {
  const [row] = await sql<Row>`select ${columns} from transparency_log where account_id = ${accountId}`;
  return row && toLog(row);
}

/** Locks the log of an account until the end of the transaction. Undefined if another builder has locked it. */
export async function lockLog(tx: Sql, accountId: string): Promise<LockedLog | undefined> {
  const [row] = await tx<Row & { moved: boolean }>`
    select ${columns}, coalesce(server <> server_identity(), false) as moved
    from transparency_log where account_id = ${accountId} for update skip locked`;
  return row && { ...toLog(row), moved: row.moved };
}

export async function listLogs(sql: Sql): Promise<Log[]> {
  return (await sql<Row>`select ${columns} from transparency_log`).map(toLog);
}

/** The logs whose newest checkpoint has no cosignature of one of the witnesses, or is not stored as witnessed. */
export async function listUncosigned(sql: Sql, names: string[]): Promise<Log[]> {
  const rows = await sql<Row>`
    select ${columns} from transparency_log
    where held is null and checkpoint is not null and (checkpoint is distinct from witnessed
      or exists (select from unnest(${names}::text[]) as n (name) where strpos(checkpoint, '— ' || n.name || ' ') = 0))`;
  return rows.map(toLog);
}

/** The `log` member of an account. */
export async function representLog(sql: Sql, { origin }: Log): Promise<Static<typeof LogSchema>> {
  const [key, ...former] = (await listLogKeys(sql)).map((key: LogKey) => formatVerifier(verifierOf(origin, key)));
  return { origin, key: key!, ...(former.length > 0 && { formerKeys: former }) };
}

function toLog({ number, origin, size, announcedSize, auditEntries, ...row }: Row): Log {
  return {
    ...row,
    number,
    origin: number === 1n ? origin : `${origin}/${number}`,
    size: Number(size),
    announcedSize: Number(announcedSize),
    auditEntries: Number(auditEntries),
  };
}
