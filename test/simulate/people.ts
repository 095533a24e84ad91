// Simulated operations on customers and their status, beneficial owners, ownership, documents and reviews.
import assert from 'node:assert/strict';
import { ownerForm } from '../support/data.ts';
import { assertRefused, type Body } from '../support/http.ts';
import { contentType, filePart, multipart, typePart } from '../support/multipart.ts';
import { picture } from '../support/pictures.ts';
import { type Account, CLOSED, type Customer, type Document, FORBIDDEN, isClosed, MISSING, type Owner } from './model.ts';
import { drawForm, STATUS_TOPICS } from './verification.ts';
import type { World } from './world.ts';

const OWNER_TOPICS: Record<string, string> = {
  verified: 'customer_beneficial_owner_verified',
  document: 'customer_beneficial_owner_verification_document_needed',
  incomplete: 'customer_beneficial_owner_reverification_needed',
};
const MAX_OWNERS = 4;
const MAX_DOCUMENTS = 4;
const NOT_A_BUSINESS = { status: 403, code: 'InvalidResourceState', message: 'Only a business customer has beneficial owners.' };

export async function createCustomer(world: World, account: Account): Promise<void> {
  const type = world.random.pick(['business', 'business', 'business', 'business', 'personal', 'unverified'] as const);
  const { form, members, status } = drawForm(world.random, type);
  const url = await world.create(account, '/customers', form);
  const money = { available: new Map(), owed: new Map(), deposits: [], withdrawals: [], returns: [], holds: [] };
  const labels = { labels: [], moves: [], schedules: [], rules: new Map(), crossings: [] };
  const lists = { ...money, ...labels, owners: [], documents: [] };
  account.customers.push({ url, type, status, statusBefore: undefined, members, ownership: 'uncertified', ...lists });
  account.events.push({ topic: 'customer_created', resource: url });
  if (STATUS_TOPICS[status]) account.events.push({ topic: STATUS_TOPICS[status], resource: url });
}

export async function readCustomer(world: World, account: Account, customer: Customer): Promise<void> {
  assertCustomer(await world.get(account, customer.url), customer);
}

export async function listCustomers(world: World, account: Account): Promise<void> {
  const statuses = world.random.pick([[], ['verified'], ['suspended'], ['retry', 'suspended', 'document']]);
  const wanted = account.customers.filter((one) => statuses.length === 0 || statuses.includes(one.status)).reverse();
  const [limit, offset] = [world.random.int(1, 5), world.random.int(0, 5)];
  const query = `limit=${limit}&offset=${offset}${statuses.map((status) => `&status=${status}`).join('')}`;
  const body = await world.get(account, `/customers?${query}`);
  assert.equal(body.total, wanted.length);
  const page = wanted.slice(offset, offset + limit);
  assert.equal(body._embedded.customers.length, page.length);
  page.forEach((customer, index) => {
    assertCustomer(body._embedded.customers[index], customer);
  });
}

function assertCustomer(body: Body, customer: Customer): void {
  const { _links, id, created, ...rest } = body;
  assert.ok(customer.url.endsWith(id) && created);
  assert.deepEqual(rest, { ...customer.members, type: customer.type, status: customer.status });
  const closed = isClosed(customer);
  const links = {
    self: true,
    balance: true,
    'beneficial-owners': customer.type === 'business',
    'beneficial-ownership': customer.type === 'business',
    documents: customer.type !== 'unverified',
    edit: !closed,
    suspend: !closed,
    deactivate: customer.status !== 'deactivated',
    reactivate: closed && customer.statusBefore !== undefined,
    'retry-verification': customer.status === 'retry',
    'verify-with-document': customer.status === 'document',
    'certify-beneficial-ownership': customer.type === 'business' && !closed && customer.ownership !== 'certified',
    deposit: customer.status === 'verified' || customer.statusBefore === 'verified',
    ...Object.fromEntries(['labels', 'create-label', 'withdraw'].map((name) => [name, customer.status === 'verified'])),
  };
  const wanted = Object.entries(links).filter(([, is]) => is);
  assert.deepEqual(Object.keys(_links).sort(), wanted.map(([name]) => name).sort());
}

export async function changeCustomer(world: World, account: Account, customer: Customer): Promise<void> {
  const city = world.random.pick(['Springfield', 'Shelbyville', 'Ogdenville']);
  const { answer } = await world.ask(account, 'POST', customer.url, { body: { city } });
  if (isClosed(customer)) return assertRefused(answer, CLOSED);
  assert.equal(answer.status, 200, answer.text);
  customer.members.city = city;
  account.events.push({ topic: 'customer_updated', resource: customer.url });
  assertCustomer(answer.body, customer);
}

