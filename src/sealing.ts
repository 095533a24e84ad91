// Sealing: envelope encryption and keyed hashes of sensitive data, with keys that are never stored in the database.
import assert from 'node:assert/strict';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './sync-folder.ts';
import { UserError } from './user-error.ts';

export type Mac = { keyId: string; hash: Buffer };

export type Sealer = {
  /**
   * Seals with a new data key, which the newest key seals. `context` names the record (`customer:<id>`). It is authenticated but not
   * stored: opening needs the same context.
   */
  seal(plain: Buffer | string, context: string): Buffer;
  /** Opens the result of `seal`. Throws KeyError if its key is missing, SealedError if it was changed or the context differs. */
  open(sealed: Buffer, context: string): Buffer;
  /**
   * Seals like `seal`, but returns the sealed data key separately: deleting the key erases all copies of the content. Yields to the
   * event loop between slices of large content.
   */
  sealContent(plain: Buffer, context: string): Promise<SealedContent>;
  /** Opens the result of `sealContent`; throws like `open`. */
  openContent(sealed: SealedContent, context: string): Buffer;
  /** Returns the sealed buffer or wrapped key with its data key sealed by the newest key. The content is unchanged. */
  rewrap(sealed: Buffer, context: string): Buffer;
  /** The ids of the keys, newest first. */
  keyIds: [string, ...string[]];
  /** The keyed hash (HMAC-SHA-256) of a text with the newest key. Each purpose has a separate subkey. */
  mac(purpose: string, data: string): Mac;
  /** The keyed hash with each key, newest first. */
  macs(purpose: string, data: string): [Mac, ...Mac[]];
};

/** A sealed data key, and the content that it encrypts. */
export type SealedContent = { wrappedKey: Buffer; content: Buffer };

/** A key is missing or malformed. The message is one line that names the key and the remedy. */
export class KeyError extends UserError {}

/** Sealed data cannot be opened, although its key is present. The message is one line. */
export class SealedError extends UserError {}

const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
/** The key file in a data directory. */
export const KEY_FILE = 'encryption-key';
const KEY_BASE64 = /^[A-Za-z0-9+/]{43}=$/;

// Format: version, key id, sealed data key, sealed content. Each sealed part is nonce, ciphertext, tag.
const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SLICE_BYTES = 512 * 1024;
const HEAD_BYTES = 1 + KEY_ID_BYTES;
const WRAPPED_END = HEAD_BYTES + NONCE_BYTES + KEY_BYTES + TAG_BYTES;

/** Opens a sealer with keys of 32 bytes, newest first. The newest key seals; all keys open. */
export function openSealer(keys: Buffer[]): Sealer {
  assert(keys.length > 0, 'a sealer needs a key');
  const ring = keys.map(openKey);
  const [newest] = ring as [Key, ...Key[]];
  const macUnder = (key: Key, purpose: string, data: string): Mac => ({
    keyId: key.id,
    hash: createHmac('sha256', key.subkey(`mac ${purpose}`))
      .update(data)
      .digest(),
  });
  const wrap = (dataKey: Buffer, associated: Buffer) =>
    Buffer.concat([Buffer.of(VERSION), Buffer.from(newest.id, 'hex'), encrypt(newest.subkey('wrap'), dataKey, associated)]);
  const unwrap = (sealed: Buffer, associated: Buffer) =>
    decrypt(keyOf(ring, sealed).subkey('wrap'), sealed.subarray(HEAD_BYTES, WRAPPED_END), associated);
  const openContent = ({ wrappedKey, content }: SealedContent, context: string): Buffer => {
    const associated = associatedData(context);
    return decrypt(unwrap(wrappedKey, associated), content, associated);
  };
  return {
    seal(plain, context) {
      const dataKey = randomBytes(KEY_BYTES);
      const associated = associatedData(context);
      return Buffer.concat([wrap(dataKey, associated), encrypt(dataKey, plain, associated)]);
    },
    open: (sealed, context) =>
      openContent({ wrappedKey: sealed.subarray(0, WRAPPED_END), content: sealed.subarray(WRAPPED_END) }, context),
    async sealContent(plain, context) {
      const dataKey = randomBytes(KEY_BYTES);
      const associated = associatedData(context);
      return { wrappedKey: wrap(dataKey, associated), content: await encryptInSlices(dataKey, plain, associated) };
    },
    openContent,
    rewrap(sealed, context) {
      const associated = associatedData(context);
      return Buffer.concat([wrap(unwrap(sealed, associated), associated), sealed.subarray(WRAPPED_END)]);
    },
    keyIds: ring.map((key) => key.id) as [string, ...string[]],
    mac: (purpose, data) => macUnder(newest, purpose, data),
    macs: (purpose, data) => ring.map((key) => macUnder(key, purpose, data)) as [Mac, ...Mac[]],
  };
}

