// What a text finds: customers by name, their labels and documents, and transfers by exact texts. Every statement uses an index.
import { bucketOf } from '../../../core/ids.ts';
import { searchTransfers, type TransferSearch } from '../../../ledger/transfers/transfer-search.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { listAccounts } from '../../../resources/accounts/account.ts';
import { findByExternalIds } from '../../../resources/customers/external-id.ts';
import { fold, gramsOf } from '../../../resources/customers/folding.ts';
import { type FoundCustomer, searchCustomers } from '../../../resources/customers/search.ts';
import { listDocuments } from '../../../resources/documents/document.ts';
import { listLabels } from '../../../resources/labels/label.ts';
import { amountText } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { KINDS, ledgerHref, shownKind, sideName } from '../ledger/transfer-words.ts';
import { REVIEW } from '../review/address.ts';
import { TYPE_NAMES } from '../review/type-name.ts';
import type { Visit } from '../screen.ts';
import { HITS_MAX, type Hit, type HitGroup } from './hit.ts';

/** The labels and documents of so many customers are looked at. */
const CUSTOMERS_OPENED = 3;
const LABELS_READ = 100;
/** Accounts whose directory of external ids is asked. */
const ACCOUNTS_MAX = 100;
const AMOUNT = /^\d[\d,]*(?:\.\d{1,4})?$/;
const EXTERNAL_ID = /^[!-~]{1,255}$/;

export async function findByText(sql: Sql, text: string, visit: Pick<Visit, 'may'>): Promise<HitGroup[]> {
  const { may } = visit;
  const [customers, external, transfers] = await Promise.all([
    may('readCustomers') ? customersOf(sql, text, visit) : [],
    may('readCustomers') ? customersByExternalId(sql, text) : [],
    may('readMoney') ? transfersOf(sql, text) : undefined,
  ]);
  const found = unique([...external, ...customers]);
  const [labels, documents] = await Promise.all([
    may('readMoney') ? labelsOf(sql, text, { found, visit }) : [],
    may('reviewDocuments') ? documentsOf(sql, found) : [],
  ]);
  const search = new URLSearchParams({ search: text });
  return [
    {
      name: 'Customers',
      hits: found.slice(0, HITS_MAX).map(hitOf),
      ...(found.length > HITS_MAX && { more: `/console/customers?${search}` }),
    },
    { name: 'Labels', hits: labels.slice(0, HITS_MAX) },
    ...(transfers ? [transfers] : []),
    { name: 'Documents', hits: documents.slice(0, HITS_MAX) },
  ];
}

/** A text of one or two letters is in no index. */
async function customersOf(sql: Sql, text: string, { may }: Pick<Visit, 'may'>): Promise<FoundCustomer[]> {
  if (gramsOf(fold(text), undefined).length === 0) return [];
  const inEmail = may('readPersonalData');
  return searchCustomers(sql, { text, inEmail, status: undefined, after: undefined, limit: HITS_MAX + 1 });
}

async function customersByExternalId(sql: Sql, text: string): Promise<FoundCustomer[]> {
  if (!EXTERNAL_ID.test(text)) return [];
  const accounts = (await listAccounts(sql)).slice(0, ACCOUNTS_MAX);
  const found = await Promise.all(accounts.map(({ id }) => findByExternalIds(sql, id, [text])));
  const ids = found.flatMap((one) => [...one.values()]);
  const any = { text: '', inEmail: false, status: undefined, after: undefined, limit: 1 };
  return (await Promise.all(ids.slice(0, HITS_MAX).map((id) => searchCustomers(sql, { ...any, id })))).flat();
}

function unique(customers: FoundCustomer[]): FoundCustomer[] {
  return [...new Map(customers.map((customer) => [customer.id, customer])).values()];
}

function hitOf(customer: FoundCustomer): Hit {
  const { id, status, accountName } = customer;
  return { href: `/console/customers/${id}`, title: nameOf(customer), note: `${status}, ${accountName}` };
}

type Around = { found: FoundCustomer[]; visit: Pick<Visit, 'may'> };

/** Labels of the customers that the text names. A text such as `northwind payroll` names the customer first, then the label. */
async function labelsOf(sql: Sql, text: string, { found, visit }: Around): Promise<Hit[]> {
  const words = text.split(' ');
  const last = words.length > 1 ? fold(words.at(-1)!) : '';
  const named = last === '' || found.length > 0 ? [] : await customersOf(sql, words.slice(0, -1).join(' '), visit);
  const customers = [...found, ...named].slice(0, CUSTOMERS_OPENED);
  const lists = await Promise.all(customers.map(({ id }) => listLabels(sql, id, { limit: LABELS_READ, offset: 0 })));
  return lists.flatMap(({ elements }, index) => {
    const customer = customers[index]!;
    const isNamed = found.includes(customer);
    return elements
      .filter(({ name }) => isNamed || (name !== null && fold(name).includes(last)))
      .map((label) => ({
        href: ledgerHref(label.id),
        title: `${sideName({ ...label, kind: 'label' })} (${amountText(label.balance, label.currency)} ${label.currency})`,
        note: `Label of ${nameOf(customer)}`,
      }));
  });
}

async function documentsOf(sql: Sql, found: FoundCustomer[]): Promise<Hit[]> {
  const opened = found.slice(0, CUSTOMERS_OPENED);
  const lists = await Promise.all(
    opened.map(({ id, accountId }) => listDocuments(sql, { bucket: bucketOf(id), accountId, customerId: id, ownerId: null })),
  );
  return lists.flatMap((documents, index) =>
    documents.map(({ id, type, status }) => ({
      ...{ href: `${REVIEW}/${id}`, title: TYPE_NAMES[type], note: `${status}, of ${nameOf(opened[index]!)}` },
    })),
  );
}

/** Transfers with exactly this external id, reference or correlation id, and a link for a text that is an amount. */
async function transfersOf(sql: Sql, text: string): Promise<HitGroup> {
  const any = { accountId: undefined, from: undefined, before: undefined, limit: HITS_MAX };
  const texts: Partial<TransferSearch>[] = [{ externalId: text }, { reference: text }, { correlationId: text }];
  const results = await Promise.all(texts.map((by) => searchTransfers(sql, { ...any, ...by })));
  const many: Hit[] = results.includes('tooMany')
    ? [
        {
          href: `/console/money?${new URLSearchParams({ search: text })}`,
          title: `Transfers with “${text}”`,
          note: 'Thousands: add a day there',
        },
      ]
    : [];
  const amounts: Hit[] = AMOUNT.test(text)
    ? [{ href: `/console/money?${new URLSearchParams({ amount: text })}`, title: `Transfers of ${text}`, note: 'By amount' }]
    : [];
  const transfers = results.flatMap((result) => (typeof result === 'string' ? [] : result.transfers));
  const hits = [...new Map(transfers.map((one) => [one.id, one])).values()].map((transfer) => {
    const { id, amount, currency, reference, externalId, correlationId } = transfer;
    const title = `${KINDS[shownKind(transfer)].name} of ${amountText(amount, currency)} ${currency}`;
    return { href: `/console/money/transfers/${id}`, title, note: reference ?? externalId ?? correlationId ?? '' };
  });
  return { name: 'Transfers', hits: [...hits.slice(0, HITS_MAX), ...many, ...amounts] };
}