export async function changeStatus(world: World, account: Account, customer: Customer): Promise<void> {
  const closed = isClosed(customer);
  const change = world.random.pick(
    closed ? ['reactivated', 'reactivated', 'reactivated', 'deactivated'] : ['suspended', 'deactivated', 'reactivated'],
  );
  const legal = {
    suspended: !closed,
    deactivated: customer.status !== 'deactivated',
    reactivated: closed && customer.statusBefore !== undefined,
  }[change];
  const { answer } = await world.ask(account, 'POST', customer.url, { body: { status: change } });
  if (!legal) {
    assertRefused(answer, { status: 403, code: 'InvalidResourceState', message: 'Customer status cannot be changed this way.' });
    return;
  }
  assert.equal(answer.status, 200, answer.text);
  const before = customer.statusBefore ?? customer.status;
  customer.status = change === 'reactivated' ? before : change;
  customer.statusBefore = change === 'reactivated' ? undefined : before;
  // A customer suspended from the start returns to that status.
  const topic = isClosed(customer) ? `customer_${customer.status}` : 'customer_activated';
  account.events.push({ topic, resource: customer.url });
  assertCustomer(answer.body, customer);
}

export async function createOwner(world: World, account: Account, customer: Customer): Promise<void> {
  const firstName = world.random.pick(['Ada', 'document', 'document', 'incomplete']);
  const refused =
    customer.type !== 'business'
      ? NOT_A_BUSINESS
      : isClosed(customer)
        ? CLOSED
        : customer.owners.length >= MAX_OWNERS
          ? { status: 400, code: 'MaxNumberOfResources' }
          : undefined;
  const url = await world.create(account, `${customer.url}/beneficial-owners`, { ...ownerForm, firstName }, refused);
  if (refused) return;
  const status = firstName === 'Ada' ? 'verified' : firstName;
  customer.owners.push({ url, firstName, status, documents: [] });
  touchOwnership(customer);
  account.events.push(
    { topic: 'customer_beneficial_owner_created', resource: url },
    { topic: OWNER_TOPICS[status]!, resource: url },
  );
}

export async function listOwners(world: World, account: Account, customer: Customer): Promise<void> {
  const { answer } = await world.ask(account, 'GET', `${customer.url}/beneficial-owners`);
  if (customer.type !== 'business') return assertRefused(answer, NOT_A_BUSINESS);
  const found = answer.body._embedded['beneficial-owners'].map((owner: Body) => [
    owner._links.self.href,
    owner.firstName,
    owner.verificationStatus,
    'remove' in owner._links,
  ]);
  const wanted = customer.owners.toReversed().map(({ url, firstName, status }) => [url, firstName, status, !isClosed(customer)]);
  assert.deepEqual([found, answer.body.total], [wanted, wanted.length]);
}

export async function changeOwner(world: World, account: Account, customer: Customer, owner: Owner): Promise<void> {
  const firstName = world.random.pick(['Ada', 'document', 'incomplete']);
  const { answer } = await world.ask(account, 'POST', owner.url, { body: { firstName } });
  if (isClosed(customer)) return assertRefused(answer, CLOSED);
  if (owner.status !== 'incomplete') return assertRefused(answer, { status: 403, code: 'InvalidResourceState' });
  assert.equal(answer.status, 200, answer.text);
  owner.firstName = firstName;
  owner.status = firstName === 'Ada' ? 'verified' : firstName;
  touchOwnership(customer);
  assert.deepEqual([answer.body.firstName, answer.body.verificationStatus], [firstName, owner.status]);
  account.events.push({ topic: OWNER_TOPICS[owner.status]!, resource: owner.url });
}

export async function removeOwner(world: World, account: Account, customer: Customer, owner: Owner): Promise<void> {
  const { answer, retried } = await world.ask(account, 'DELETE', owner.url);
  if (isClosed(customer)) return assertRefused(answer, CLOSED);
  // A DELETE has no key: repeated after it was cut off, it answers 404.
  if (retried && answer.status === 404) assertRefused(answer, MISSING);
  else assert.deepEqual([answer.status, answer.body?.firstName], [200, owner.firstName], answer.text);
  customer.owners.splice(customer.owners.indexOf(owner), 1);
  touchOwnership(customer);
  account.events.push({ topic: 'customer_beneficial_owner_removed', resource: owner.url });
  assertRefused((await world.ask(account, 'GET', owner.url)).answer, MISSING);
}

export async function certify(world: World, account: Account, customer: Customer): Promise<void> {
  const path = `${customer.url}/beneficial-ownership`;
  const { answer } = await world.ask(account, 'POST', path, { body: { status: 'certified' } });
  if (customer.type !== 'business') return assertRefused(answer, NOT_A_BUSINESS);
  if (isClosed(customer)) return assertRefused(answer, CLOSED);
  assert.deepEqual([answer.status, answer.body.status], [200, 'certified'], answer.text);
  customer.ownership = 'certified';
}

