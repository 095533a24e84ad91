// The calls whose statements are measured: each way to move money, each list, search, statement, webhook and document.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { LAST_ID } from '../../src/core/ids.ts';
import { amountOf, customerForm, ownerForm, reallocation, usd } from '../support/data.ts';
import { type Body, idOf } from '../support/http.ts';
import { contentType, filePart, multipart, typePart } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import type { TestService } from '../support/service.ts';

export type World = Awaited<ReturnType<typeof openWorld>>;
type Account = Pick<TestService, 'call' | 'create' | 'get' | 'newCustomer' | 'newLabel' | 'newLabels' | 'client'>;

const BATCH = 500;
const DAY_MS = 86_400_000;
/** How many reallocations wait at once. */
const CONNECTIONS = 64;

/** A customer of an account with three labels, money and an allocation rule. */
export async function openWorld(account: Account) {
  const { newCustomer, newLabel, create } = account;
  const customer = await newCustomer({ available: '1000000.00' });
  const [from, to, other] = [await newLabel(customer, '500000.00'), await newLabel(customer), await newLabel(customer, '10.00')];
  await create(`${customer}/allocation-rules`, { name: 'tax', steps: [{ label: { href: to }, percent: '25.00' }] });
  const hold = await create(`${customer}/holds`, { _links: { from: { href: from } }, amount: usd('1.00') });
  await create(`${hold}/captures`, { amount: usd('0.10') });
  await create(`${from}/monitors`, { below: usd('1.00') });
  const schedule = await create(`${customer}/schedules`, {
    ...{ _links: { from: { href: from }, to: { href: to } }, amount: usd('1.00') },
    ...{ rule: 'FREQ=MONTHLY', start: '2099-01-31T18:00:00', timeZone: 'UTC' },
  });
  return { ...account, customer, from, to, other, schedule };
}

/** Makes reallocations in batches, each with texts that lists filter by. */
export async function grow({ create, from, to }: World, count: number): Promise<void> {
  for (let left = count; left > 0; left -= BATCH) {
    const items = Array.from({ length: Math.min(BATCH, left) }, () => ({ ...reallocation(from, to, '0.01'), ...texts() }));
    await create('/label-reallocation-batches', { mode: 'independent', items }, { key: randomUUID() });
  }
}

/** Makes a batch of a reallocation to each label. */
export async function spread({ create, from }: World, labels: string[]): Promise<void> {
  const items = labels.map((to) => reallocation(from, to, '0.01'));
  await create('/label-reallocation-batches', { mode: 'atomic', items }, { key: randomUUID() });
}

/** Makes reallocations one by one, over many connections. */
export function reallocate({ create, from, to }: World, count: number): Promise<void> {
  return together(count, () => create('/label-reallocations', reallocation(from, to, '0.01'), { key: randomUUID() }));
}

