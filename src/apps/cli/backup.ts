// `earmark backup` and `earmark restore`: copy the database into a folder and back.
import { text } from 'node:stream/consumers';
import { parseVerifier, type Verifier } from '../../../packages/proof/src/note.ts';
import { VERSION } from '../../core/version.ts';
import { type Config, readConfig } from '../../platform/config/config.ts';
import { connectCommand } from '../../platform/db/connect.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { findMode } from '../../platform/db/mode.ts';
import { databaseError, openDatabase } from '../../platform/db/sql.ts';
import { findGivenKeys, findKeyIds, KEY_FILE, readKeys } from '../../platform/keys/key-file.ts';
import { KeyError, keyIdOf, openSealer } from '../../platform/keys/sealing.ts';
import { readIdentities } from '../backup/age.ts';
import { backUp } from '../backup/backup.ts';
import { type Manifest, openStored, readBackup, type Stored } from '../backup/manifest.ts';
import { restoreFiles, restoreTables } from '../backup/restore.ts';
import { requireSigned, type Signed, signManifest } from '../backup/signature.ts';
import { BACKUP, DRILL, recordBackup } from '../jobs/runs.ts';
import { listKeyUses } from '../keys/rotate.ts';
import { verifyInSlices } from '../service/ledger-check.ts';
import { CallError, cleaningUp, UsageError } from './command.ts';
import { applyToLogs, readCheckpoints } from './log.ts';
import { readGroups } from './migrate.ts';
import { print } from './output.ts';
import { requireFolder } from './output-file.ts';
import { openProgress } from './progress.ts';
import { type Tools, withDatabase } from './with-database.ts';

/** SQLSTATEs undefined_table and undefined_column. */
const UNDEFINED = ['42P01', '42703'];

type FolderCall<O> = { words: readonly [folder: string]; options: O; json: boolean };
type BackupOptions = { 'without-key': boolean; encrypt: string[] };
type RestoreOptions = {
  'without-key': boolean;
  identity: string | undefined;
  'signed-by': string | undefined;
  unsigned: boolean;
  groups: string | undefined;
  checkpoint: string[];
  'fork-log': boolean;
};

export async function backup({ words: [folder], options, json }: FolderCall<BackupOptions>): Promise<number> {
  const { 'without-key': withoutKey, encrypt: recipients } = options;
  requireFolder('DIR', folder);
  // A backup taken before an upgrade must not migrate the database.
  const take = (tools: Tools) => takeBackup(tools, { folder, withoutKey, recipients });
  const { manifest, signed } = await withDatabase(take, unchanged, { asOwner: true });
  const files = manifest.files.map(({ name }) => name).join(' ') || 'none';
  print(
    {
      folder,
      time: manifest.time,
      tables: manifest.tables.length,
      rows: countRows(manifest),
      files,
      signed_by: signed?.signers[0] ?? 'nobody',
    },
    json,
  );
  return 0;
}

/** Writes a backup, with progress. */
export async function takeBackup(
  tools: Tools,
  { withoutKey, ...options }: { folder: string; withoutKey: boolean; recipients: string[] },
): ReturnType<typeof backUp> {
  const { config, database, databaseUrl } = tools;
  const { dataDir } = config;
  const progress = openProgress('backing up');
  const keyIds = await findKeysInUse(tools);
  const files = (await listDataFiles(config, keyIds)).filter((name) => !(withoutKey && name === KEY_FILE));
  const sign = (text: string) => signIfPossible(tools, text);
  const source = { databaseUrl, dataDir, files };
  const made = await backUp({ ...source, ...options, version: VERSION, keyIds, sign, onShare: progress.show }).finally(
    progress.end,
  );
  if (!made.signed) process.stderr.write('The backup is not signed, because no key that signs is available here.\n');
  // A standby takes no writes, and its backup is complete without.
  await recordBackup(database.sql, new Date(made.manifest.time)).catch((error: Error) => {
    process.stderr.write(`The backup is complete, but its time is not recorded for the metrics: ${error.message}.\n`);
  });
  return made;
}

export async function record({ options, json }: { options: { drill: boolean }; json: boolean }): Promise<number> {
  const what = options.drill ? DRILL : BACKUP;
  const time = new Date();
  await withDatabase(({ database }) => recordBackup(database.sql, time, what), requireMigrated);
  print({ recorded: what, time: time.toISOString() }, json);
  return 0;
}

export function countRows({ tables }: Manifest): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

async function unchanged(): Promise<void> {}

/**
 * The files of the data directory that a restore needs beside the database. That of an external server may be of another database: only a
 * key that is in use is taken.
 */
