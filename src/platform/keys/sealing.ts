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
} from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UserError } from '../../core/user-error.ts';

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
type SealedContent = { wrappedKey: Buffer; content: Buffer };

/** A key is missing or malformed. The message is one line that names the key and the remedy. */
export class KeyError extends UserError {}

/** Sealed data cannot be opened, although its key is present. The message is one line. */
class SealedError extends UserError {}

export const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;

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

/** The id that sealed data names its key by: the begin of a digest of the key. */
export function keyIdOf(key: Buffer): string {
  const digest = createHash('sha256').update(key).digest('hex');
  return digest.slice(0, KEY_ID_BYTES * 2);
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
    id: keyIdOf(key),
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
    if (start > 0) await nextTurn();
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
