// Restores a backup into an empty database: applies the backup's migrations, on a Citus cluster distributes the tables, loads the rows in
// one transaction, then migrates to this version.
import { createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { newClient } from '../../platform/db/client.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { BackupError, type Manifest, openStored, type Stored, type TableFile } from './manifest.ts';

/** Tables about the database itself, not its data: a restored database keeps the rows that its migration wrote. */
const OWN_ROWS = ['event_cursor', 'ledger_proof'];

/** Copies the files of a backup into a data directory, before its server starts. Throws a BackupError when one of them exists. */
export async function restoreFiles(files: Manifest['files'], backup: Stored, dataDir: string): Promise<void> {
  for (const { name } of files) {
    const existing = await stat(join(dataDir, name)).catch(() => undefined);
    if (existing) throw new BackupError(`${join(dataDir, name)} already exists. Restore into a new data directory.`);
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  for (const { name, file } of files)
    await pipeline(await openStored(backup, file), createWriteStream(join(dataDir, name), { mode: 0o600, flush: true }));
}

/**
 * Restores the tables of a backup that readBackup has checked. The database must have no tables. A failure leaves it without rows.
 * `groups`: of a cluster.
 */
export async function restoreTables(options: {
  databaseUrl: string;
  backup: Stored;
  manifest: Manifest;
  groups: number | undefined;
  onShare: (share: number, table: string) => void;
}): Promise<void> {
  const { databaseUrl, backup, manifest, groups, onShare } = options;
  await requireEmpty(databaseUrl);
  await migrate(databaseUrl, { only: manifest.migrations.map(({ name }) => name), groups });
  const client = newClient(databaseUrl, { application_name: 'earmark restore' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('begin');
    const loaded = manifest.tables.filter(({ name }) => !OWN_ROWS.includes(name));
    const tables = await sortByReferences(client, loaded);
    const total = tables.reduce((sum, { rows }) => sum + rows, 0) || 1;
    let done = 0;
    for (const table of tables) {
      onShare(done / total, table.name);
      await load(client, table, backup);
      done += table.rows;
    }
    // A cluster keeps the rows of the outbox elsewhere than a single server.
    await client.query('select split_outbox()');
    await holdLogs(client);
    await client.query('commit');
    await client.query('analyze');
  } finally {
    await client.end().catch(() => {});
  }
  await migrate(databaseUrl);
}

/** Throws a BackupError if a database has tables. */
export async function requireEmpty(databaseUrl: string): Promise<void> {
  const client = newClient(databaseUrl);
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' limit 1`,
    );
    if (rowCount) throw new BackupError('The database already has tables. Restore into an empty one.');
  } finally {
    await client.end();
  }
}

/** Nothing is signed until an operator continues the logs: they may lack entries that were signed after the backup. */
async function holdLogs(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(`select to_regclass('transparency_log') is not null as known`);
  if (rows[0]!.known) await client.query('update transparency_log set held = clock_timestamp()');
}

/** Sorts tables so that referenced tables come first. */
async function sortByReferences(client: pg.Client, tables: TableFile[]): Promise<TableFile[]> {
  const { rows } = await client.query<{ from: string; to: string }>(`
    select f.relname as from, t.relname as to
    from pg_constraint c join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
    where c.contype = 'f' and f.oid <> t.oid`);
  const ordered: TableFile[] = [];
  for (let left = tables; left.length > 0; ) {
    const isReady = ({ name }: TableFile) =>
      !rows.some(({ from, to }) => from === name && left.some((other) => other.name === to));
    const ready = left.filter(isReady);
    if (ready.length === 0)
      throw new BackupError(`The tables have circular references: ${left.map(({ name }) => name).join(', ')}.`);
    ordered.push(...ready);
    left = left.filter((table) => !ready.includes(table));
  }
  return ordered;
}

async function load(client: pg.Client, { name, columns, rows, file }: TableFile, backup: Stored): Promise<void> {
  const table = pg.escapeIdentifier(name);
  // The backup also contains the rows that migrations insert.
  await client.query(`delete from ${table}`);
  const target = client.query(copyFrom(`copy ${table} (${columns.map(pg.escapeIdentifier).join(', ')}) from stdin`));
  await pipeline(await openStored(backup, file), createGunzip(), target);
  const { rows: counted } = await client.query<{ count: string }>(`select count(*) from ${table}`);
  if (Number(counted[0]!.count) !== rows) throw new BackupError(`${name} has ${counted[0]!.count} rows, not ${rows}.`);
}
