// Reads the entries of a ledger account, oldest first, each with its transfer and the account on the other side.

import { type FormerNames, nameBefore } from '../../../packages/proof/src/former-names.ts';
import { bucketOf, legId } from '../../core/ids.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { Sequences } from './past.ts';
import type { StoredTransfer } from './transfer.ts';
import type { SHOWN_KINDS } from './transfer-list.ts';

export type AccountKind = 'label' | 'available' | 'external' | 'owed';

/** Amounts are in minor units. `id`: the transfer's id with the leg in the last digit. */
export type Entry = {
  id: string;
  sequence: bigint;
  amount: bigint;
  balance: bigint;
  otherId: string;
  otherKind: AccountKind;
  /** Just before the end of what is read. */
  otherName: string | null;
  transferId: string;
  kind: ShownKind;
} & Pick<
  StoredTransfer,
  'reference' | 'correlationId' | 'externalId' | 'created' | 'depositId' | 'ruleId' | 'reverses' | 'returnId'
>;

type ShownKind = (typeof SHOWN_KINDS)[number];

/** What people see of `ledger_entry e`: a reallocation that reverses another one is a reversal. */
export const shownKind = fragment`case when e.kind = 'reallocation' and e.reverses is not null then 'reversal' else e.kind end`;

const PAGE_ENTRIES = 500;

/** Yields pages of the entries in a range, with the names of labels just before a moment. It holds no connection between two pages, and entries never change. */
export async function* readEntries(
  sql: Sql,
  accountId: string,
  { first, last }: Sequences,
  before: Date,
): AsyncGenerator<Entry[]> {
  const bucket = bucketOf(accountId);
  const until = before.toISOString();
  for (let after = first; after < last; ) {
    const size = Math.min(PAGE_ENTRIES, Number(last - after));
    const page = await sql<Omit<Entry, 'id'> & { otherFormerNames: FormerNames | null }>`
      select e.transfer_id, ${shownKind} as kind,
        e.deposit_id, e.rule_id, e.reverses, e.return_id,
        e.reference, e.correlation_id, e.external_id, e.created, e.sequence, e.amount, e.balance, e.other_id, o.kind as other_kind, o.name as other_name,
        o.former_names as other_former_names
      from ledger_entry e
      join lateral (select kind, name, former_names from ledger_account o where o.bucket = ${bucket} and o.id = e.other_id limit 1) o on true
      where e.bucket = ${bucket} and e.ledger_account_id = ${accountId}
        and e.sequence > ${after} and e.sequence <= ${after + BigInt(size)}
      order by e.sequence`;
    // A reset of the sandbox deletes them. What ends early must not look complete.
    if (page.length !== size) throw new Error('ledger entries were deleted while they were read');
    yield page.map(({ otherFormerNames, ...entry }) => ({
      ...entry,
      otherName: nameBefore({ name: entry.otherName, formerNames: otherFormerNames }, until),
      id: legId(entry.transferId, entry.amount < 0n ? 'from' : 'to'),
    }));
    after += BigInt(size);
  }
}
