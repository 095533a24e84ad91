// `earmark cluster move-in`: moves the database of a single server into an empty cluster, by a backup that stays and a restore.
import { readConfig } from '../../platform/config/config.ts';
import { newClient } from '../../platform/db/client.ts';
import { isCoordinator } from '../../platform/db/cluster/distribute.ts';
import { connectCommand } from '../../platform/db/connect.ts';
import { readBackup } from '../backup/manifest.ts';
import { requireEmpty } from '../backup/restore.ts';
import { countRows, restoreChecked, takeBackup } from './backup.ts';
import { UsageError } from './command.ts';
import { readGroups } from './migrate.ts';
import { print } from './output.ts';
import { requireFolder } from './output-file.ts';
import { type Tools, withDatabase } from './with-database.ts';

type Options = { to: string; groups: string | undefined };

export async function moveIn(call: { words: readonly [folder: string]; options: Options; json: boolean }): Promise<number> {
  const { words, options, json } = call;
  const folder = requireFolder('DIR', words[0]);
  const config = readConfig({ DATABASE_URL_FILE: options.to });
  const groups = readGroups(options.groups, config);
  const { url: databaseUrl } = await connectCommand(config);
  await requireEmptyCluster(databaseUrl);
  await withDatabase(
    async (tools) => {
      await requireUnused(tools);
      await takeBackup(tools, { folder, withoutKey: false, recipients: [] });
    },
    async () => {},
    { asOwner: true },
  );
  const backup = { folder, identities: [] };
  const manifest = await readBackup(backup);
  const restored = await restoreChecked({ databaseUrl, backup, manifest, groups });
  const report = { backup: folder, ...restored, tables: manifest.tables.length, rows: countRows(manifest), ledger: 'consistent' };
  print(
    {
      ...report,
      next: `start the services with DATABASE_URL_FILE=${options.to}, and continue the logs: earmark log continue --help`,
    },
    json,
  );
  return 0;
}

/** Throws a UserError unless the database is the coordinator of a cluster that has workers, and has no tables. */
async function requireEmptyCluster(databaseUrl: string): Promise<void> {
  const client = newClient(databaseUrl);
  await client.connect();
  const hasWorkers = await isCoordinator(client).finally(() => client.end());
  if (!hasWorkers) throw new UsageError('The target is not the coordinator of a Citus cluster with workers.');
  await requireEmpty(databaseUrl);
}

/** Throws a UsageError while another process uses the database: the backup would lack what it writes afterwards. */
async function requireUnused({ database: { sql } }: Tools): Promise<void> {
  const others = await sql`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'earmark' and pid <> pg_backend_pid()`;
  if (others.length > 0)
    throw new UsageError(`Earmark still uses the database (open connections: ${others.length}). Stop all services first.`);
}
