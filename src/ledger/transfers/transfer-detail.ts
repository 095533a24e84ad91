// One transfer with its accounts as it left them, for people.
import { bucketOf } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { AccountKind } from './entries.ts';
import { type StoredTransfer, sidesOf, storedTransfer } from './transfer.ts';

/** `key`: the hash of the idempotency key. */
export type TransferDetail = StoredTransfer & {
  fromKind: AccountKind;
  toKind: AccountKind;
  fromName: string | null;
  toName: string | null;
  fromSequence: bigint;
  toSequence: bigint;
  key: string | null;
  requestId: string | null;
};

/** The transfer with this id, of any kind and account, or undefined. */
export async function findTransferDetail(sql: Sql, id: string): Promise<TransferDetail | undefined> {
  const [row] = await sql<TransferDetail>`
    select ${storedTransfer(bucketOf(id))}, f.kind as from_kind, g.kind as to_kind, f.name as from_name, g.name as to_name,
      t.from_sequence, t.to_sequence, t.key, t.request_id
    from transfer t ${sidesOf(bucketOf(id))}
    where t.bucket = ${bucketOf(id)} and t.id = ${id}`;
  return row;
}
