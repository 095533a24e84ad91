// Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint): their texts, keys and signature lines.
import { concat, encodeText, fromBase64, fromBinary, isEqual, toBase64, toHex } from './bytes.ts';
import { sha256 } from './sha256.ts';
import { HASH_BYTES } from './tree.ts';

/** `publicKey`: the 32 bytes of an Ed25519 key. */
export type Verifier = { name: string; publicKey: Uint8Array };

/** A tree that a log promises to extend and never to change. */
export type Checkpoint = { origin: string; size: number; root: Uint8Array };

/** What an Ed25519 key signs: the text of a note, or a cosignature of it (C2SP tlog-cosignature). It is a part of the id of the key. */
const KEY_KINDS = { note: 1, cosignature: 4 } as const;
type KeyKind = keyof typeof KEY_KINDS;

const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const SIGNATURE = /^— (\S+) (\S+)$/;
const SIZE = /^(?:0|[1-9]\d{0,14})$/;

/** `name+id+key`: what an auditor needs to verify the notes, or the cosignatures, of a signer. */
export function formatVerifier(verifier: Verifier, kind: KeyKind = 'note'): string {
  const key = toBase64(concat(Uint8Array.of(KEY_KINDS[kind]), verifier.publicKey));
  return `${verifier.name}+${toHex(idOf(verifier, kind))}+${key}`;
}

/** The verifier in a text, or undefined if it is malformed or of another kind. */
export function parseVerifier(text: string, kind: KeyKind = 'note'): Verifier | undefined {
  const [, name, id, key] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = fromBase64(key ?? '');
  if (!name || bytes?.[0] !== KEY_KINDS[kind] || bytes.length !== 1 + KEY_BYTES) return undefined;
  const verifier = { name, publicKey: bytes.subarray(1) };
  return toHex(idOf(verifier, kind)) === id ? verifier : undefined;
}

/** The text of a checkpoint, which is signed. */
export function textOfCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** The checkpoint of a note. It may be signed or not: `isSigned` checks that. Undefined if the note is malformed. */
export function parseCheckpoint(note: string): Checkpoint | undefined {
  const parts = splitNote(note);
  const [origin, size, root, ...rest] = parts?.text.split('\n') ?? [];
  const bytes = fromBase64(root ?? '');
  if (!origin || !SIZE.test(size ?? '') || bytes?.length !== HASH_BYTES || rest.at(-1) !== '') return undefined;
  return { origin, size: Number(size), root: bytes };
}

/** A line of a signature: the name and the id of the key, and the signature. */
export function formatSignature(verifier: Verifier, signature: Uint8Array, kind: KeyKind = 'note'): string {
  return `— ${verifier.name} ${toBase64(concat(idOf(verifier, kind), signature))}\n`;
}

/** The signatures in a note with the name and the id of a verifier, valid or not. */
export function signaturesOf(note: string, verifier: Verifier, kind: KeyKind = 'note'): Uint8Array<ArrayBuffer>[] {
  const id = idOf(verifier, kind);
  return (splitNote(note)?.signatures ?? []).flatMap((line) => {
    const [, name, signature = ''] = SIGNATURE.exec(line) ?? [];
    const bytes = name === verifier.name ? fromBase64(signature) : undefined;
    return bytes && isEqual(bytes.subarray(0, KEY_ID_BYTES), id) ? [bytes.subarray(KEY_ID_BYTES)] : [];
  });
}

/** The signed text of a note, and its signature lines. Undefined if the note is malformed. */
export function splitNote(note: string): { text: string; signatures: string[] } | undefined {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return undefined;
  const signatures = note.slice(end + 2, -1).split('\n');
  return signatures.every((line) => SIGNATURE.test(line)) ? { text: note.slice(0, end + 1), signatures } : undefined;
}

/** The first bytes of the hash of name, kind and key. */
function idOf({ name, publicKey }: Verifier, kind: KeyKind): Uint8Array {
  const text = concat(encodeText(`${name}\n`), Uint8Array.of(KEY_KINDS[kind]), publicKey);
  return fromBinary(sha256(text, 'binary').slice(0, KEY_ID_BYTES));
}
