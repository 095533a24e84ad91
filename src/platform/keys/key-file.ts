// The file of encryption keys in a data directory: read, created with a new key, and compared by the ids of its keys.
import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseKeys } from '../config/encryption-keys.ts';
import { syncFolder } from '../sync-folder.ts';
import { KEY_BYTES, KeyError, keyIdOf } from './sealing.ts';

/** The key file in a data directory. */
export const KEY_FILE = 'encryption-key';

/** Reads the keys in `<dataDir>/encryption-key`, newest first ("new,old" as in ENCRYPTION_KEY). Throws KeyError if there is no such file. */
export async function loadKeys(dataDir: string): Promise<Buffer[]> {
  const file = join(dataDir, KEY_FILE);
  const text = await readIfThere(file);
  if (text !== undefined) return readKeys(file, text);
  throw new KeyError(`There is no encryption key ${file}. Set DATA_DIR to that of the service, or ENCRYPTION_KEY to its key.`);
}

/**
 * Like `loadKeys`, but creates a key, readable by the owner only, if there is no such file. Of concurrent processes, one creates the
 * key and all read it.
 */
export async function loadOrMakeKey(dataDir: string): Promise<Buffer[]> {
  const file = join(dataDir, KEY_FILE);
  return readKeys(file, (await readIfThere(file)) ?? (await makeKeyFile(dataDir, file)));
}

/** The given keys, or else those in `<folder>/encryption-key`, newest first. Empty if there is no such file. */
export async function findGivenKeys(given: Buffer[], folder: string): Promise<Buffer[]> {
  const file = join(folder, KEY_FILE);
  const text = given.length > 0 ? undefined : await readIfThere(file);
  return text === undefined ? given : readKeys(file, text);
}

/** The ids of these keys. */
export async function findKeyIds(given: Buffer[], folder: string): Promise<string[]> {
  return (await findGivenKeys(given, folder)).map(keyIdOf);
}

/** Reads the text of a key file. Throws a KeyError if it is malformed. */
export function readKeys(file: string, text: string): Buffer[] {
  const keys = parseKeys(text);
  if (keys) return keys;
  throw new KeyError(`${file} must contain 32 bytes in base64, or "new,old". Restore it from a backup, or set ENCRYPTION_KEY.`);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new KeyError(`The encryption key ${file} cannot be read: ${code}.`, { cause: error });
  }
}

/** Writes a complete, durable draft, then links it to the file name: no partial key can appear, and no second one replace it. */
async function makeKeyFile(dataDir: string, file: string): Promise<string> {
  const draft = join(dataDir, `.${KEY_FILE}-${randomUUID()}`);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeDurably(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await syncFolder(dataDir);
  } catch (error) {
    throw new KeyError(`The encryption key ${file} cannot be created: ${(error as NodeJS.ErrnoException).code}.`, {
      cause: error,
    });
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
  return readFile(file, 'utf8');
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
