// Migrations: plain SQL files, forward only, applied in order in one transaction; two processes at once take turns.
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** A database this version cannot serve; one line that says why. */
export class SchemaError extends Error {}

const FOLDER = new URL('../../migrations/', import.meta.url);
const OLDEST_SERVER = 15;
const LOCK = 4_027_301;

/**
 * Brings a database to this version's schema and returns the names of the migrations applied now; with `only`, no further than those,
 * as a backup of an older version needs it.
 */
export async function migrate(databaseUrl: string, { only }: { only?: string[] } = {}): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'earmark migrate' });
  client.on('error', () => {});
  let step = 'schema_migration';
  await client.connect();
  try {
    await requireServer(client);
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await client.query('create table if not exists schema_migration (name text primary key, applied timestamptz not null)');
    const pending = (await findPending(client, only)).filter((name) => !only || only.includes(name));
    for (const name of pending) {
      step = name;
      await client.query(readFileSync(new URL(name, FOLDER), 'utf8'));
      await client.query('insert into schema_migration (name, applied) values ($1, $2)', [name, new Date()]);
    }
    await client.query('commit');
    return pending;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new SchemaError(`The database cannot be migrated (${step}): ${error.message}.`, { cause: error });
  } finally {
    await client.end();
  }
}

/** What `migrate` would apply, each with the first line that it says of itself. Changes nothing. */
export async function planMigrations(databaseUrl: string): Promise<{ name: string; about: string }[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'earmark migrate' });
  client.on('error', () => {});
  await client.connect();
  try {
    await requireServer(client);
    const { rowCount } = await client.query(`select from pg_class where oid = to_regclass('schema_migration')`);
    const pending = rowCount ? await findPending(client) : listFiles();
    return pending.map((name) => ({ name, about: aboutOf(readFileSync(new URL(name, FOLDER), 'utf8')) }));
  } finally {
    await client.end();
  }
}

function aboutOf(sql: string): string {
  return /^-- (.*)/.exec(sql)?.[1] ?? '';
}

function listFiles(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort();
}

/** The migrations a database lacks. Refused when it has one that this version does not know. */
async function findPending(client: pg.Client, wanted: string[] = []): Promise<string[]> {
  const files = listFiles();
  const { rows } = await client.query<{ name: string }>('select name from schema_migration order by name');
  const unknown = [...rows.map((row) => row.name), ...wanted].filter((name) => !files.includes(name));
  if (unknown.length > 0) {
    throw new SchemaError(
      `The database was migrated by a newer version of Earmark (${unknown.at(-1)}). Start that version instead.`,
    );
  }
  const applied = new Set(rows.map((row) => row.name));
  return files.filter((name) => !applied.has(name));
}

async function requireServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  const version = rows[0]?.server_version ?? '';
  if (Number.parseInt(version, 10) < OLDEST_SERVER) {
    throw new SchemaError(`The database server is PostgreSQL ${version}; Earmark needs ${OLDEST_SERVER} or newer.`);
  }
}
