// `earmark backup` and `earmark restore`: the whole database in a folder, and back.
import { backUp } from '../backup/backup.ts';
import { type Manifest, readBackup } from '../backup/manifest.ts';
import { restoreFiles, restoreTables } from '../backup/restore.ts';
import { type Config, readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { findMode } from '../db/mode.ts';
import { databaseError, openDatabase } from '../db/sql.ts';
import { listKeyUses } from '../keys/rotate.ts';
import { verifyInSlices } from '../ledger/verify.ts';
import { findKeyIds, KEY_FILE } from '../sealing.ts';
import { VERSION } from '../version.ts';
import { cleaningUp, command, UsageError } from './command.ts';
import { print } from './output.ts';
import { openProgress } from './progress.ts';
import { type Tools, withDatabase } from './with-database.ts';

/** What the database says of a table or column that it does not have. */
const UNKNOWN = ['42P01', '42703'];
const folderWord = [{ name: 'DIR', about: 'the folder of the backup' }] as const;

const make = command({
  name: 'backup',
  about: 'Writes everything in the database into a new folder, while the service goes on.',
  detail:
    'All tables are of one moment, so the books are whole. With the embedded server the made encryption key comes along: keep the folder as safe as the data, or leave the key out with --without-key and keep a copy of DATA_DIR/encryption-key in another place: who has only one of them can read nothing sealed, you included. Where ENCRYPTION_KEY is set, keep that key yourself: without it sealed data cannot be read. Pictures in an S3 store are not in it.',
  words: folderWord,
  options: { 'without-key': { about: 'leaves out the made encryption key, which restoring then needs in ENCRYPTION_KEY' } },
  examples: ['earmark backup /backups/2026-11-21', 'earmark backup /backups/$(date +%F) --without-key --json'],
  async run({ words: [folder], options, json }) {
    const progress = openProgress('backing up');
    // As it is: what is taken before an upgrade must not be upgraded by that.
    const manifest = await withDatabase(async (tools) => {
      const { config, databaseUrl } = tools;
      const keyIds = await findKeysInUse(tools);
      const dataDir = config.databaseUrl ? undefined : config.dataDir;
      const withoutKey = options['without-key'];
      return backUp({ databaseUrl, dataDir, withoutKey, folder, version: VERSION, keyIds, onShare: progress.show });
    }, asItIs).finally(progress.end);
    const rows = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
    const files = manifest.files.map(({ name }) => name).join(' ') || 'none';
    print({ folder, time: manifest.time, tables: manifest.tables.length, rows, files }, json);
    return 0;
  },
});

async function asItIs(): Promise<void> {}

/** The keys that something is sealed under; where an older schema does not tell, those that are here. */
async function findKeysInUse({ config, database }: Tools): Promise<string[]> {
  try {
    const uses = await listKeyUses(database.sql);
    return [...new Set(uses.map(({ keyId }) => keyId))];
  } catch (error) {
    if (!UNKNOWN.includes(databaseError(error)?.state ?? '')) throw error;
    return findKeyIds(config.encryptionKeys, config.dataDir);
  }
}

const restore = command({
  name: 'restore',
  about: 'Fills an empty database from a backup, brings it to the schema of this version, and proves the books.',
  detail:
    'Every file is proven against the manifest first. With the embedded server, DATA_DIR must be new; with DATABASE_URL, the database must have no tables. The keys that it was sealed under must be there: in ENCRYPTION_KEY, in the backup, or in DATA_DIR.',
  words: folderWord,
  options: { 'without-key': { about: 'restores although a key is lost: money and events are whole, what is sealed stays so' } },
  examples: [
    'DATA_DIR=./restored earmark restore /backups/2026-11-21',
    'DATABASE_URL=postgres://… earmark restore /backups/2026-11-21',
  ],
  exits: { 1: 'not restored, or a rule of the books is broken in it' },
  async run({ words: [folder], options, json }) {
    const progress = openProgress('restoring');
    const manifest = await readBackup(folder);
    const config = readConfig();
    if (!options['without-key']) await requireKeys(manifest, folder, config);
    if (!config.databaseUrl) await restoreFiles(manifest, folder, config.dataDir);
    const connection = await connectCommand(config);
    const { violations, mode } = await cleaningUp(async () => {
      await restoreTables({ databaseUrl: connection.url, folder, manifest, onShare: progress.show });
      const database = openDatabase(connection.url, { max: 1, onError: () => {} });
      const prove = async () => ({
        mode: (await findMode(database.sql)) ?? 'none',
        violations: await verifyInSlices(database, { onSlice: ({ share }) => progress.show(share, 'proving the books') }),
      });
      return prove().finally(database.close);
    }, connection.stop).finally(progress.end);
    if (violations.length > 0)
      throw new UsageError(`Restored, but a rule is broken: ${violations[0]!.rule}. Run earmark verify.`);
    const rows = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
    print({ folder, of: manifest.time, mode, tables: manifest.tables.length, rows, books: 'hold' }, json);
    return 0;
  },
});

/** Refuses a backup sealed under keys that the restored service would not have. */
async function requireKeys(manifest: Manifest, folder: string, config: Config): Promise<void> {
  const comesAlong = !config.databaseUrl && manifest.files.some(({ name }) => name === KEY_FILE);
  const known = await findKeyIds(config.encryptionKeys, comesAlong ? folder : config.dataDir);
  const missing = manifest.keyIds.filter((id) => !known.includes(id));
  if (missing.length > 0) {
    throw new UsageError(
      `The backup is sealed under encryption key ${missing.join(', ')}, which is not here (${known.join(', ') || 'none is'}). Set ENCRYPTION_KEY to it.`,
    );
  }
}

export const backup = [make, restore];