/** Calls a function so often, over many connections unless fewer are wanted. */
export async function together(count: number, call: () => Promise<unknown>, connections = CONNECTIONS): Promise<void> {
  let left = count;
  const work = async () => {
    for (; left > 0; left--) await call();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

/** Moves money in each way, repeats a request, and reuses an external id. */
export async function move({ call, create, customer, from, to, other }: World): Promise<void> {
  const body = { ...reallocation(from, to, '0.02'), ...texts() };
  const key = randomUUID();
  const made = await create('/label-reallocations', body, { key });
  assert.equal((await call('POST', '/label-reallocations', { body, key })).headers['idempotent-replayed'], 'true');
  assert.equal((await call('POST', '/label-reallocations', { body })).status, 409);
  const deposit = await create(`${customer}/deposits`, { ...amountOf('1.00'), ...texts() }, { key: randomUUID() });
  const withdrawal = await create(`${customer}/withdrawals`, { ...amountOf('0.05'), ...texts() }, { key: randomUUID() });
  const created: [string, unknown][] = [
    [`${withdrawal}/returns`, { ...amountOf('0.01'), ...texts(), reason: 'R01' }],
    [`${deposit}/returns`, { ...amountOf('0.01'), ...texts(), reason: 'R01', shortfall: 'owe' }],
    [`${made}/reversals`, { mode: 'available', ...amountOf('0.01') }],
    [`${made}/reversals`, {}],
    [`${other}/ledger-entries`, amountOf('0.01')],
    [`${other}/ledger-entries`, amountOf('-0.01')],
  ];
  for (const [path, body] of created) await create(path, body, { key: randomUUID() });
  const label = await create(`${customer}/labels`, { ...amountOf('0.00'), externalId: randomUUID() }, { key: randomUUID() });
  assert.equal((await call('DELETE', label)).status, 200);
  for (const mode of ['atomic', 'independent']) {
    const items = Array.from({ length: 3 }, () => ({ ...reallocation(from, to, '0.01'), ...texts() }));
    const withdrawals = [{ _links: { from: { href: to } }, ...amountOf('0.01'), ...texts() }];
    await create('/label-reallocation-batches', { mode, items, withdrawals }, { key: randomUUID() });
  }
}

/** Reads each resource and each page of each list. */
export async function read(world: World): Promise<void> {
  const { get, call, customer, from, other, schedule, client } = world;
  const made = (await get(`${customer}/label-reallocations?limit=25`))._embedded['label-reallocations'].find(
    ({ reference, reversed }: Body) => reference && reversed,
  );
  const [deposit] = (await get(`${customer}/deposits?limit=1`))._embedded.deposits;
  const { returns } = (await get(`${deposit._links.self.href}/returns`))._embedded;
  const [entry, , third] = (await get(`${from}/ledger-entries?limit=5`))._embedded['ledger-entries'];
  const paths = [
    ...[customer, from, '/', `/label-reallocations/${made.id}`, `/ledger-entries/${entry.id}`, `/accounts/${client.account_id}`],
    ...[`${customer}/balance`, `${customer}/balance?at=${timeAgo(50)}`, `${from}/balance?at=${timeAgo(50)}`],
    ...[
      `${customer}/allocation-rules`,
      `${customer}/holds?limit=5`,
      `${customer}/holds?status=pending`,
      `${from}/monitors`,
      `${customer}/schedules?limit=5`,
      `${schedule}/occurrences`,
      `${customer}/beneficial-owners`,
      `${customer}/beneficial-ownership`,
      `${customer}/documents`,
    ],
    ...[`/accounts/${client.account_id}/log/checkpoint`, '/webhook-subscriptions', '/documents?limit=5'],
    `/accounts/${client.account_id}/log/customers/${idOf(customer)}?after=${LAST_ID}`,
    `${customer}/statements/${thisMonth()}?label=${idOf(other)}`,
    ...pagesOf(`${from}/ledger-entries`, third.id),
    ...['label-reallocations', 'transfers'].flatMap((list) => pagesOf(`${customer}/${list}`, made.id)),
    ...['deposits', 'withdrawals', 'owed-entries'].flatMap((list) => pagesOf(`${customer}/${list}`)),
    ...returns.map((one: Body) => one._links.self.href),
    ...textsOf(made).map((text) => `${customer}/label-reallocations?${text}`),
    ...['', '&metadata[x]=y'].map((query) => `${customer}/transfers?limit=5&metadata[batch]=1${query}`),
    ...['', '&externalId=x', '&correlationId=x', '&metadata[x]=y'].map((query) => `${customer}/labels?limit=5${query}`),
    ...[`/label-reallocations/${made.id}/reversals`],
    ...[
      'limit=5',
      `limit=5&after=${made.id}`,
      `createdFrom=${timeAgo(50)}`,
      `createdBefore=${timeAgo(DAY_MS)}`,
      `id=${made.id}`,
    ].map((query) => `/transfers?${query}`),
    ...[`/transfers?reference=${made.reference}`, `/transfers?correlationId=${made.correlationId}`],
    ...['', '&search=Grace', '&status=verified', '&externalId=x', '&correlationId=x'].map(
      (query) => `/customers?limit=5${query}`,
    ),
    ...['', '&order=oldest', '&topic=customer_label_created', `&resourceId=${made.id}`, '&offset=10'].map(
      (query) => `/events?limit=5${query}`,
    ),
  ];
  for (const path of paths) await get(path);
  await call('GET', `/label-reallocations/${made.id}/receipt`);
  const { events } = (await get('/events?limit=5'))._embedded;
  await get(`/events/${events[0].id}`);
  await get(`/events?limit=5&after=${events[3].id}`);
  for (const subscription of (await get('/webhook-subscriptions'))._embedded['webhook-subscriptions'])
    await readWebhooks(world, subscription.id, made.id);
}

/** Reads resources by id at the same time, which share statements. */
export async function readTogether({ get, customer, from, to, other }: World): Promise<void> {
  const transfers = (await get(`${customer}/label-reallocations?limit=5`))._embedded['label-reallocations'];
  const entries = (await get(`${from}/ledger-entries?limit=5`))._embedded['ledger-entries'];
  const { events } = (await get('/events?limit=5'))._embedded;
  const subscriptions = (await get('/webhook-subscriptions'))._embedded['webhook-subscriptions'];
  const listed = [...transfers, ...entries, ...events, ...subscriptions].map((one: Body) => one._links.self.href);
  const paths = [customer, `${customer}/balance`, from, to, other, ...listed];
  // Twice: the first of a kind is asked alone, unless others of its kind arrive with it.
  await Promise.all([...paths, ...paths].map((path) => get(path)));
}

/** Reads the statement of a month with all its entries. */
export async function readStatements({ call, customer }: World): Promise<void> {
  const answer = await call('GET', `${customer}/statements/${thisMonth()}`, { headers: { accept: 'text/csv' } });
  assert.equal(answer.status, 200, answer.text);
}

async function readWebhooks({ get, call }: World, subscriptionId: string, resourceId: string): Promise<void> {
  const list = `/webhook-subscriptions/${subscriptionId}/webhooks?limit=5`;
  const { webhooks } = (await get(list))._embedded;
  const filters = [`resourceId=${resourceId}`, 'status=failed', 'status=delivered', 'status=pending', 'offset=5'];
  for (const filter of [...filters, `startDate=${timeAgo(50)}`, `endDate=${timeAgo(DAY_MS)}`, `after=${webhooks[3].id}`])
    await get(`${list}&${filter}`);
  await get(`/webhooks/${webhooks[0].id}`);
  await get(`/webhooks/${webhooks[0].id}/retries`);
  assert.equal((await call('POST', `/webhooks/${webhooks[0].id}/retries`)).status, 201);
}

/** Adds a customer and an owner who submits a document, and decides on it. */
export async function review({ call, create }: World): Promise<void> {
  const business = await create('/customers', { ...customerForm(), correlationId: randomUUID(), externalId: randomUUID() });
  const owner = await create(`${business}/beneficial-owners`, { ...ownerForm, firstName: 'document' });
  const upload = await call('POST', `${owner}/documents`, {
    raw: multipart([typePart('passport'), filePart(await picture())], {}),
    headers: { 'content-type': contentType({}) },
    key: randomUUID(),
  });
  assert.equal(upload.status, 201, upload.text);
  const document = upload.headers.location!;
  await call('GET', `${owner}/documents`);
  await call('POST', `${document}/claim`);
  await call('GET', '/documents?limit=5&status=pending');
  const body = { decision: 'rejected', reasons: ['ScanNotReadable'] };
  assert.equal((await call('POST', `${document}/reviews`, { body })).status, 201);
  await call('GET', `${document}/reviews`);
}

const texts = () => ({ reference: randomUUID(), correlationId: randomUUID(), externalId: randomUUID() });

function textsOf({ reference, correlationId, externalId }: Body): string[] {
  return [`reference=${reference}`, `correlationId=${correlationId}`, `externalId=${externalId}`];
}

function pagesOf(list: string, after?: string): string[] {
  const pages = ['offset=0', 'offset=10', `createdFrom=${timeAgo(50)}`, `createdBefore=${timeAgo(DAY_MS)}`];
  return [...pages, ...(after ? [`after=${after}`] : [])].map((page) => `${list}?limit=5&${page}`);
}

function thisMonth(): string {
  return new Date().toISOString().slice(0, 7);
}

function timeAgo(ms: number): string {
  return encodeURIComponent(new Date(Date.now() - ms).toISOString());
}
