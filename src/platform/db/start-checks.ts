// Checks of an external database at the start: what would fail later at random, or silently, is one sentence that says what to do.
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { UserError } from '../../core/user-error.ts';
import type { Config } from '../config/config.ts';

/** The database cannot be used as it is. The message says what to do. */
export class UnsuitableError extends UserError {}

const OLDEST_SERVER = 15;
/** How often the probe of a pooler alternates between two connections. */
const ROUNDS = 3;
const CLOCK_MS = 1_000;

/** Throws an UnsuitableError for a server that is too old. */
export async function requireVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  const version = rows[0]?.server_version ?? '';
  if (Number.parseInt(version, 10) >= OLDEST_SERVER) return;
  throw new UnsuitableError(`The database server is PostgreSQL ${version}; Earmark needs ${OLDEST_SERVER} or newer.`);
}

/** Throws an UnsuitableError unless the server takes writes and stores every text. */
export async function requireWritable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean; readOnly: boolean; encoding: string }>(
    `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly",
       current_setting('server_encoding') as encoding`,
  );
  const { standby, readOnly, encoding } = rows[0]!;
  if (standby)
    throw new UnsuitableError(
      'The database server is a standby, which takes no writes. Name the primary in DATABASE_URL, or all servers: postgres://user:password@a,b/database.',
    );
  if (readOnly)
    throw new UnsuitableError(
      'The database is read-only. Switch default_transaction_read_only off for the server, the database and the role.',
    );
  if (encoding !== 'UTF8')
    throw new UnsuitableError(
      `The database has the encoding ${encoding}, which cannot store every name. Create it with UTF8: createdb --encoding=UTF8 --template=template0.`,
    );
}

/** Throws an UnsuitableError if the role may not create tables. Call when migrations are pending. */
export async function requireOwnRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; may: boolean }>(
    `select current_user as role, has_schema_privilege('public', 'create') as may`,
  );
  const { role, may } = rows[0]!;
  if (may) return;
  throw new UnsuitableError(
    `The role ${role} may not create tables. Run earmark migrate as the owner of the database, or as the owner: grant create on schema public to ${pg.escapeIdentifier(role)}.`,
  );
}

/** Throws an UnsuitableError if the role lacks rights that a service needs on a migrated database. */
export async function requireServiceRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; isOwner: boolean; writes: boolean; seesOthers: boolean }>(
    `select current_user as role, pg_has_role(relowner, 'usage') as "isOwner", has_table_privilege(oid, 'insert') as writes,
       pg_has_role('pg_read_all_stats', 'usage') as "seesOthers"
     from pg_class where oid = to_regclass('event_outbox')`,
  );
  const { role, isOwner, writes, seesOthers } = rows[0] ?? { role: '', isOwner: true, writes: true, seesOthers: true };
  if (!writes)
    throw new UnsuitableError(
      `The role ${role} may not write the tables. Connect as their owner, or as earmark_service, to which earmark migrate gives its rights when the owner runs it.`,
    );
  // Settling of events waits for the transactions of other roles, such as those of the owner.
  if (!isOwner && !seesOthers)
    throw new UnsuitableError(
      `The role ${role} does not see the transactions of others. As a superuser run: grant pg_read_all_stats to ${pg.escapeIdentifier(role)}.`,
    );
}

/**
 * Throws an UnsuitableError behind a pooler that gives each transaction another session: statements are prepared, and limits set, once for
 * each connection. `connect` opens another connection, which the caller closes. A connection without a pooler costs one query.
 */
export async function requireSession(client: pg.Client, connect: () => Promise<pg.Client>): Promise<void> {
  // A pooler has its own number for a connection.
  if ((await sessionOf(client)) === (client as pg.Client & { processID: number }).processID) return;
  const other = await connect();
  for (let round = 0; round < ROUNDS; round++) {
    const before = await sessionOf(client);
    // Takes the session that was returned last, or leaves another one to the first connection.
    await other.query('begin');
    const taken = await sessionOf(other);
    const again = await sessionOf(client);
    await other.query('rollback');
    if (taken === before || again !== before) throw new UnsuitableError(POOLED);
  }
}

const POOLED =
  'DATABASE_URL leads to a connection pooler in transaction mode. Name the server itself, or set its mode for this database to session (PgBouncer: pool_mode=session).';

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}

/** Logs what does not keep a service from working, but endangers what it promises. */
export async function warnOfRisks(client: pg.Client, { mode }: Pick<Config, 'mode'>, log: FastifyBaseLogger): Promise<void> {
  const askedMs = Date.now();
  const { rows } = await client.query<{ time: Date } & Durability>(
    `select clock_timestamp() as time, current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
       current_setting('wal_level') as wal, exists (select from pg_extension where extname = 'citus') as "isCluster"`,
  );
  const answeredMs = Date.now();
  const { time, ...durability } = rows[0]!;
  const aheadMs = Math.max(0, askedMs - time.getTime()) || Math.min(0, answeredMs - time.getTime());
  if (Math.abs(aheadMs) > CLOCK_MS) {
    const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
    log.error(
      { aheadMs },
      `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the database server: synchronize both by NTP`,
    );
  }
  // A sandbox may forget.
  if (mode !== 'production') return;
  for (const { setting, risk, value } of risksOf(durability)) log.error({ setting }, `${risk}. Set ${setting} = ${value}`);
}

type Durability = { fsync: string; commit: string; wal: string; isCluster: boolean };

function risksOf({ fsync, commit, wal, isCluster }: Durability): { setting: string; risk: string; value: string }[] {
  const forgets = 'a crash of the database server loses transfers that were answered with 201';
  return [
    ...(fsync === 'off' ? [{ setting: 'fsync', risk: `fsync is off: ${forgets}`, value: 'on' }] : []),
    ...(commit === 'off' ? [{ setting: 'synchronous_commit', risk: `synchronous_commit is off: ${forgets}`, value: 'on' }] : []),
    ...(wal === 'minimal'
      ? [
          {
            setting: 'wal_level',
            risk: 'wal_level is minimal: neither a standby nor recovery to a moment is possible',
            value: 'replica',
          },
        ]
      : []),
    ...(isCluster && wal === 'replica'
      ? [
          {
            setting: 'wal_level',
            risk: 'wal_level is replica: groups of the cluster cannot move to another server',
            value: 'logical',
          },
        ]
      : []),
  ];
}
