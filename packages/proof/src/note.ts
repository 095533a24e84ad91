// Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint) with Ed25519 signatures.
import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { HASH_BYTES } from './tree.ts';

/** `publicKey`: the 32 bytes of an Ed25519 key. */
export type Verifier = { name: string; publicKey: Buffer };
export type Signer = Verifier & { privateKey: KeyObject };

/** A tree that a log promises to extend and never to change. */
export type Checkpoint = { origin: string; size: number; root: Buffer };

/** What an Ed25519 key signs: the text of a note, or a cosignature of it (C2SP tlog-cosignature). It is a part of the id of the key. */
const KEY_KINDS = { note: 1, cosignature: 4 } as const;
type KeyKind = keyof typeof KEY_KINDS;

const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SIGNATURE = /^— (\S+) (\S+)$/;
const SIZE = /^(?:0|[1-9]\d{0,14})$/;

/** `name+id+key`: what an auditor needs to verify the notes, or the cosignatures, of a signer. */
export function formatVerifier(verifier: Verifier, kind: KeyKind = 'note'): string {
  const key = Buffer.concat([Buffer.of(KEY_KINDS[kind]), verifier.publicKey]).toString('base64');
  return `${verifier.name}+${idOf(verifier, kind).toString('hex')}+${key}`;
}

/** The verifier in a text, or undefined if it is malformed or of another kind. */
export function parseVerifier(text: string, kind: KeyKind = 'note'): Verifier | undefined {
  const [, name, id, key] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  if (!name || !id || !key || !BASE64.test(key)) return undefined;
  const bytes = Buffer.from(key, 'base64');
  if (bytes[0] !== KEY_KINDS[kind] || bytes.length !== 1 + KEY_BYTES) return undefined;
  const verifier = { name, publicKey: bytes.subarray(1) };
  return idOf(verifier, kind).toString('hex') === id ? verifier : undefined;
}

/** The note of a checkpoint, with a line for each signer. */
export function signCheckpoint({ origin, size, root }: Checkpoint, signers: Signer[]): string {
  return signNote(`${origin}\n${size}\n${root.toString('base64')}\n`, signers);
}

/** The note of a text that ends with a line feed. */
export function signNote(text: string, signers: Signer[]): string {
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
  const text = splitNote(note)?.text ?? '';
  return signaturesOf(note, verifier).some((signature) => verify(null, Buffer.from(text), keyOf(verifier), signature));
}

/** The signatures in a note with the name and the id of a verifier, valid or not. */
export function signaturesOf(note: string, verifier: Verifier, kind: KeyKind = 'note'): Buffer[] {
  const id = idOf(verifier, kind);
  return (splitNote(note)?.signatures ?? []).flatMap((line) => {
    const [, name, signature = ''] = SIGNATURE.exec(line) ?? [];
    const bytes = Buffer.from(signature, 'base64');
    return name === verifier.name && bytes.subarray(0, KEY_ID_BYTES).equals(id) ? [bytes.subarray(KEY_ID_BYTES)] : [];
  });
}

/** The first bytes of the hash of name, kind and key. */
export function idOf({ name, publicKey }: Verifier, kind: KeyKind = 'note'): Buffer {
  const text = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(KEY_KINDS[kind]), publicKey]);
  return hash('sha256', text, 'buffer').subarray(0, KEY_ID_BYTES);
}

export function keyOf({ publicKey }: Verifier): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }, format: 'jwk' });
}

/** The signed text of a note, and its signature lines. Undefined if the note is malformed. */
export function splitNote(note: string): { text: string; signatures: string[] } | undefined {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return undefined;
  const signatures = note.slice(end + 2, -1).split('\n');
  return signatures.every((line) => SIGNATURE.test(line)) ? { text: note.slice(0, end + 1), signatures } : undefined;
}
