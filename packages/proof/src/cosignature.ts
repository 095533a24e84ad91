// Cosignatures of checkpoints by witnesses (C2SP tlog-cosignature, Ed25519), and the policy that says how many are needed.
import { encodeText, toHex } from './bytes.ts';
import { signaturesOf, splitNote, type Verifier } from './note.ts';

/** The witnesses that somebody trusts, and how many of them must have cosigned. */
export type Policy = { witnesses: Verifier[]; quorum: number };

/** A time in seconds since the epoch comes before the signature. */
export const TIME_BYTES = 8;

/** What a witness signs: the text of a note, and when. */
export function messageOf(note: string, seconds: bigint): Uint8Array<ArrayBuffer> {
  return encodeText(`cosignature/v1\ntime ${seconds}\n${splitNote(note)?.text ?? ''}`);
}

/** The cosignatures in a note with the name and the id of a witness, valid or not, each with what it should sign. */
export function cosignaturesOf(note: string, witness: Verifier) {
  return signaturesOf(note, witness, 'cosignature').flatMap((bytes) => {
    if (bytes.length <= TIME_BYTES) return [];
    const seconds = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
    return [{ message: messageOf(note, seconds), signature: bytes.subarray(TIME_BYTES) }];
  });
}

/** Whether the witnesses that have cosigned are enough. Two witnesses with one key count once. */
export function isQuorum(cosigned: Verifier[], { quorum }: Policy): boolean {
  return new Set(cosigned.map(({ publicKey }) => toHex(publicKey))).size >= quorum;
}