async function listDataFiles(config: Config, keyIds: string[]): Promise<string[]> {
  if (!config.databaseUrl) return [KEY_FILE, 'sandbox.json'];
  if (config.encryptionKeys.length > 0) return [];
  const generated = await findKeyIds([], config.dataDir);
  return generated.some((id) => keyIds.includes(id)) ? [KEY_FILE] : [];
}

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
  const signedBy = readSignedBy(options);
  const backup = { folder, identities: options.identity === undefined ? [] : await readIdentities(options.identity) };
  const manifest = await readBackup(backup);
  const withoutKey = options['without-key'];
  const files = await listRestored(manifest, config, withoutKey);
  const keys = withoutKey ? undefined : await requireKeys({ ...manifest, files }, backup, config);
  const signer = options.unsigned ? 'not checked' : await requireSigned(backup, manifest, { keys, signedBy });
  if (!config.databaseUrl) await restoreFiles(files, backup, config.dataDir);
  const connection = await connectCommand(config, { create: true });
  const { ownerUrl: databaseUrl, stop } = connection;
  const restored = await cleaningUp(
    () => restoreChecked({ databaseUrl, backup, manifest, groups }, { checkpoints, 'fork-log': options['fork-log'] }),
    stop,
  );
  if (config.databaseUrl) await restoreFiles(files, backup, config.dataDir);
  const { time: of, tables } = manifest;
  print(
    { folder, of, signed_by: signer, ...restored, tables: tables.length, rows: countRows(manifest), ledger: 'consistent' },
    json,
  );
  return 0;
}

type LogOptions = { checkpoints: ReturnType<typeof readCheckpoints>; 'fork-log': boolean };

/** Restores a backup and checks the ledger, with progress. Returns what to print of the database: its mode, and its transparency logs. */
export async function restoreChecked(
  options: Omit<Parameters<typeof restoreTables>[0], 'onShare'>,
  { checkpoints, ...logOptions }: LogOptions = { checkpoints: [], 'fork-log': false },
): Promise<{ mode: string; logs?: string }> {
  const progress = openProgress('restoring');
  const restoring = async () => {
    await restoreTables({ ...options, onShare: progress.show });
    const database = openDatabase(options.databaseUrl, { max: 1, onError: () => {} });
    const check = async () => ({
      logs: await applyToLogs(database, checkpoints, logOptions),
      mode: (await findMode(database.sql)) ?? 'none',
      violations: await verifyInSlices(database, { onSlice: ({ share }) => progress.show(share, 'checking the ledger') }),
    });
    return check().finally(database.close);
  };
  const { violations, mode, logs } = await restoring().finally(progress.end);
  if (violations.length === 0) return { mode, ...describeLogs(logs) };
  throw new UsageError(
    `The database was restored, but the ledger check failed: ${violations[0]!.rule}. Run earmark verify --full.`,
  );
}

/** Says what must be done for the transparency logs, if there are any. */
function describeLogs({ continued, forked, held }: { continued: number; forked: number; held: number }) {
  if (held > 0) return { logs: `${held} held, nothing is signed; see earmark log continue --help` };
  return continued + forked === 0 ? {} : { logs: `${continued} continued, ${forked} forked` };
}

/** The files to copy into the data directory. With an external server it is only the key, unless there is one already. */
async function listRestored({ files }: Manifest, config: Config, withoutKey: boolean): Promise<Manifest['files']> {
  if (!config.databaseUrl) return files;
  if (withoutKey || (await findGivenKeys(config.encryptionKeys, config.dataDir)).length > 0) return [];
  return files.filter(({ name }) => name === KEY_FILE);
}

/** Returns the encryption keys. Refuses a backup sealed with keys that the restored service would not have. */
async function requireKeys(manifest: Manifest, backup: Stored, config: Config): Promise<Buffer[]> {
  const included = manifest.files.find(({ name }) => name === KEY_FILE);
  const keys =
    included && config.encryptionKeys.length === 0
      ? readKeys(`${backup.folder}/${included.file}`, await text(await openStored(backup, included.file)))
      : await findGivenKeys(config.encryptionKeys, config.dataDir);
  const known = keys.map(keyIdOf);
  const missing = manifest.keyIds.filter((id) => !known.includes(id));
  if (missing.length > 0) {
    throw new UsageError(
      `The backup is sealed with encryption key ${missing.join(', ')}, which is not available (available: ${known.join(', ') || 'none'}). Set ENCRYPTION_KEY to it.`,
    );
  }
  return keys;
}

function readSignedBy({ 'signed-by': text, unsigned }: RestoreOptions): Verifier | undefined {
  if (text === undefined) return undefined;
  if (unsigned) throw new CallError('--signed-by cannot be combined with --unsigned.');
  const verifier = parseVerifier(text);
  if (!verifier) throw new CallError('--signed-by takes a key as `earmark backup` prints it: earmark-backup+id+key.');
  return verifier;
}

/** Returns undefined if there is no key of transparency logs, or if this process cannot open it. */
async function signIfPossible({ config, database: { sql } }: Tools, text: string): Promise<Signed | undefined> {
  const keys = await findGivenKeys(config.encryptionKeys, config.dataDir);
  if (keys.length === 0) return undefined;
  try {
    return await signManifest(text, { sql, sealer: openSealer(keys) });
  } catch (error) {
    if (error instanceof KeyError || UNDEFINED.includes(databaseError(error)?.state ?? '')) return undefined;
    throw error;
  }
}
