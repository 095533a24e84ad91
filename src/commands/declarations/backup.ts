// The commands that back the database up and restore it.
import { command } from '../command.ts';

const folderWord = [{ name: 'DIR', about: 'the folder of the backup' }] as const;

const make = command({
  name: 'backup',
  about: 'Writes everything in the database into a new folder, while the service goes on.',
  detail:
    'All tables are of one moment, so the books are whole. With the embedded server the made encryption key comes along: keep the folder as safe as the data, or leave the key out with --without-key and keep a copy of DATA_DIR/encryption-key in another place: who has only one of them can read nothing sealed, you included. Where ENCRYPTION_KEY is set, keep that key yourself: without it sealed data cannot be read. Pictures in an S3 store are not in it.',
  words: folderWord,
  options: { 'without-key': { about: 'leaves out the made encryption key, which restoring then needs in ENCRYPTION_KEY' } },
  examples: ['earmark backup /backups/2026-11-21', 'earmark backup /backups/$(date +%F) --without-key --json'],
  run: async (call) => (await import('../backup.ts')).backup(call),
});

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
  run: async (call) => (await import('../backup.ts')).restore(call),
});

export const backupCommands = [make, restore];
