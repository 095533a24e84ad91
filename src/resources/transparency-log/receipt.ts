// Receipts: the log entry of a label reallocation with the hashes that lead to a signed checkpoint.
import type { Static } from 'typebox';
import { toBase64 } from '../../../packages/proof/src/bytes.ts';
import { parseCheckpoint } from '../../../packages/proof/src/note.ts';
import { proveInclusion } from '../../../packages/proof/src/tree.ts';
import { Type } from '../../core/type.ts';
import { findEntryOf } from '../../ledger/log/find-entry.ts';
import { readPath } from '../../ledger/log/tile.ts';
import type { Log } from '../../ledger/log/transparency-log.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';

/** The media type and the first line of a proof (C2SP tlog-proof). */
export const PROOF_TYPE = 'text/plain';
const PROOF_HEADER = 'c2sp.org/tlog-proof@v1';

type Receipt = { entry: Buffer; index: number; checkpoint: string; proof: string[] };

export const ReceiptSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, 'label-reallocation': LinkSchema }),
    entry: Type.String({
      description: 'The exact text of the log entry. Its leaf hash is SHA-256 of a zero byte and this text.',
    }),
    index: Type.Integer({ format: 'int64', minimum: 0, description: 'The index of the entry in the log.' }),
    checkpoint: Type.String({ description: 'The signed checkpoint of a tree that contains the entry.' }),
    proof: Type.Array(Type.String(), { description: 'Hashes in base64, from the sibling of the leaf up to the root.' }),
  },
  { title: 'Receipt', description: 'Proof that a label reallocation is in the transparency log of the account.' },
);

/** Returns undefined as long as the newest checkpoint does not cover the reallocation. */
export async function makeReceipt(sql: Sql, log: Log, transfer: { id: string; created: Date }): Promise<Receipt | undefined> {
  const size = log.checkpoint === null ? 0 : parseCheckpoint(log.checkpoint)!.size;
  const found = await findEntryOf(sql, log, transfer, size);
  if (!found) return undefined;
  const { index, entry } = found;
  const path = proveInclusion(index, size, await readPath(sql, log.accountId, { index, size }));
  return { entry, index, checkpoint: log.checkpoint!, proof: path.map(toBase64) };
}

export function represent(links: Links, id: string, { entry, index, checkpoint, proof }: Receipt): Static<typeof ReceiptSchema> {
  return {
    _links: {
      self: links.link(`/label-reallocations/${id}/receipt`, 'receipt'),
      'label-reallocation': links.to('label-reallocation', id),
    },
    entry: entry.toString(),
    index,
    checkpoint,
    proof,
  };
}

/** The receipt as a C2SP tlog-proof, with the entry as its extra data. */
export function formatProof({ entry, index, checkpoint, proof }: Receipt): string {
  return [PROOF_HEADER, `extra ${entry.toString('base64')}`, `index ${index}`, ...proof, '', checkpoint].join('\n');
}
