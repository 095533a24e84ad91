// Backup format: a folder with one file per table, the key and credentials of the data directory, and a manifest with checksums.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as connect, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UserError } from '../../core/user-error.ts';
import { type Applied, requireKnown } from '../../platform/db/migrations.ts';
import { AGE, decryptWith } from './age.ts';

/** One table of the snapshot, in PostgreSQL's COPY text format, gzipped. */
export type TableFile = { name: string; columns: string[]; rows: number; file: string; sha256: string };

export type Manifest = {
  format: 2;
  /** When the snapshot was taken. */
  time: string;
  /** The version of Earmark that took it. */
  version: string;
  migrations: Applied[];
  /** Ids of the keys that seal data in the backup. Sealed data cannot be read without them. */
  keyIds: string[];
  tables: TableFile[];
  /** Files copied from the data directory. */
  files: { name: string; file: string; sha256: string }[];
};

/** A backup in a folder, and the identities that decrypt its files. */
export type Stored = { folder: string; identities: string[] };

/** The backup cannot be made, read or restored. The message is one line. */
export class BackupError extends UserError {}

export const MANIFEST = 'manifest.json';
const FORMAT = 2;

/**
 * Reads the manifest of a backup. Checks the digest of every file, and that this version has its migrations and an identity to
 * decrypt it.
 */
export async function readBackup({ folder, identities }: Stored): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new BackupError(`${folder} is not a backup: it has no ${MANIFEST}.`);
  });
  const manifest = parse(text, folder);
  const files = [...manifest.tables, ...manifest.files];
  if (identities.length === 0 && files.some(({ file }) => file.endsWith(AGE)))
    throw new BackupError('The backup is encrypted. Name the file of an identity that opens it with --identity.');
  for (const { file, sha256 } of files) {
    const found = await digestOf(join(folder, file)).catch(() => 'missing');
    if (found !== sha256)
      throw new BackupError(`The backup is damaged: ${file} is ${found === 'missing' ? 'missing' : 'modified'}.`);
  }
  requireKnown(manifest.migrations);
  return manifest;
}

/** Opens a file of a backup, decrypted. */
export async function openStored({ folder, identities }: Stored, file: string): Promise<Readable> {
  const stored = createReadStream(join(folder, file));
  if (!file.endsWith(AGE)) return stored;
  const decrypt = await decryptWith(identities);
  // An error of either reaches the reader of the second.
  return connect(stored, decrypt(), () => {});
}

/** SHA-256 of a file, in hex. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function parse(text: string, folder: string): Manifest {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch {
    throw new BackupError(`The backup is damaged: ${join(folder, MANIFEST)} is not JSON.`);
  }
  const age =
    manifest.format < FORMAT ? 'an older version of Earmark, from before the first release' : 'a newer version of Earmark';
  if (manifest.format !== FORMAT) throw new BackupError(`The backup was made by ${age}. Restore it with that.`);
  return manifest;
}
