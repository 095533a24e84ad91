// Sealing: envelope encryption and keyed hashes for what nobody may read in the database, under keys that are never in it.
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
import { UserError } from './user-error.ts';

export type Mac = { keyId: string; hash: Buffer };

export type Sealer = {
  /**
   * Seals under a fresh data key, itself sealed by the newest key. `context` says what this is and whose
   * (`customer:<id>`): it is not kept, and only who names the same context again can open it.
   */
  seal(plain: Buffer | string, context: string): Buffer;
  /** Opens what `seal` made. Throws a KeyError when its key is not here, a SealedError when it was changed or is of another context. */
  open(sealed: Buffer, context: string): Buffer;
  /**
   * Seals like `seal`, with the sealed data key apart: who drops the key has erased the content, wherever copies of it are.
   * Many megabytes are sealed in slices, between which others have their turn.
   */
  sealContent(plain: Buffer, context: string): Promise<SealedContent>;
  /** Opens what `sealContent` made, and throws as `open` does. */
  openContent(sealed: SealedContent, context: string): Buffer;
  /** The same sealed buffer, or wrapped key, with its data key sealed by the newest key; the content is not touched. */
  rewrap(sealed: Buffer, context: string): Buffer;
  /** The ids of the keys, newest first. */
  keyIds: [string, ...string[]];
  /** The keyed hash (HMAC-SHA-256) of a text under the newest key; hashes of two purposes have nothing in common. */
  mac(purpose: string, data: string): Mac;
  /** The keyed hash under each key, newest first. */
  macs(purpose: string, data: string): [Mac, ...Mac[]];
};

/** A sealed data key, and the content that it opens. */
export type SealedContent = { wrappedKey: Buffer; content: Buffer };

/** A key is missing or malformed; one line that says which and what to do. */
export class KeyError extends UserError {}

/** What was sealed cannot be opened, although its key is here; one line that says why. */
export class SealedError extends UserError {}

const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
/** Where a data directory keeps the key that was made for it. */
export const KEY_FILE = 'encryption-key';
const KEY_BASE64 = /^[A-Za-z0-9+/]{43}=$/;

// version, key id, sealed data key, sealed content; each sealed part is nonce, ciphertext, tag.
const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SLICE_BYTES = 512 * 1024;
const HEAD_BYTES = 1 + KEY_ID_BYTES;
const WRAPPED_END = HEAD_BYTES + NONCE_BYTES + KEY_BYTES + TAG_BYTES;

/** A sealer with keys of 32 bytes, newest first: the newest seals, all open. */
export function openSealer(keys: Buffer[]): Sealer {
  assert(keys.length > 0, 'a sealer needs a key');
  const ring = keys.map(openKey);
  const [newest] = ring as [Key, ...Key[]];
  const macUnder = (key: Key, purpose: string, data: string): Mac => ({
    keyId: key.id,
    hash: createHmac('sha256', key.under(`mac ${purpose}`))
      .update(data)
      .digest(),
  });
  const wrap = (dataKey: Buffer, associated: Buffer) =>
    Buffer.concat([Buffer.of(VERSION), Buffer.from(newest.id, 'hex'), encrypt(newest.under('wrap'), dataKey, associated)]);
  const unwrap = (sealed: Buffer, associated: Buffer) =>
    decrypt(keyOf(ring, sealed).under('wrap'), sealed.subarray(HEAD_BYTES, WRAPPED_END), associated);
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

/**
 * The keys kept in `<dataDir>/encryption-key`, newest first ("new,old" as in ENCRYPTION_KEY). Throws a KeyError when there is no such
 * file.
 */
export async function loadKeys(dataDir: string): Promise<Buffer[]> {
  const file = join(dataDir, KEY_FILE);
  const text = await readIfThere(file);
  if (text !== undefined) return parseKeys(file, text);
  throw new KeyError(`There is no encryption key ${file}. Set DATA_DIR to that of the service, or ENCRYPTION_KEY to its key.`);
}

/**
 * The same keys; one is made, for its owner's eyes only, when there is no such file. Of two processes at once, one makes it and both
 * read it.
 */
export async function loadOrMakeKey(dataDir: string): Promise<Buffer[]> {
  const file = join(dataDir, KEY_FILE);
  return parseKeys(file, (await readIfThere(file)) ?? (await makeKeyFile(dataDir, file)));
}

/** The ids of the keys given, or else of those kept in `<folder>/encryption-key`, newest first; none where there is no such file. */
export async function findKeyIds(given: Buffer[], folder: string): Promise<string[]> {
  const file = join(folder, KEY_FILE);
  const text = given.length > 0 ? undefined : await readIfThere(file);
  const keys = text === undefined ? given : parseKeys(file, text);
  return keys.map((key) => openKey(key).id);
}

function parseKeys(file: string, text: string): Buffer[] {
  const keys = text.split(',').map((key) => key.trim());
  if (!keys.every((key) => KEY_BASE64.test(key))) {
    throw new KeyError(`${file} must hold base64 of 32 bytes, or "new,old". Restore it from a backup, or set ENCRYPTION_KEY.`);
  }
  return keys.map((key) => Buffer.from(key, 'base64'));
}

type Key = {
  id: string;
  /** A key of its own for each use, so that one is never at work in two algorithms (HKDF, RFC 5869). */
  under(use: string): KeyObject;
};

function openKey(key: Buffer): Key {
  assert(key.length === KEY_BYTES, 'an encryption key has 32 bytes');
  const derived = new Map<string, KeyObject>();
  return {
    id: createHash('sha256')
      .update(key)
      .digest('hex')
      .slice(0, KEY_ID_BYTES * 2),
    under(use) {
      let subkey = derived.get(use);
      if (!subkey) {
        // As an object: preparing bytes anew for each hash takes five times the hash.
        subkey = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `earmark ${use}`, KEY_BYTES)));
        derived.set(use, subkey);
      }
      return subkey;
    },
  };
}

/** The key that a sealed buffer or a wrapped key was sealed under. */
function keyOf(ring: Key[], sealed: Buffer): Key {
  if (sealed[0] !== VERSION || sealed.length < WRAPPED_END) {
    throw new SealedError('This was not sealed by Earmark, or by a newer version of it.');
  }
  const id = sealed.toString('hex', 1, HEAD_BYTES);
  const key = ring.find((key) => key.id === id);
  if (!key) {
    const known = ring.map((key) => key.id).join(', ');
    throw new KeyError(
      `The database holds data sealed under encryption key ${id}, but only ${known} is here. Add it to ENCRYPTION_KEY.`,
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

/** The same as `encrypt`, giving way to others after each slice. */
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
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new SealedError('What was sealed has been cut off.');
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associated).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealedError('What was sealed has been changed, or belongs to another record.');
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

/** Written whole and durable beside its place, then linked into it: never half a key there, and never a second one. */
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
    throw new KeyError(`The encryption key ${file} cannot be made: ${(error as NodeJS.ErrnoException).code}.`, { cause: error });
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

/** Makes new names in a folder durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