export async function readOwnership(world: World, account: Account, customer: Customer): Promise<void> {
  const { answer } = await world.ask(account, 'GET', `${customer.url}/beneficial-ownership`);
  if (customer.type !== 'business') return assertRefused(answer, NOT_A_BUSINESS);
  assert.equal(answer.body.status, customer.ownership);
}

function touchOwnership(customer: Customer): void {
  if (customer.ownership === 'certified') customer.ownership = 'recertify';
}

/** An owner, or the customer itself. */
type Subject = { customer: Customer; owner: Owner | undefined };

export async function submitDocument(world: World, account: Account, { customer, owner }: Subject): Promise<void> {
  const documents = owner?.documents ?? customer.documents;
  const status = owner?.status ?? customer.status;
  const type = world.random.pick(['passport', 'license', 'idCard']);
  const counting = documents.filter((one) => one.status !== 'rejected').length;
  const refused = isClosed(customer)
    ? CLOSED
    : status !== 'document'
      ? { status: 403, code: 'InvalidResourceState', message: 'No document is needed now.' }
      : counting >= MAX_DOCUMENTS
        ? { status: 400, code: 'MaxNumberOfResources' }
        : undefined;
  const raw = multipart([typePart(type), filePart(await picture())]);
  const options = { raw, headers: { 'content-type': contentType() } };
  const url = await world.create(account, `${(owner ?? customer).url}/documents`, undefined, refused, options);
  if (refused) return;
  documents.push({ url, type, status: 'pending', reasons: [], reviews: [] });
  account.events.push({ topic: `${topicOf(owner)}_uploaded`, resource: url });
}

export async function reviewDocument(world: World, account: Account, subject: Subject, document: Document): Promise<void> {
  const { customer, owner } = subject;
  const decision = world.random.pick(['accepted', 'rejected'] as const);
  const reasons = decision === 'rejected' ? ['ScanNotReadable'] : [];
  const body = { decision, ...(reasons.length > 0 && { reasons }) };
  const decided = { status: 403, code: 'InvalidResourceState', message: 'The document has been decided already.' };
  const refused = document.status === 'pending' ? undefined : decided;
  const url = await world.create(account, `${document.url}/reviews`, body, refused);
  if (refused) return;
  document.status = decision;
  document.reasons = reasons;
  document.reviews.push(url);
  account.events.push({ topic: `${topicOf(owner)}_${decision === 'accepted' ? 'approved' : 'failed'}`, resource: document.url });
  if (decision === 'rejected') return;
  // A closed customer returns as verified.
  if (!owner && customer.statusBefore === 'document') {
    customer.statusBefore = 'verified';
    account.events.push({ topic: 'customer_updated', resource: customer.url });
  }
  if (owner ? owner.status === 'document' : customer.status === 'document') {
    if (owner) owner.status = 'verified';
    else customer.status = 'verified';
    const topic = owner ? 'customer_beneficial_owner_verified' : 'customer_verified';
    account.events.push({ topic, resource: (owner ?? customer).url });
  }
}

export async function listDocuments(world: World, account: Account, { customer, owner }: Subject): Promise<void> {
  const body = await world.get(account, `${(owner ?? customer).url}/documents`);
  const documents = (owner?.documents ?? customer.documents).toReversed();
  const found = body._embedded.documents.map((one: Body) => [
    one._links.self.href,
    one.type,
    one.documentVerificationStatus,
    one.failureReason,
  ]);
  assert.deepEqual(
    found,
    documents.map(({ url, type, status, reasons }) => [url, type, status, reasons[0]]),
  );
  for (const { url, reviews } of documents.slice(0, 1)) {
    const list = await world.get(account, `${url}/reviews`);
    assert.deepEqual(
      list._embedded.reviews.map((one: Body) => one._links.self.href),
      reviews.toReversed(),
    );
  }
}

/** Another account's resource: 403, without effect. */
export async function meddle(world: World, account: Account, customer: Customer): Promise<void> {
  const other = world.random.pick(world.accounts.filter((one) => one !== account));
  const urls = [
    customer.url,
    ...customer.labels.filter((label) => !label.removed).map(({ url }) => url),
    ...customer.owners.map(({ url }) => url),
  ];
  const url = world.random.pick(urls);
  assertRefused((await world.ask(other, 'GET', url)).answer, FORBIDDEN);
  const answer = (await world.ask(other, 'POST', customer.url, { body: { city: 'Nowhere' } })).answer;
  assertRefused(answer, FORBIDDEN);
}

const topicOf = (owner: Owner | undefined) =>
  owner ? 'customer_beneficial_owner_verification_document' : 'customer_verification_document';
