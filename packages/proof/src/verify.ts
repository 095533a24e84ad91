// Verifies the Ed25519 signatures of notes with WebCrypto, which Node.js and browsers have.
import { encodeText } from './bytes.ts';
import { cosignaturesOf, isQuorum, type Policy } from './cosignature.ts';
import { signaturesOf, splitNote, type Verifier } from './note.ts';

/** Whether a note has a valid signature of a verifier. */
export async function isSigned(note: string, verifier: Verifier): Promise<boolean> {
  const message = encodeText(splitNote(note)?.text ?? '');
  return isAnyValid(
    verifier,
    signaturesOf(note, verifier).map((signature) => ({ message, signature })),
  );
}

/** The witnesses of a policy that have validly cosigned a note. */
export async function findCosigners(note: string, { witnesses }: Policy): Promise<Verifier[]> {
  const valid = await Promise.all(witnesses.map((witness) => isAnyValid(witness, cosignaturesOf(note, witness))));
  return witnesses.filter((_, at) => valid[at]);
}

/** Whether enough witnesses have cosigned a note. */
export async function isWitnessed(note: string, policy: Policy): Promise<boolean> {
  return isQuorum(await findCosigners(note, policy), policy);
}

type Signed = { message: Uint8Array<ArrayBuffer>; signature: Uint8Array<ArrayBuffer> };

async function isAnyValid({ publicKey }: Verifier, signed: Signed[]): Promise<boolean> {
  if (signed.length === 0) return false;
  // Bytes that are not a point of the curve are not a key, so nothing is signed by it.
  const key = await crypto.subtle
    .importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify'])
    .catch(() => undefined);
  if (!key) return false;
  for (const { message, signature } of signed) if (await crypto.subtle.verify('Ed25519', key, signature, message)) return true;
  return false;
}