/** Reads the keys in `<dataDir>/encryption-key`, newest first ("new,old" as in ENCRYPTION_KEY). Throws KeyError if there is no such file. */
export async function loadKeys(dataDir: string): Promise<Buffer[]> {
  const file = join(dataDir, KEY_FILE);
  const text = await readIfThere(file);
  if (text !== undefined) return parseKeys(file, text);
  throw new KeyError(`There is no encryption key ${file}. Set DATA_DIR to that of the service, or ENCRYPTION_KEY to its key.`);
}

/**
 * Like `loadKeys`, but creates a key, readable by the owner only, if there is no such file. Of concurrent processes, one creates the
 * key and all read it.
 */
export async function loadOrMakeKey(dataDir: string): Promise<Buffer[]> {
  const file = join(dataDir, KEY_FILE);
  return parseKeys(file, (await readIfThere(file)) ?? (await makeKeyFile(dataDir, file)));
}

/** The ids of the given keys, or else of those in `<folder>/encryption-key`, newest first. Empty if there is no such file. */
export async function findKeyIds(given: Buffer[], folder: string): Promise<string[]> {
  const file = join(folder, KEY_FILE);
  const text = given.length > 0 ? undefined : await readIfThere(file);
  const keys = text === undefined ? given : parseKeys(file, text);
  return keys.map((key) => openKey(key).id);
}

function parseKeys(file: string, text: string): Buffer[] {
  const keys = text.split(',').map((key) => key.trim());
  if (!keys.every((key) => KEY_BASE64.test(key))) {
    throw new KeyError(`${file} must contain 32 bytes in base64, or "new,old". Restore it from a backup, or set ENCRYPTION_KEY.`);
  }
  return keys.map((key) => Buffer.from(key, 'base64'));
}

type Key = {
  id: string;
  /** The subkey for a use (HKDF, RFC 5869), so that no key is used in two algorithms. */
  subkey(use: string): KeyObject;
};

function openKey(key: Buffer): Key {
  assert(key.length === KEY_BYTES, 'an encryption key has 32 bytes');
  const derived = new Map<string, KeyObject>();
  return {
    id: createHash('sha256')
      .update(key)
      .digest('hex')
      .slice(0, KEY_ID_BYTES * 2),
    subkey(use) {
      let subkey = derived.get(use);
      if (!subkey) {
        // A KeyObject: converting bytes for each hash takes five times as long as the hash.
        subkey = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `earmark ${use}`, KEY_BYTES)));
        derived.set(use, subkey);
      }
      return subkey;
    },
  };
}

/** The key that sealed a buffer or a wrapped key. */
function keyOf(ring: Key[], sealed: Buffer): Key {
  if (sealed[0] !== VERSION || sealed.length < WRAPPED_END) {
    throw new SealedError('The sealed data was not written by Earmark, or by a newer version of it.');
  }
  const id = sealed.toString('hex', 1, HEAD_BYTES);
  const key = ring.find((key) => key.id === id);
  if (!key) {
    const known = ring.map((key) => key.id).join(', ');
    throw new KeyError(
      `The database contains data sealed under encryption key ${id}, but only ${known} is available. Add it to ENCRYPTION_KEY.`,
    );
  }
  return key;
}

function associatedData(context: string): Buffer {
  return Buffer.from(`earmark sealed v${VERSION}\n${context}`);
}

function encrypt(key: Buffer | KeyObject, plain: Buffer | string, associated: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated);
  const content = typeof plain === 'string' ? Buffer.from(plain) : plain;
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Like `encrypt`, but yields to the event loop after each slice. */
async function encryptInSlices(key: Buffer, plain: Buffer, associated: Buffer): Promise<Buffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated);
  const pieces = [nonce];
  for (let start = 0; start < plain.length; start += SLICE_BYTES) {
    if (start > 0) await new Promise((resume) => setImmediate(resume));
    pieces.push(cipher.update(plain.subarray(start, start + SLICE_BYTES)));
  }
  return Buffer.concat([...pieces, cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer | KeyObject, sealed: Buffer, associated: Buffer): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new SealedError('The sealed data is truncated.');
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associated).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealedError('The sealed data was changed, or belongs to another record.');
  }
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
