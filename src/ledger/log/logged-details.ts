// What the transparency log hashes of customers and labels, and the salts of customers.
import type { Details } from '../../../packages/proof/src/commitment.ts';
import type { FormerNames } from '../../../packages/proof/src/former-names.ts';
import { bucketOf } from '../../core/ids.ts';
import { bucketArray, uuidArray } from '../../platform/db/binary-array.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';

/** `removed`: of a label. */
export type Detailed = { accountId: string; customerId: string; details: Details; removed: Date | null };

type Texts = { correlationId: string | null; externalId: string | null; metadata: unknown };
type LabelRow = Texts & {
  id: string;
  accountId: string;
  customerId: string;
  currency: string;
  name: string | null;
  formerNames: FormerNames | null;
  created: Date;
  removed: Date | null;
};
type CustomerRow = Texts &
  Record<'id' | 'accountId' | 'type' | 'status' | 'firstName' | 'lastName' | 'email', string> & {
    statusBefore: string | null;
    profile: unknown;
    created: Date;
  };

const labelColumns = fragment`a.id, a.account_id, a.customer_id, a.currency, a.name, a.former_names, a.correlation_id, a.external_id, a.metadata, a.created, a.removed`;

/**
 * The details of labels by id, removed ones included. The kind is compared here: if the statement asked for it, the planner would expect few
 * labels, and compare all of them with all ids.
 */
export async function findLabelDetails(sql: Sql, ids: string[]): Promise<Map<string, Detailed>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<LabelRow & { kind: string }>`
    select ${labelColumns}, a.kind
    from unnest(${bucketArray(ids)}::int[], ${uuidArray(ids)}::uuid[]) as w (bucket, id)
    join ledger_account a on a.bucket = w.bucket and a.id = w.id`;
  return new Map(rows.flatMap(({ kind, ...row }) => (kind === 'label' ? [[row.id, detailsOfLabel(row)]] : [])));
}

/** A page of the details of a customer's labels after an id, removed ones included, in the order of their ids. */
export async function listLabelDetails(
  sql: Sql,
  customerId: string,
  { after, limit }: { after: string; limit: number },
): Promise<Detailed[]> {
  const rows = await sql<LabelRow>`
    select ${labelColumns} from ledger_account a
    where a.bucket = ${bucketOf(customerId)} and a.customer_id = ${customerId} and a.kind = 'label'
      and (a.customer_id, a.id) > (${customerId}, ${after})
    order by a.id limit ${limit}`;
  return rows.map(detailsOfLabel);
}

/** The details of customers by id. */
export async function findCustomerDetails(sql: Sql, ids: string[]): Promise<Map<string, Detailed>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<CustomerRow>`
    select c.id, c.account_id, c.type, c.status, c.status_before, c.first_name, c.last_name, c.email, c.profile, c.correlation_id, c.external_id,
      c.metadata, c.created
    from unnest(${bucketArray(ids)}::int[], ${uuidArray(ids)}::uuid[]) as w (bucket, id)
    join customer c on c.bucket = w.bucket and c.id = w.id`;
  return new Map(
    rows.map(({ accountId, created, ...row }) => [
      row.id,
      { accountId, customerId: row.id, details: { ...row, created: created.toISOString() }, removed: null },
    ]),
  );
}

/** The salts of customers by id, in base64url. A customer whose salt was erased is missing. */
export async function findSalts(sql: Sql, customerIds: string[]): Promise<Map<string, string>> {
  if (customerIds.length === 0) return new Map();
  const rows = await sql<{ id: string; salt: Buffer }>`
    select c.id, c.log_salt as salt
    from unnest(${bucketArray(customerIds)}::int[], ${uuidArray(customerIds)}::uuid[]) as w (bucket, id)
    join customer c on c.bucket = w.bucket and c.id = w.id
    where c.log_salt is not null`;
  return new Map(rows.map(({ id, salt }) => [id, salt.toString('base64url')]));
}

function detailsOfLabel({ accountId, customerId, created, removed, ...row }: LabelRow): Detailed {
  return { accountId, customerId, details: { ...row, created: created.toISOString() }, removed };
}
