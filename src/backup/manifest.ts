// Backup format: a folder with one file per table, the key and credentials of the data directory, and a manifest with checksums.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Applied, requireKnown } from '../db/migrations.ts';
import { UserError } from '../user-error.ts';

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
  files: { name: string; sha256: string }[];
};

/** The backup cannot be made, read or restored. The message is one line. */
export class BackupError extends UserError {}

export const MANIFEST = 'manifest.json';
const FORMAT = 2;

/** Reads the manifest of a backup. Checks the digest of every file, and that this version has its migrations. */
export async function readBackup(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new BackupError(`${folder} is not a backup: it has no ${MANIFEST}.`);
  });
  const manifest = parse(text, folder);
  for (const { file, sha256 } of [...manifest.tables, ...manifest.files.map(({ name, sha256 }) => ({ file: name, sha256 }))]) {
    const found = await digestOf(join(folder, file)).catch(() => 'missing');
    if (found !== sha256)
      throw new BackupError(`The backup is damaged: ${file} is ${found === 'missing' ? 'missing' : 'modified'}.`);
  }
  requireKnown(manifest.migrations);
  return manifest;
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
