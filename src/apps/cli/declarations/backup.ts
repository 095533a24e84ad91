// Declarations of `earmark backup` and `earmark restore`.
import { command } from '../command.ts';
import { askBeforeFork, logOptions } from './log.ts';
import { groupsOption } from './operation.ts';

const folderWord = [{ name: 'DIR', about: 'the folder of the backup' }] as const;

const make = command({
  name: 'backup',
  about: 'Writes the whole database into a new folder, while the service runs.',
  detail:
    'All tables are from one consistent snapshot. On a Citus cluster it is one snapshot per server: each customer, and the events, are consistent.\n\nEncryption keys: the backup includes the key generated in DATA_DIR, so protect the folder like the data itself. With --without-key the backup does not include it: keep a copy of DATA_DIR/encryption-key in another place. When ENCRYPTION_KEY is set, the backup never includes that key: keep a copy of it. Without the key, sealed data cannot be read.\n\nWith --encrypt, every file except the manifest is encrypted in the age format, so that the folder can be kept anywhere: only the identity opens it. `age-keygen -o FILE` makes one, and prints its recipient.\n\nThe manifest has the digest of every file, and is signed by the key of the transparency logs. The key is printed: keep it in another place, for `earmark restore --signed-by`.\n\nDocument content in an S3 store is not part of the backup.',
  words: folderWord,
  options: {
    'without-key': { about: 'leaves out the generated encryption key; `earmark restore` then needs it in ENCRYPTION_KEY' },
    encrypt: { value: 'RECIPIENT', about: 'encrypts the files to a recipient in the age format (age1…)', multiple: true },
  },
  examples: [
    'earmark backup /backups/2026-11-21',
    'earmark backup /backups/$(date +%F) --without-key --json',
    'earmark backup /backups/2026-11-21 --encrypt age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
  ],
  run: async (call) => (await import('../backup.ts')).backup(call),
});

const restore = command({
  name: 'restore',
  about: 'Restores a backup into an empty database, migrates it to this version, and checks the ledger.',
  detail:
    'The digest of every file and the signature are checked first: the signing key must be one of the backup that the encryption key opens, or the key of --signed-by, which nobody with access to the folder can replace. With the embedded server, DATA_DIR must be new. With DATABASE_URL, the database must have no tables. On the coordinator of a Citus cluster the tables are distributed first. The encryption keys of the backup must be available: in ENCRYPTION_KEY, in the backup, or in DATA_DIR.\n\nTransparency logs are held after a restore, because entries may have been signed after the backup: nothing is signed until --checkpoint or --fork-log, here or with `earmark log continue`.',
  words: folderWord,
  options: {
    'without-key': { about: 'restores without the encryption keys: money and events are complete, sealed data stays unreadable' },
    identity: { value: 'FILE', about: 'the age identity that opens an encrypted backup' },
    'signed-by': { value: 'KEY', about: 'the key that must have signed the backup, as `earmark backup` printed it' },
    unsigned: { about: 'restores a backup whose signature is missing or cannot be checked' },
    groups: groupsOption,
    ...logOptions,
  },
  examples: [
    'DATA_DIR=./restored earmark restore /backups/2026-11-21',
    'DATABASE_URL=postgres://… earmark restore /backups/2026-11-21',
    'DATA_DIR=./restored earmark restore /backups/2026-11-21 --identity ~/backup.key',
    'DATABASE_URL=postgres://user:password@coordinator/earmark earmark restore /backups/2026-11-21 --groups 16',
  ],
  exits: { 1: 'not restored, or restored with a failed ledger check' },
  asks: askBeforeFork,
  run: async (call) => (await import('../backup.ts')).restore(call),
});

const record = command({
  name: 'backup record',
  about: 'Records that another tool, such as pgBackRest, has just made a backup, for the metric and the alert of the newest one.',
  detail: 'Call it only after the tool has succeeded. A backup into a folder named record is `earmark backup ./record`.',
  options: { drill: { about: 'records a successful restore drill instead' } },
  examples: ['earmark backup record', 'earmark backup record --drill'],
  run: async (call) => (await import('../backup.ts')).record(call),
});

export const backupCommands = [make, record, restore];
