// The rule of signed requests: each stored signature fits its key and what it signs, and that is the transfer which it is evidence of.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sql } from '../../platform/db/sql.ts';
import { BREACHES_MAX, type Breach, type Range } from '../breach.ts';
import type { Evidence, SignedTransfer } from '../transfers/evidence.ts';
import type { Declared } from './declared.ts';

type Signed = { bucket: number; id: string; customerId: string; evidence: Evidence; transfer: SignedTransfer | null };

/** Verified in some ten milliseconds. */
const PAGE = 100;
const NIL = '00000000-0000-0000-0000-000000000000';

/** Verifies in JavaScript. Lets the event loop answer requests after each signature. */
export async function findEvidenceBreaches(sql: Sql, range: Range, { evidenceFault }: Declared): Promise<Breach[]> {
  const breaches: Breach[] = [];
  let after = { bucket: range.first, customerId: NIL, id: NIL };
  for (;;) {
    const page = await readPage(sql, { after, last: range.last });
    for (const { bucket, id, evidence, transfer } of page) {
      await nextTurn();
      const detail = evidenceFault(evidence, transfer ?? undefined);
      if (detail !== undefined) breaches.push({ bucket, id, detail });
    }
    if (page.length < PAGE || breaches.length >= BREACHES_MAX) return breaches.slice(0, BREACHES_MAX);
    after = page.at(-1)!;
  }
}

function readPage(
  sql: Sql,
  { after, last }: { after: { bucket: number; customerId: string; id: string }; last: number },
): Promise<Signed[]> {
  return sql<Signed>`
    select e.bucket, e.transfer_id as id, e.customer_id, e.evidence,
      case when t.id is not null then jsonb_build_object('fromId', t.from_id, 'toId', t.to_id, 'amount', t.amount::text,
        'currency', t.currency, 'reverses', t.reverses, 'reference', t.reference, 'correlationId', t.correlation_id,
        'externalId', t.external_id, 'metadata', t.metadata) end as transfer
    from transfer_evidence e
    left join transfer t on t.bucket = e.bucket and t.id = e.transfer_id and t.kind = 'reallocation' and t.customer_id = e.customer_id
    where e.bucket between ${after.bucket} and ${last} and e.evidence is not null
      and (e.bucket, e.customer_id, e.transfer_id) > (${after.bucket}::int, ${after.customerId}::uuid, ${after.id}::uuid)
    order by e.bucket, e.customer_id, e.transfer_id limit ${PAGE}`;
}
