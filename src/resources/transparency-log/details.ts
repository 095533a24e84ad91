// What the log has hashes of, for auditors: the details of a customer and its labels, with the salt of the hashes.
import type { Details } from '../../../packages/proof/src/commitment.ts';
import { FIRST_ID } from '../../core/ids.ts';
import { findCustomerDetails, findSalts, listLabelDetails } from '../../ledger/log/logged-details.ts';
import type { Sql } from '../../platform/db/sql.ts';

const PAGE_LABELS = 500;

/**
 * `salt`: in base64url; null after its erasure. `labels`: at most 500, in the order of their ids; those after `after`. `more`: whether
 * there are others.
 */
type Disclosed = { salt: string | null; customer: Details; labels: Details[]; more: boolean };

/** The details of a customer that exists. */
export async function readDetails(sql: Sql, customerId: string, after: string = FIRST_ID): Promise<Disclosed> {
  const salts = await findSalts(sql, [customerId]);
  const customers = await findCustomerDetails(sql, [customerId]);
  const labels = await listLabelDetails(sql, customerId, { after, limit: PAGE_LABELS + 1 });
  return {
    salt: salts.get(customerId) ?? null,
    customer: customers.get(customerId)!.details,
    labels: labels.slice(0, PAGE_LABELS).map(({ details }) => details),
    more: labels.length > PAGE_LABELS,
  };
}
