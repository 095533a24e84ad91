// Migrations: plain SQL files, forward only, each in its own transaction. An advisory lock serializes concurrent processes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { newClient } from './client.ts';
import { countGroups, distribute, distributeTables, isCoordinator } from './cluster/distribute.ts';
import { type Applied, FOLDER, type Migration, readMigrations, requireKnown, SchemaError } from './migrations.ts';
import { grantToService, lacksPrivileges } from './service-role.ts';
import { requireOwnRights, requireServiceRights, requireVersion, requireWritable } from './start-checks.ts';

const LOCK = 4_027_301;
/** A waiting table lock blocks all later statements on the table, so wait briefly and retry. */
const LOCK_TIMEOUT_MS = 500;
const LOCK_PAUSE_MS = 500;
const LOCK_WITHIN_MS = 120_000;
/** How often a service looks whether another process has migrated, and how often it says that it waits. */
const WAIT_PAUSE_MS = 1_000;
const WAIT_LOGGED_EVERY = 30;
const LOCK_NOT_AVAILABLE = '55P03';
const SCHEMA_MIGRATION =
  'create table if not exists schema_migration (name text primary key, applied timestamptz not null, digest text not null)';
/** The migrations of a database; without digests if it is older than they are. */
export const APPLIED = `select name, to_jsonb(m) ->> 'digest' as digest from schema_migration m order by name`;
/** For connecting only; migrations have no time limit. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Migrates a database to the schema of this version and returns the names of the applied migrations. `only` limits it to those and to
 * the distribution of their tables, for restoring a backup of an older version. `folder` contains the migrations. `groups` is for the
 * first migration of a cluster. Throws a SchemaError when the database has no use for it.
 */
export async function migrate(
  databaseUrl: string,
  { only, folder = FOLDER, groups }: { only?: string[]; folder?: URL; groups?: number } = {},
): Promise<string[]> {
  const client = migrationClient(databaseUrl);
  client.on('error', () => {});
  let step = 'schema_migration';
  await client.connect();
  try {
    await requireVersion(client);
    if (groups !== undefined) await requireGroups(client, groups);
    await requireWritable(client);
    const isNew = !(await hasMigrations(client));
    if (isNew) await requireOwnRights(client);
    if (isNew) await withMigrationLock(client, () => client.query(SCHEMA_MIGRATION));
    const pending = (await findPending(client, folder)).filter(({ name }) => !only || only.includes(name));
    if (pending.length > 0) await requireOwnRights(client);
    const applied: string[] = [];
    for (const migration of pending) {
      step = migration.name;
      if (await applyWhenFree(client, migration)) applied.push(migration.name);
    }
    step = 'privileges';
    if (await lacksPrivileges(client)) await withMigrationLock(client, () => grantToService(client));
    step = 'distribution';
    const place = only ? distributeTables : distribute;
    if (await isCoordinator(client)) await withMigrationLock(client, () => place(client, groups));
    await requireServiceRights(client);
    return applied;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new SchemaError(`The database cannot be migrated (${step}): ${error.message}.`, { cause: error });
  } finally {
    await client.end();
  }
}

/** Returns the migrations that `migrate` would apply, each with the first line of its comment. Changes nothing. */
export async function planMigrations(databaseUrl: string): Promise<{ name: string; about: string }[]> {
  const client = migrationClient(databaseUrl);
  client.on('error', () => {});
  await client.connect();
  try {
    await requireVersion(client);
    const pending = (await hasMigrations(client)) ? await findPending(client, FOLDER) : readMigrations();
    return pending.map(({ name, sql }) => ({ name, about: aboutOf(sql) }));
  } finally {
    await client.end();
  }
}

/** Throws a SchemaError unless the schema is that of this version. Changes nothing. */
export async function requireMigrated(databaseUrl: string): Promise<void> {
  const [first] = await planMigrations(databaseUrl);
  if (!first) return;
  throw new SchemaError(`The schema of the database is older than this version: it lacks ${first.name}. Run earmark migrate.`);
}

/**
 * Waits until `earmark migrate` has brought the database to this version, and throws as `migrate` does for one that a service cannot use.
 * The role needs no right to create anything.
 */
export async function awaitMigrated(databaseUrl: string, log: FastifyBaseLogger): Promise<void> {
  let told: string | undefined;
  for (let asked = 0; ; asked++) {
    const missing = await findMissing(databaseUrl);
    if (missing === undefined) return;
    if (missing !== told || asked % WAIT_LOGGED_EVERY === 0)
      log.info({ missing }, 'waits for earmark migrate, which runs as another role');
    told = missing;
    await sleep(WAIT_PAUSE_MS);
  }
}

/** What the database lacks: its first migration, or the rights that `migrate` grants last. */
async function findMissing(databaseUrl: string): Promise<string | undefined> {
  const client = migrationClient(databaseUrl);
  client.on('error', () => {});
  await client.connect();
  try {
    await requireVersion(client);
    await requireWritable(client);
    if (!(await hasMigrations(client))) return readMigrations()[0]!.name;
    if (!(await maySeeMigrations(client))) return 'the right to read schema_migration';
    const [first] = await findPending(client, FOLDER);
    if (first) return first.name;
    await requireServiceRights(client);
    return undefined;
  } finally {
    await client.end();
  }
}

function migrationClient(databaseUrl: string): pg.Client {
  return newClient(databaseUrl, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, application_name: 'earmark migrate' });
}

function aboutOf(sql: string): string {
  return /^-- (.*)/.exec(sql)?.[1] ?? '';
}

async function hasMigrations(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(`select from pg_class where oid = to_regclass('schema_migration')`);
  return rowCount === 1;
}

async function maySeeMigrations(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(`select has_table_privilege('schema_migration', 'select') as may`);
  return rows[0]!.may;
}

/** Returns the pending migrations. Throws a SchemaError when the database has one that this version does not have as it is there. */
async function findPending(client: pg.Client, folder: URL): Promise<Migration[]> {
  const known = readMigrations(folder);
  const { rows } = await client.query<Applied>(APPLIED);
  requireKnown(rows, known);
  const applied = new Set(rows.map((row) => row.name));
  return known.filter(({ name }) => !applied.has(name));
}

/** Applies a migration, and retries while its tables are in use. Returns false when another process has applied it. */
async function applyWhenFree(client: pg.Client, migration: Migration): Promise<boolean> {
  const deadline = performance.now() + LOCK_WITHIN_MS;
  for (;;) {
    try {
      return await withMigrationLock(client, () => apply(client, migration));
    } catch (error) {
      const isInUse = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
      if (!isInUse || performance.now() > deadline) throw error;
    }
    await sleep(LOCK_PAUSE_MS);
  }
}

async function apply(client: pg.Client, { name, sql, digest }: Migration): Promise<boolean> {
  const known = await client.query('select 1 from schema_migration where name = $1', [name]);
  if (known.rowCount !== 0) return false;
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await client.query(sql);
  await client.query('insert into schema_migration (name, applied, digest) values ($1, $2, $3)', [name, new Date(), digest]);
  return true;
}

/** Runs work in a transaction under the lock that excludes other migrating processes. */
async function withMigrationLock<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function requireGroups(client: pg.Client, wanted: number): Promise<void> {
  if (!(await isCoordinator(client)))
    throw new SchemaError('Only a Citus cluster with workers has a number of groups, and the database is a single server.');
  const groups = await countGroups(client);
  if (groups > 0 && groups !== wanted)
    throw new SchemaError(`The tables are already distributed into ${groups} groups. Only a restore changes that.`);
}
