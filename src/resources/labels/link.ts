// The labels that request bodies link to.
import { otherCurrency } from '../../core/money/amount.ts';
import { invalid, refuse } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { findLabel } from './label.ts';

/** The id in the URL of a label. `path`: the JSON pointer of the URL. Throws BadRequest for any other URL. */
export function labelIn(links: Links, href: string, path: string): string {
  const id = links.idIn(href, 'label');
  if (!id) throw refuse('badRequest', { faults: [links.faultOf(href, 'label', path)] });
  return id;
}

/** Refuses unless the label belongs to the customer and has the currency. The label may be removed. */
export async function requireLabelOf(
  sql: Sql,
  customer: { id: string; accountId: string },
  { labelId, currency, path }: { labelId: string; currency: string; path: string },
): Promise<void> {
  const label = await findLabel(sql, labelId);
  if (!label) throw refuse('labelNotFound');
  if (label.accountId !== customer.accountId) throw refuse('forbidden');
  if (label.customerId !== customer.id) throw invalid({ code: 'Invalid', message: 'Label must belong to the customer.', path });
  if (label.currency !== currency) throw invalid(otherCurrency);
}
