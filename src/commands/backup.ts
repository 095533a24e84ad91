// `earmark backup` and `earmark restore`: the whole database in a folder, and back.
import { backUp } from '../backup/backup.ts';
import { readBackup } from '../backup/manifest.ts';
import { restoreFiles, restoreTables } from '../backup/restore.ts';
import { readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { openDatabase } from '../db/sql.ts';
import { verifyInSlices } from '../ledger/verify.ts';
import { VERSION } from '../version.ts';
import { cleaningUp, command, UsageError } from './command.ts';
import { print } from './output.ts';
import { openProgress } from './progress.ts';
import { openSealerOf, withDatabase } from './with-database.ts';

const folderWord = [{ name: 'DIR', about: 'the folder of the backup' }] as const;

const make = command({
  name: 'backup',
  about: 'Writes everything in the database into a new folder, while the service goes on.',
  detail:
    'All tables are of one moment, so the books are whole. With the embedded server the made encryption key comes along: keep the folder as safe as the data. Where ENCRYPTION_KEY is set, keep that key yourself: without it sealed data cannot be read. Pictures in an S3 store are not in it.',
  words: folderWord,
  examples: ['earmark backup /backups/2026-11-21', 'earmark backup /backups/$(date +%F) --json'],
  async run({ words: [folder], json }) {
    const progress = openProgress('backing up');
    const manifest = await withDatabase(async (tools) => {
      const { config, databaseUrl } = tools;
      const { keyIds } = await openSealerOf(tools);
      const dataDir = config.databaseUrl ? undefined : config.dataDir;
      return backUp({ databaseUrl, dataDir, folder, version: VERSION, keyIds: [...keyIds], onShare: progress.show });
    }).finally(progress.end);
    const rows = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
    const files = manifest.files.map(({ name }) => name).join(' ') || 'none';
    print({ folder, time: manifest.time, tables: manifest.tables.length, rows, files }, json);
    return 0;
  },
});

const restore = command({
  name: 'restore',
  about: 'Fills an empty database from a backup, brings it to the schema of this version, and proves the books.',
  detail:
    'Every file is proven against the manifest first. With the embedded server, DATA_DIR must be new; with DATABASE_URL, the database must have no tables.',
  words: folderWord,
  examples: [
    'DATA_DIR=./restored earmark restore /backups/2026-11-21',
    'DATABASE_URL=postgres://… earmark restore /backups/2026-11-21',
  ],
  exits: { 1: 'not restored, or a rule of the books is broken in it' },
  async run({ words: [folder], json }) {
    const progress = openProgress('restoring');
    const manifest = await readBackup(folder);
    const config = readConfig();
    if (!config.databaseUrl) await restoreFiles(manifest, folder, config.dataDir);
    const connection = await connectCommand(config);
    const violations = await cleaningUp(async () => {
      await restoreTables({ databaseUrl: connection.url, folder, manifest, onShare: progress.show });
      const database = openDatabase(connection.url, { max: 1, onError: () => {} });
      return verifyInSlices(database, { onSlice: ({ share }) => progress.show(share, 'proving the books') }).finally(
        database.close,
      );
    }, connection.stop).finally(progress.end);
    if (violations.length > 0)
      throw new UsageError(`Restored, but a rule is broken: ${violations[0]!.rule}. Run earmark verify.`);
    const rows = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
    print({ folder, of: manifest.time, tables: manifest.tables.length, rows, books: 'hold' }, json);
    return 0;
  },
});

export const backup = [make, restore];
