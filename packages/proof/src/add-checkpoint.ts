// The request with which a log asks a witness for a cosignature (C2SP tlog-witness, add-checkpoint).
import { fromBase64, toBase64 } from './bytes.ts';
import { HASH_BYTES } from './tree.ts';

/** `old`: the size that the witness cosigned last. `proof`: that the checkpoint of the note extends it. */
type AddCheckpoint = { old: number; proof: Uint8Array[]; note: string };

export const ADD_CHECKPOINT = '/add-checkpoint';
/** The media type of a response that tells the size which the witness cosigned last. */
export const SIZE_TYPE = 'text/x.tlog.size';
const PROOF_MAX = 63;
const OLD = /^old (0|[1-9]\d{0,14})$/;

export function formatAddCheckpoint({ old, proof, note }: AddCheckpoint): string {
  return `${[`old ${old}`, ...proof.map(toBase64)].join('\n')}\n\n${note}`;
}

/** The request in a body, or undefined if it is malformed. */
export function parseAddCheckpoint(body: string): AddCheckpoint | undefined {
  const end = body.indexOf('\n\n');
  const [first = '', ...lines] = body.slice(0, Math.max(end, 0)).split('\n');
  const old = OLD.exec(first)?.[1];
  if (old === undefined || lines.length > PROOF_MAX) return undefined;
  const proof = lines.map(fromBase64).filter((hash) => hash?.length === HASH_BYTES) as Uint8Array[];
  if (proof.length !== lines.length) return undefined;
  return { old: Number(old), proof, note: body.slice(end + 2) };
}
