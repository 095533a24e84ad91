// Cosignatures of checkpoints by witnesses (C2SP tlog-cosignature, Ed25519), and the policy that says how many are needed.
import { sign, verify } from 'node:crypto';
import { idOf, keyOf, type Signer, signaturesOf, splitNote, type Verifier } from './note.ts';

/** The witnesses that somebody trusts, and how many of them must have cosigned. */
export type Policy = { witnesses: Verifier[]; quorum: number };

const TIME_BYTES = 8;

/** The line of a cosignature of a checkpoint. `seconds`: since the epoch. */
export function cosign(note: string, witness: Signer, seconds: number): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, messageOf(note, BigInt(seconds)), witness.privateKey);
  return `— ${witness.name} ${Buffer.concat([idOf(witness, 'cosignature'), time, signature]).toString('base64')}\n`;
}

/** Whether a note has a valid cosignature of a witness. */
export function isCosignedBy(note: string, witness: Verifier): boolean {
  return signaturesOf(note, witness, 'cosignature').some((bytes) => {
    if (bytes.length <= TIME_BYTES) return false;
    const message = messageOf(note, bytes.readBigUInt64BE());
    return verify(null, message, keyOf(witness), bytes.subarray(TIME_BYTES));
  });
}

/** Whether enough witnesses have cosigned. Two witnesses with one key count once. */
export function satisfies(note: string, { witnesses, quorum }: Policy): boolean {
  const cosigned = witnesses.filter((witness) => isCosignedBy(note, witness)).map(({ publicKey }) => publicKey.toString('hex'));
  return new Set(cosigned).size >= quorum;
}

function messageOf(note: string, seconds: bigint): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${splitNote(note)?.text ?? ''}`);
}
