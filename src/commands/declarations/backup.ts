// Declarations of `earmark backup` and `earmark restore`.
import { command } from '../command.ts';
import { askBeforeFork, logOptions } from './log.ts';
import { groupsOption } from './operation.ts';

const folderWord = [{ name: 'DIR', about: 'the folder of the backup' }] as const;

const make = command({
  name: 'backup',
  about: 'Writes the whole database into a new folder, while the service runs.',
  detail:
    'All tables are from one consistent snapshot. On a Citus cluster it is one snapshot per server: each customer, and the events, are consistent.\n\nEncryption keys: with the embedded server the backup includes the generated key, so protect the folder like the data itself. With --without-key the backup does not include it: keep a copy of DATA_DIR/encryption-key in another place. When ENCRYPTION_KEY is set, the backup never includes that key: keep a copy of it. Without the key, sealed data cannot be read.\n\nDocument content in an S3 store is not part of the backup.',
  words: folderWord,
  options: {
    'without-key': { about: 'leaves out the generated encryption key; `earmark restore` then needs it in ENCRYPTION_KEY' },
  },
  examples: ['earmark backup /backups/2026-11-21', 'earmark backup /backups/$(date +%F) --without-key --json'],
  run: async (call) => (await import('../backup.ts')).backup(call),
});

const restore = command({
  name: 'restore',
  about: 'Restores a backup into an empty database, migrates it to this version, and checks the ledger.',
  detail:
    'The digest of every file is checked first. With the embedded server, DATA_DIR must be new. With DATABASE_URL, the database must have no tables. On the coordinator of a Citus cluster the tables are distributed first. The encryption keys of the backup must be available: in ENCRYPTION_KEY, in the backup, or in DATA_DIR.\n\nTransparency logs are held after a restore, because entries may have been signed after the backup: nothing is signed until --checkpoint or --fork-log, here or with `earmark log continue`.',
  words: folderWord,
  options: {
    'without-key': { about: 'restores without the encryption keys: money and events are complete, sealed data stays unreadable' },
    groups: groupsOption,
    ...logOptions,
  },
  examples: [
    'DATA_DIR=./restored earmark restore /backups/2026-11-21',
    'DATABASE_URL=postgres://… earmark restore /backups/2026-11-21',
    'DATABASE_URL=postgres://user:password@coordinator/earmark earmark restore /backups/2026-11-21 --groups 16',
  ],
  exits: { 1: 'not restored, or restored with a failed ledger check' },
  asks: askBeforeFork,
  run: async (call) => (await import('../backup.ts')).restore(call),
});

export const backupCommands = [make, restore];
