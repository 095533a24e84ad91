// Signs and verifies notes with Node.js at once, without waiting: for services that make logs, and for witnesses.
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { cosignaturesOf, isQuorum, messageOf, type Policy, TIME_BYTES } from './cosignature.ts';
import { type Checkpoint, formatSignature, signaturesOf, splitNote, textOfCheckpoint, type Verifier } from './note.ts';

export type Signer = Verifier & { privateKey: KeyObject };

/** The note of a checkpoint, with a line for each signer. */
export function signCheckpoint(checkpoint: Checkpoint, signers: Signer[]): string {
  return signNote(textOfCheckpoint(checkpoint), signers);
}

/** The note of a text that ends with a line feed. */
export function signNote(text: string, signers: Signer[]): string {
  const lines = signers.map((signer) => formatSignature(signer, sign(null, Buffer.from(text), signer.privateKey)));
  return `${text}\n${lines.join('')}`;
}

/** Whether a note has a valid signature of a verifier. */
export function isSignedBy(note: string, verifier: Verifier): boolean {
  const text = splitNote(note)?.text ?? '';
  return signaturesOf(note, verifier).some((signature) => verify(null, Buffer.from(text), keyOf(verifier), signature));
}

/** The line of a cosignature of a checkpoint. `seconds`: since the epoch. */
export function cosign(note: string, witness: Signer, seconds: number): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, messageOf(note, BigInt(seconds)), witness.privateKey);
  return formatSignature(witness, Buffer.concat([time, signature]), 'cosignature');
}

/** Whether a note has a valid cosignature of a witness. */
export function isCosignedBy(note: string, witness: Verifier): boolean {
  return cosignaturesOf(note, witness).some(({ message, signature }) => verify(null, message, keyOf(witness), signature));
}

/** Whether enough witnesses have cosigned a note. */
export function satisfies(note: string, policy: Policy): boolean {
  return isQuorum(
    policy.witnesses.filter((witness) => isCosignedBy(note, witness)),
    policy,
  );
}

function keyOf({ publicKey }: Verifier): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
