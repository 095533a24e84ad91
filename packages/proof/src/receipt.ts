// Receipts: a log entry with the hashes that lead from it to a signed checkpoint, as JSON or as a C2SP tlog-proof.
import { decodeText, encodeText, fromBase64, isEqual } from './bytes.ts';
import type { Policy } from './cosignature.ts';
import { type Entry, readEntry } from './entry.ts';
import { type Checkpoint, parseCheckpoint, parseVerifier } from './note.ts';
import { HASH_BYTES, hashLeaf, rootOfProof } from './tree.ts';
import { isSigned, isWitnessed } from './verify.ts';

/** The members of a receipt, as a service shows it. `proof`: hashes in base64, from the sibling of the leaf up to the root. */
export type Receipt = { entry: string; index: number; checkpoint: string; proof: string[] };

/** `key`: the verifier key of the log, from somebody else than who shows the receipt. `policy`: the witnesses that must have cosigned. */
type Trust = { key: string; policy?: Policy };

/** `entry`: what the log has signed for all times. Compare its members with what you were told. */
export type VerifiedReceipt = { holds: true; entry: Entry; checkpoint: Checkpoint } | { holds: false; fault: string };

const PROOF_HEADER = 'c2sp.org/tlog-proof@v1';
const INDEX = /^index (0|[1-9]\d{0,14})$/;

/** Verifies a receipt without the service. Throws a TypeError if the key is malformed. */
export async function verifyReceipt(receipt: Receipt, { key, policy }: Trust): Promise<VerifiedReceipt> {
  const verifier = parseVerifier(key);
  if (!verifier) throw new TypeError('the key is not a verifier key: name+id+key');
  const fails = (fault: string): VerifiedReceipt => ({ holds: false, fault });
  const { checkpoint: note, index } = receipt;
  const checkpoint = parseCheckpoint(note);
  if (!checkpoint) return fails('the checkpoint is malformed');
  if (checkpoint.origin !== verifier.name) return fails(`the checkpoint is of ${checkpoint.origin}, not of ${verifier.name}`);
  if (!(await isSigned(note, verifier))) return fails('the checkpoint is not signed by the key');
  if (policy && !(await isWitnessed(note, policy))) return fails('too few witnesses have cosigned the checkpoint');
  const proof = receipt.proof.map(fromBase64).filter((hash) => hash?.length === HASH_BYTES) as Uint8Array[];
  if (proof.length !== receipt.proof.length) return fails('the proof is malformed');
  const text = encodeText(receipt.entry);
  const root = rootOfProof(hashLeaf(text), { index, size: checkpoint.size, proof });
  if (!root || !isEqual(root, checkpoint.root)) return fails('the proof does not lead from the entry to the checkpoint');
  const entry = readEntry(text);
  return 'fault' in entry ? fails(`the entry ${entry.fault}`) : { holds: true, entry, checkpoint };
}

/** The receipt in a tlog-proof, or undefined if it is malformed. Its extra data is the entry. */
export function parseProof(text: string): Receipt | undefined {
  const end = text.indexOf('\n\n');
  const [header, extra, place, ...proof] = text.slice(0, Math.max(end, 0)).split('\n');
  const entry = extra?.startsWith('extra ') ? fromBase64(extra.slice('extra '.length)) : undefined;
  const index = INDEX.exec(place ?? '')?.[1];
  if (header !== PROOF_HEADER || !entry || index === undefined) return undefined;
  return { entry: decodeText(entry), index: Number(index), checkpoint: text.slice(end + 2), proof };
}
