// A backup on disk: a folder with a file for each table, the keys and credentials of the data directory, and a manifest that proves it whole.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UserError } from '../user-error.ts';

/** A table as it was in one snapshot of the database: PostgreSQL's text format of COPY, gzipped. */
export type TableFile = { name: string; columns: string[]; rows: number; file: string; sha256: string };

export type Manifest = {
  format: 1;
  /** When the snapshot was taken, and by which version of Earmark. */
  time: string;
  version: string;
  migrations: string[];
  /** The keys that seal what is in it; without them it is of no use. */
  keyIds: string[];
  tables: TableFile[];
  /** Files of the data directory that came along. */
  files: { name: string; sha256: string }[];
};

/** The folder is no backup, or not whole; one line that says why. */
export class BackupError extends UserError {}

export const MANIFEST = 'manifest.json';

/** Reads the manifest of a backup and proves every file against it. */
export async function readBackup(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new BackupError(`${folder} is no backup: it has no ${MANIFEST}.`);
  });
  const manifest = parse(text, folder);
  for (const { file, sha256 } of [...manifest.tables, ...manifest.files.map(({ name, sha256 }) => ({ file: name, sha256 }))]) {
    const found = await digestOf(join(folder, file)).catch(() => 'missing');
    if (found !== sha256)
      throw new BackupError(`The backup is damaged: ${file} is ${found === 'missing' ? 'missing' : 'not as it was'}.`);
  }
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
  if (manifest.format !== 1) throw new BackupError('The backup was made by a newer version of Earmark. Restore it with that.');
  return manifest;
}
