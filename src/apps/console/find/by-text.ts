// What a text finds: customers and owners by name, with their documents, and transfers by exact texts. Statements over large tables use
// an index.
import { bucketOf } from '../../../core/ids.ts';
import { searchTransfers, type TransferSearch } from '../../../ledger/transfers/transfer-search.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { listAccounts } from '../../../resources/accounts/account.ts';
import { findOwnersByName, listOwners } from '../../../resources/beneficial-owners/beneficial-owner.ts';
import { findByExternalIds } from '../../../resources/customers/external-id.ts';
import { fold, gramsOf } from '../../../resources/customers/folding.ts';
import { type FoundCustomer, searchCustomers } from '../../../resources/customers/search.ts';
import { listDocuments } from '../../../resources/documents/document.ts';
import { amountText } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { KINDS, shownKind } from '../ledger/transfer-words.ts';
import { REVIEW } from '../review/address.ts';
import { TYPE_NAMES } from '../review/type-name.ts';
import type { Visit } from '../screen.ts';
import { HITS_MAX, type Hit, type HitGroup } from './hit.ts';
import { findLabels } from './labels.ts';
import { findRunning } from './running.ts';

/** The documents of so many customers and owners are looked at. */
const PEOPLE_OPENED = 3;
const OWNERS_OPENED = 12;
/** Of a name of an owner. */
const NAME_MIN = 3;
/** Accounts whose directory of external ids is asked. */
const ACCOUNTS_MAX = 100;
const AMOUNT = /^\d[\d,]*(?:\.\d{1,4})?$/;
const EXTERNAL_ID = /^[!-~]{1,255}$/;

export async function findByText(sql: Sql, text: string, visit: Pick<Visit, 'may'>): Promise<HitGroup[]> {
  const { may } = visit;
  const [customers, external, transfers, owners, run] = await Promise.all([
    may('readCustomers') ? customersOf(sql, text, visit) : [],
    may('readCustomers') ? customersByExternalId(sql, text) : [],
    may('readMoney') ? transfersOf(sql, text) : undefined,
    may('readCustomers') ? ownersOf(sql, text) : [],
    findRunning(sql, text, visit),
  ]);
  const found = unique([...external, ...customers]);
  const [labels, documents] = await Promise.all([
    may('readMoney') ? findLabels(sql, text, found) : [],
    may('reviewDocuments') ? documentsOf(sql, found, owners) : [],
  ]);
  const search = new URLSearchParams({ search: text });
  return [
    {
      name: 'Customers',
      hits: [...found.slice(0, HITS_MAX).map(hitOf), ...(found.length === 1 ? actionsOf(found[0]!, visit) : [])],
      ...(found.length > HITS_MAX && { more: `/console/customers?${search}` }),
    },
    { name: 'Owners', hits: owners.slice(0, HITS_MAX).map(hitOfOwner) },
    { name: 'Labels', hits: labels },
    ...(transfers ? [transfers] : []),
    { name: 'Documents', hits: documents.slice(0, HITS_MAX) },
    ...run,
  ];
}

/** What is done most often with a customer. */
function actionsOf(customer: FoundCustomer, { may }: Pick<Visit, 'may'>): Hit[] {
  const name = nameOf(customer);
  return [
    ...(may('readMoney') ? [{ href: `/console/customers/${customer.id}/ledger`, title: `Ledger of ${name}`, note: 'Page' }] : []),
    ...(may('moveMoney')
      ? [{ href: `/console/money/move?customer=${customer.id}`, title: `Move money of ${name}`, note: 'Action' }]
      : []),
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

type FoundOwner = Awaited<ReturnType<typeof findOwnersByName>>[number];

/** By the beginning of the last name, alone or after that of the first name. */
async function ownersOf(sql: Sql, text: string): Promise<FoundOwner[]> {
  if (text.length < NAME_MIN) return [];
  const limit = HITS_MAX;
  const words = text.split(' ');
  const [whole, both] = await Promise.all([
    findOwnersByName(sql, { first: '', last: text, limit }),
    words.length > 1 ? findOwnersByName(sql, { first: words[0]!, last: words.slice(1).join(' '), limit }) : [],
  ]);
  return [...new Map([...both, ...whole].map((owner) => [owner.id, owner])).values()];
}

function hitOfOwner({ id, firstName, lastName }: FoundOwner): Hit {
  return { href: `/console/customers/owners/${id}`, title: `${firstName} ${lastName}`, note: 'Beneficial owner' };
}

/** Of the customers with their owners, and of the owners, that the text names. */
async function documentsOf(sql: Sql, found: FoundCustomer[], owners: FoundOwner[]): Promise<Hit[]> {
  const customers = found.slice(0, PEOPLE_OPENED);
  const owned = (await Promise.all(customers.map(({ id }) => listOwners(sql, id)))).flat();
  const opened = [...new Map([...owners, ...owned].slice(0, OWNERS_OPENED).map((owner) => [owner.id, owner])).values()];
  const people = [
    ...customers.map((customer) => ({ ...customer, customerId: customer.id, ownerId: null, name: nameOf(customer) })),
    ...opened.map((owner) => ({ ...owner, ownerId: owner.id, name: `${owner.firstName} ${owner.lastName}` })),
  ];
  const lists = await Promise.all(
    people.map(({ accountId, customerId, ownerId }) =>
      listDocuments(sql, { bucket: bucketOf(customerId), accountId, customerId, ownerId }),
    ),
  );
  return lists.flatMap((documents, index) =>
    documents.map(({ id, type, status }) => ({
      ...{ href: `${REVIEW}/${id}`, title: `${TYPE_NAMES[type]} of ${people[index]!.name}`, note: status },
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
