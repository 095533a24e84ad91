// The labels that a text finds: by the beginning of their names, and those of the customers that it names.
import type { Sql } from '../../../platform/db/sql.ts';
import { fold, gramsOf } from '../../../resources/customers/folding.ts';
import { type FoundCustomer, findNames, searchCustomers } from '../../../resources/customers/search.ts';
import { type FoundLabel, findLabelsByName, findLabelsOf } from '../../../resources/labels/search.ts';
import { amountText } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { ledgerHref, sideName } from '../ledger/transfer-words.ts';
import { HITS_MAX, type Hit } from './hit.ts';

const NAME_MIN = 2;
/** Customers with a name, among which the label is looked for. */
const NAMED_MAX = 50;

/**
 * `found`: the customers that the whole text finds. If there are none, a text such as `northwind payroll` may name the customer and the
 * label, in any order.
 */
export async function findLabels(sql: Sql, text: string, found: FoundCustomer[]): Promise<Hit[]> {
  const limit = HITS_MAX;
  const words = text.split(' ');
  const lists = await Promise.all([
    found.length > 0 ? findLabelsOf(sql, idsOf(found), { text: '', limit }) : [],
    text.length < NAME_MIN ? [] : findLabelsByName(sql, text, limit),
    ...(found.length > 0
      ? []
      : [labelsOfNamed(sql, words.slice(0, -1), words.at(-1)!), labelsOfNamed(sql, words.slice(1), words[0]!)]),
  ]);
  const labels = [...new Map(lists.flat().map((label) => [label.id, label])).values()].slice(0, HITS_MAX);
  const names = await findNames(
    sql,
    labels.map(({ customerId }) => customerId),
  );
  return labels.map((label) => hitOf(label, names.get(label.customerId)));
}

async function labelsOfNamed(sql: Sql, customer: string[], label: string): Promise<FoundLabel[]> {
  const text = customer.join(' ');
  if (label === '' || gramsOf(fold(text), undefined).length === 0) return [];
  const named = await searchCustomers(sql, { text, inEmail: false, status: undefined, after: undefined, limit: NAMED_MAX });
  return named.length === 0 ? [] : findLabelsOf(sql, idsOf(named), { text: label, limit: HITS_MAX });
}

function idsOf(customers: FoundCustomer[]): string[] {
  return customers.map(({ id }) => id);
}

function hitOf(label: FoundLabel, customer: Parameters<typeof nameOf>[0] | undefined): Hit {
  return {
    href: ledgerHref(label.id),
    title: `${sideName({ ...label, kind: 'label' })} (${amountText(label.balance, label.currency)} ${label.currency})`,
    note: `Label of ${customer ? nameOf(customer) : label.customerId}`,
  };
}
