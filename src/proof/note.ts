// Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint) with Ed25519 signatures.
import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { HASH_BYTES } from './tree.ts';

/** `publicKey`: the 32 bytes of an Ed25519 key. */
export type Verifier = { name: string; publicKey: Buffer };
type Signer = Verifier & { privateKey: KeyObject };

/** A tree that a log promises to extend and never to change. */
export type Checkpoint = { origin: string; size: number; root: Buffer };

const ED25519 = Buffer.of(1);
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SIGNATURE = /^— (\S+) (\S+)$/;
const SIZE = /^(?:0|[1-9]\d{0,14})$/;

/** `name+id+key`: what an auditor needs to verify the notes of a signer. */
export function formatVerifier(verifier: Verifier): string {
  const key = Buffer.concat([ED25519, verifier.publicKey]).toString('base64');
  return `${verifier.name}+${idOf(verifier).toString('hex')}+${key}`;
}

/** The verifier in a text, or undefined if it is malformed or of another kind than Ed25519. */
export function parseVerifier(text: string): Verifier | undefined {
  const [, name, id, key] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  if (!name || !id || !key || !BASE64.test(key)) return undefined;
  const bytes = Buffer.from(key, 'base64');
  if (bytes[0] !== ED25519[0] || bytes.length !== 1 + KEY_BYTES) return undefined;
  const verifier = { name, publicKey: bytes.subarray(1) };
  return idOf(verifier).toString('hex') === id ? verifier : undefined;
}

/** The note of a checkpoint, with a line for each signer. */
export function signCheckpoint({ origin, size, root }: Checkpoint, signers: Signer[]): string {
  const text = `${origin}\n${size}\n${root.toString('base64')}\n`;
  const lines = signers.map((signer) => {
    const signature = Buffer.concat([idOf(signer), sign(null, Buffer.from(text), signer.privateKey)]);
    return `— ${signer.name} ${signature.toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

/** The checkpoint of a note. It may be signed or not: `isSignedBy` checks that. Undefined if the note is malformed. */
export function parseCheckpoint(note: string): Checkpoint | undefined {
  const parts = splitNote(note);
  const [origin, size, root, ...rest] = parts?.text.split('\n') ?? [];
  if (!origin || !SIZE.test(size ?? '') || !BASE64.test(root ?? '') || rest.at(-1) !== '') return undefined;
  const bytes = Buffer.from(root!, 'base64');
  return bytes.length === HASH_BYTES ? { origin, size: Number(size), root: bytes } : undefined;
}

/** Whether a note has a valid signature of a verifier. */
export function isSignedBy(note: string, verifier: Verifier): boolean {
  const parts = splitNote(note);
  if (!parts) return false;
  const id = idOf(verifier);
  return parts.signatures.some((line) => {
    const [, name, signature = ''] = SIGNATURE.exec(line) ?? [];
    const bytes = Buffer.from(signature, 'base64');
    if (name !== verifier.name || !bytes.subarray(0, KEY_ID_BYTES).equals(id)) return false;
    return verify(null, Buffer.from(parts.text), keyOf(verifier), bytes.subarray(KEY_ID_BYTES));
  });
}

/** The first bytes of the hash of name, algorithm and key. */
function idOf({ name, publicKey }: Verifier): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), ED25519, publicKey]), 'buffer').subarray(0, KEY_ID_BYTES);
}

function keyOf({ publicKey }: Verifier): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }, format: 'jwk' });
}

function splitNote(note: string): { text: string; signatures: string[] } | undefined {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return undefined;
  const signatures = note.slice(end + 2, -1).split('\n');
  return signatures.every((line) => SIGNATURE.test(line)) ? { text: note.slice(0, end + 1), signatures } : undefined;
}
