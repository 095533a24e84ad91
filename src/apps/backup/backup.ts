// Online backup of a database: writes all tables from one consistent snapshot into a folder.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { syncFolder } from '../../platform/sync-folder.ts';
import { AGE, encryptTo, type Stage } from './age.ts';
import { BackupError, digestOf, MANIFEST, type Manifest, type TableFile } from './manifest.ts';
import { SIGNATURE, type Signed } from './signature.ts';
import { openSnapshot, type Snapshot, type Source, type Table } from './snapshot.ts';

/** The fastest level: sealed data does not compress anyway. */
const GZIP_LEVEL = 1;
/** Where files are written, and what encrypts them. */
type Target = { folder: string; encrypt: Stage | undefined };

/**
 * Writes a backup into a temporary folder and renames it when complete. Takes no locks that block others, but its snapshot delays
 * vacuum until the end. `files`: names of files in `dataDir`, which are copied if they exist. `recipients`: in the age format, of which
 * each opens the files; none for files that are not encrypted. Throws a BackupError when `folder` exists and is not an empty folder.
 */
export async function backUp(options: {
  databaseUrl: string;
  dataDir: string;
  files: string[];
  recipients: string[];
  folder: string;
  version: string;
  keyIds: string[];
  /** Signs the text of the manifest, if it can. */
  sign: (manifest: string) => Promise<Signed | undefined>;
  onShare: (share: number, table: string) => void;
}): Promise<{ manifest: Manifest; signed: Signed | undefined }> {
  const folder = resolve(options.folder);
  const draft = join(dirname(folder), `.earmark-backup-${randomUUID()}`);
  const encrypt = options.recipients.length === 0 ? undefined : await encryptTo(options.recipients);
  await requireFree(folder);
  await mkdir(draft, { recursive: true, mode: 0o700 }).catch(refuse(folder));
  let snapshot: Snapshot | undefined;
  try {
    snapshot = await openSnapshot(options.databaseUrl);
    const copied = await copyTables(snapshot, { folder: draft, encrypt }, options.onShare);
    const files = await copyFiles(options, { folder: draft, encrypt });
    const { version, keyIds } = options;
    const manifest: Manifest = { format: 2, version, keyIds, ...copied, files };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    const signed = await options.sign(text);
    await writeFile(join(draft, MANIFEST), text, { mode: 0o600, flush: true });
    if (signed) await writeFile(join(draft, SIGNATURE), signed.note, { mode: 0o600, flush: true });
    await requireFree(folder);
    await rename(draft, folder).catch(refuse(folder));
    await syncFolder(dirname(folder));
    return { manifest, signed };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  } finally {
    await snapshot?.close();
  }
}

/** Requires that the path does not exist or is an empty folder, which is removed. */
async function requireFree(folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') refuse(folder)(error);
  });
}

function refuse(folder: string): (error: NodeJS.ErrnoException) => never {
  return ({ code = 'unknown error' }) => {
    const exists = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(code);
    throw new BackupError(exists ? `${folder} already exists. Name a new folder.` : `${folder} cannot be created: ${code}.`);
  };
}

async function copyTables(
  { time, migrations, tables: all }: Snapshot,
  target: Target,
  onShare: (share: number, table: string) => void,
): Promise<Pick<Manifest, 'time' | 'migrations' | 'tables'>> {
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0) || 1;
  const tables: TableFile[] = [];
  let done = 0;
  for (const table of all) {
    onShare(done / total, table.name);
    tables.push(await copyTable(table, target));
    done += table.bytes;
  }
  return { time, migrations, tables };
}

async function copyTable({ name, columns, sources }: Table, target: Target): Promise<TableFile> {
  let rows = 0;
  // COPY's text format escapes line feeds inside values, so each line feed ends a row.
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
      done(null, chunk);
    },
  });
  const stored = await write(target, `${name}.tsv.gz`, [
    Readable.from(readRows(sources, columns)),
    count,
    createGzip({ level: GZIP_LEVEL }),
  ]);
  return { name, columns, rows, ...stored };
}

async function* readRows(sources: Source[], columns: string[]): AsyncGenerator<Buffer> {
  const list = columns.map(pg.escapeIdentifier).join(', ');
  for (const { client, relation, except } of sources) {
    const ids = except.map(pg.escapeLiteral).join(', ');
    const copied = ids === '' ? `${relation} (${list})` : `(select ${list} from ${relation} where ids[1][1] not in (${ids}))`;
    yield* client.query(copyTo(`copy ${copied} to stdout`));
  }
}

async function copyFiles(
  { dataDir, files: wanted }: { dataDir: string; files: string[] },
  target: Target,
): Promise<Manifest['files']> {
  const files: Manifest['files'] = [];
  for (const name of wanted) {
    const content = await readFile(join(dataDir, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (content) files.push({ name, ...(await write(target, name, [Readable.from([content])])) });
  }
  return files;
}

/** Writes what comes out of the stages into a file, encrypted if the backup is. */
async function write(
  { folder, encrypt }: Target,
  name: string,
  stages: (Readable | Transform)[],
): Promise<Pick<TableFile, 'file' | 'sha256'>> {
  const file = encrypt ? `${name}${AGE}` : name;
  const target = createWriteStream(join(folder, file), { mode: 0o600, flush: true });
  await pipeline([...stages, ...(encrypt ? [encrypt()] : []), target]);
  return { file, sha256: await digestOf(join(folder, file)) };
}
