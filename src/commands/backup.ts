// `earmark backup` and `earmark restore`: copy the database into a folder and back.
import { backUp } from '../backup/backup.ts';
import { type Manifest, readBackup } from '../backup/manifest.ts';
import { restoreFiles, restoreTables } from '../backup/restore.ts';
import { type Config, readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { findMode } from '../db/mode.ts';
import { databaseError, openDatabase } from '../db/sql.ts';
import { findKeyIds, KEY_FILE } from '../key-file.ts';
import { listKeyUses } from '../keys/rotate.ts';
import { verifyInSlices } from '../ledger/verify.ts';
import { VERSION } from '../version.ts';
import { cleaningUp, UsageError } from './command.ts';
import { applyToLogs, readCheckpoints } from './log.ts';
import { readGroups } from './migrate.ts';
import { print } from './output.ts';
import { openProgress } from './progress.ts';
import { type Tools, withDatabase } from './with-database.ts';

/** SQLSTATEs undefined_table and undefined_column. */
const UNDEFINED = ['42P01', '42703'];

type Options = { 'without-key': boolean };
type FolderCall<O extends Options = Options> = { words: readonly [folder: string]; options: O; json: boolean };
type RestoreOptions = Options & { groups: string | undefined; checkpoint: string[]; 'fork-log': boolean };

export async function backup({ words: [folder], options, json }: FolderCall): Promise<number> {
  const progress = openProgress('backing up');
  // A backup taken before an upgrade must not migrate the database.
  const manifest = await withDatabase(async (tools) => {
    const { config, databaseUrl } = tools;
    const keyIds = await findKeysInUse(tools);
    const dataDir = config.databaseUrl ? undefined : config.dataDir;
    const withoutKey = options['without-key'];
    return backUp({ databaseUrl, dataDir, withoutKey, folder, version: VERSION, keyIds, onShare: progress.show });
  }, unchanged).finally(progress.end);
  const rows = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
  const files = manifest.files.map(({ name }) => name).join(' ') || 'none';
  print({ folder, time: manifest.time, tables: manifest.tables.length, rows, files }, json);
  return 0;
}

async function unchanged(): Promise<void> {}

/** Returns the ids of the keys in use; with an older schema, which does not show them, the ids of the available keys. */
async function findKeysInUse({ config, database }: Tools): Promise<string[]> {
  try {
    const uses = await listKeyUses(database.sql);
    return [...new Set(uses.map(({ keyId }) => keyId))];
  } catch (error) {
    if (!UNDEFINED.includes(databaseError(error)?.state ?? '')) throw error;
    return findKeyIds(config.encryptionKeys, config.dataDir);
  }
}

export async function restore({ words: [folder], options, json }: FolderCall<RestoreOptions>): Promise<number> {
  const config = readConfig();
  const groups = readGroups(options.groups, config);
  const checkpoints = readCheckpoints(options);
  const progress = openProgress('restoring');
  const manifest = await readBackup(folder);
  if (!options['without-key']) await requireKeys(manifest, folder, config);
  if (!config.databaseUrl) await restoreFiles(manifest, folder, config.dataDir);
  const connection = await connectCommand(config, { create: true });
  const { violations, mode, logs } = await cleaningUp(async () => {
    await restoreTables({ databaseUrl: connection.url, folder, manifest, groups, onShare: progress.show });
    const database = openDatabase(connection.url, { max: 1, onError: () => {} });
    const check = async () => ({
      logs: await applyToLogs(database, checkpoints, options),
      mode: (await findMode(database.sql)) ?? 'none',
      violations: await verifyInSlices(database, { onSlice: ({ share }) => progress.show(share, 'checking the ledger') }),
    });
    return check().finally(database.close);
  }, connection.stop).finally(progress.end);
  if (violations.length > 0)
    throw new UsageError(`The database was restored, but the ledger check failed: ${violations[0]!.rule}. Run earmark verify.`);
  const rows = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
  print(
    { folder, of: manifest.time, mode, tables: manifest.tables.length, rows, ledger: 'consistent', ...describeLogs(logs) },
    json,
  );
  return 0;
}

/** Says what must be done for the transparency logs, if there are any. */
function describeLogs({ continued, forked, held }: { continued: number; forked: number; held: number }) {
  if (held > 0) return { logs: `${held} held, nothing is signed; see earmark log continue --help` };
  return continued + forked === 0 ? {} : { logs: `${continued} continued, ${forked} forked` };
}

/** Refuses a backup sealed with keys that the restored service would not have. */
async function requireKeys(manifest: Manifest, folder: string, config: Config): Promise<void> {
  const includesKey = !config.databaseUrl && manifest.files.some(({ name }) => name === KEY_FILE);
  const known = await findKeyIds(config.encryptionKeys, includesKey ? folder : config.dataDir);
  const missing = manifest.keyIds.filter((id) => !known.includes(id));
  if (missing.length > 0) {
    throw new UsageError(
      `The backup is sealed with encryption key ${missing.join(', ')}, which is not available (available: ${known.join(', ') || 'none'}). Set ENCRYPTION_KEY to it.`,
    );
  }
}
