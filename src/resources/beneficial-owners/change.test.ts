// Tests of changing and removing beneficial owners, and of their links and lists.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { address, CHILD, type Fields, ownerForm as form } from '../../../test/support/data.ts';
import { assertRefused, faultsOf, idOf } from '../../../test/support/http.ts';
import { untilWaiting } from '../../../test/support/locks.ts';
import { incomplete, notFound, openBusiness } from '../../../test/support/owners.ts';
import { startService } from '../../../test/support/service.ts';
import { bucketOf } from '../../core/ids.ts';
import { lockOwner, setOwnerStatus } from './beneficial-owner.ts';

const closed = { status: 403, code: 'InvalidResourceState', message: 'Customer is suspended or deactivated.' };

// Shared by all tests of the file; each creates its own customer.
const sandbox = await startService({ after });
const production = await startService({ after }, { env: { MODE: 'production' } });

test('shows a link only while its action succeeds', async () => {
  const { create, get, call, change, customer } = await openBusiness(sandbox);
  const owners = [await create(form), await create({ ...form, firstName: 'document' }), await create(incomplete)];
  const linksOf = async () => Promise.all(owners.map(async (url) => Object.keys((await get(url))._links)));
  const always = ['self', 'customer', 'documents'];
  const open_ = [
    [...always, 'remove'],
    [...always, 'verify-with-document', 'remove'],
    [...always, 'edit', 'retry', 'remove'],
  ];
  assert.deepEqual(await linksOf(), open_);
  const { edit, retry, self } = (await get(owners[2]!))._links;
  assert.deepEqual([edit, retry], [self, self]);
  const { documents, 'verify-with-document': verify } = (await get(owners[1]!))._links;
  assert.deepEqual(verify, documents);

  await change(customer, { status: 'suspended' });
  assert.deepEqual(await linksOf(), [always, always, always]);
  await change(customer, { status: 'reactivated' });
  assert.deepEqual(await linksOf(), open_);
  assert.deepEqual(Object.keys((await call('DELETE', owners[1]!)).body._links), always);
});

test('lists the owners of a customer, newest first', async () => {
  const { create, get, call, customer, newCustomer } = await openBusiness(sandbox);
  const empty = await get(`${customer}/beneficial-owners`);
  assert.deepEqual([empty._embedded, empty.total], [{ 'beneficial-owners': [] }, 0]);
  const [first, second, third] = [await create(form), await create(incomplete), await create(form)];
  await create(form, await newCustomer());
  await call('DELETE', second);
  const list = await get(`${customer}/beneficial-owners`);
  assert.deepEqual(list, {
    _links: {
      self: { ...list._links.self, href: `${customer}/beneficial-owners`, 'resource-type': 'beneficial-owner' },
    },
    _embedded: { 'beneficial-owners': [await get(third), await get(first)] },
    total: 2,
  });
  const { 'beneficial-owners': owners, 'beneficial-ownership': ownership } = (await get(customer))._links;
  assert.deepEqual(owners, list._links.self);
  assert.equal(ownership.href, `${customer}/beneficial-ownership`);
});

test('an unverified business can name owners; a suspended or deactivated one cannot change them', async () => {
  const { call, change, create, customer, get, certify, newCustomer, written, add } = await openBusiness(sandbox);
  const waiting = await newCustomer({ form: { firstName: 'document' } });
  assert.equal((await get(await create(form, waiting))).verificationStatus, 'verified');
  assert.equal((await certify(waiting)).status, 200);

  const owner = await create(incomplete);
  for (const status of ['suspended', 'deactivated']) {
    await change(customer, { status });
    const before = await written();
    assertRefused(await add(form), closed);
    assertRefused(await change(owner, { firstName: 'Olive' }), closed);
    assertRefused(await call('DELETE', owner), closed);
    assertRefused(await certify(), closed);
    assert.deepEqual(await written(), before);
    assert.equal((await get(owner)).verificationStatus, 'incomplete');
    assert.equal((await get(`${customer}/beneficial-owners`)).total, 1);
    assert.ok(!('certify' in (await get(`${customer}/beneficial-ownership`))._links));
  }
});

test('changing an incomplete owner decides its status again', async () => {
  const { create, change, get, topics } = await openBusiness(sandbox);
  const url = await create(incomplete);
  const still = await change(url, { lastName: 'Renamed', unknown: 1 });
  assert.equal(still.status, 200, still.text);
  assert.deepEqual([still.body.lastName, still.body.verificationStatus], ['Renamed', 'incomplete']);
  assert.deepEqual(still.body, await get(url));

  const moved = { address1: '2 New Street', city: 'Salem', stateProvinceRegion: 'OR', country: 'US', postalCode: '97301' };
  const done = await change(url, { firstName: 'Olive', address: { ...moved, address2: '' } });
  assert.deepEqual(done.body, await get(url));
  const { firstName, lastName, address: now, verificationStatus } = done.body;
  assert.deepEqual([firstName, lastName, now, verificationStatus], ['Olive', 'Renamed', moved, 'verified']);
  assert.deepEqual(await topics(url), ['created', 'reverification_needed', 'reverification_needed', 'verified']);

  const other = await create(incomplete);
  assert.equal((await change(other, { ...form, firstName: 'document' })).body.verificationStatus, 'document');
  assert.deepEqual(await topics(other), ['created', 'reverification_needed', 'verification_document_needed']);

  const refused = {
    status: 403,
    code: 'InvalidResourceState',
    message: 'Beneficial owner can be changed only while it is incomplete.',
  };
  for (const owner of [url, other]) assertRefused(await change(owner, { lastName: 'Again' }), refused);
});

test('in production a changed incomplete owner needs a document', async () => {
  const { create, change, get, topics, service } = await openBusiness(production);
  const url = await create(form);
  await service.database.transaction(async (tx) => {
    const owner = await lockOwner(tx, idOf(url));
    await setOwnerStatus(tx, owner!, 'incomplete', new Date());
  });
  assert.equal((await get(url)).verificationStatus, 'incomplete');
  assert.equal((await change(url, { lastName: 'Renamed' })).body.verificationStatus, 'document');
  assert.deepEqual(await topics(url), ['created', 'verification_document_needed', 'verification_document_needed']);
});

test('refuses each violation of the change form', async () => {
  const { create, change, written } = await openBusiness(sandbox);
  const url = await create(incomplete);
  const { city, ...cityless } = address;
  const rules: [body: Fields, faults: string[]][] = [
    ...['id', 'verificationStatus', 'created'].map((name): [Fields, string[]] => [
      { [name]: 'x', firstName: 'Olive' },
      [`ReadOnly /${name}`],
    ]),
    ...['firstName', 'lastName', 'dateOfBirth', 'ssn', 'passport', 'address'].map((name): [Fields, string[]] => [
      { [name]: ' ', ...(name !== 'lastName' && { lastName: 'Fine' }) },
      [`Required /${name}`],
    ]),
    [{ address: cityless }, ['Required /address/city']],
    [{ address: { ...address, postalCode: ' ' } }, ['Required /address/postalCode']],
    [{ passport: { number: 'X1' } }, ['Required /passport/country']],
    [{ dateOfBirth: CHILD, ssn: 'x', firstName: 7 }, ['Invalid /dateOfBirth', 'Invalid /firstName', 'InvalidFormat /ssn']],
  ];
  const before = await written();
  for (const [body, faults] of rules) {
    const answer = await change(url, body);
    assertRefused(answer, { status: 400, code: 'ValidationError' });
    assert.deepEqual(faultsOf(answer), faults, answer.text);
  }
  for (const body of [{}, { unknown: 1 }]) assertRefused(await change(url, body), { status: 400, code: 'BadRequest' });
  assert.deepEqual(await written(), before);
});

test('removes an owner once; afterwards it is not found', async () => {
  const { create, call, get, change, topics, customer } = await openBusiness(sandbox);
  for (const firstName of ['Olive', 'document', 'incomplete']) {
    const url = await create({ ...form, firstName });
    const { _links, ...owner } = await get(url);
    const { _links: left, ...answered } = (await call('DELETE', url)).body;
    assert.deepEqual(answered, owner);
    assert.equal(left.self.href, url);
    for (const answer of [await call('GET', url), await call('DELETE', url), await change(url, { lastName: 'Late' })]) {
      assertRefused(answer, notFound);
    }
    assert.equal((await topics(url)).at(-1), 'removed');
  }
  assert.equal((await get(`${customer}/beneficial-owners`)).total, 0);

  const url = await create(form);
  const answers = await Promise.all(Array.from({ length: 4 }, () => call('DELETE', url)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404]);
  assert.deepEqual(await topics(url), ['created', 'verified', 'removed']);
});

test('documents can lock an owner and set its status', async () => {
  const { create, get, call, service, sql, topics, nowhere, customer } = await openBusiness(sandbox);
  const url = await create({ ...form, firstName: 'document' });
  const { database } = service;
  const late = await database.transaction(async (tx) => {
    const owner = await lockOwner(tx, idOf(url));
    assert.deepEqual(
      [owner?.customerId, owner?.lastName, owner?.verificationStatus, owner?.customerStatus],
      [idOf(customer), 'Example', 'document', 'verified'],
    );
    const waiting = call('DELETE', url);
    await untilWaiting(sql, 1);
    const free = await sql`
      select 1 from beneficial_owner where bucket = ${bucketOf(idOf(url))} and id = ${idOf(url)} for update skip locked`;
    assert.equal(free.length, 0, 'the row of the owner is locked too');
    await setOwnerStatus(tx, owner!, 'verified', new Date());
    return { waiting };
  });
  assert.equal((await late.waiting).body.verificationStatus, 'verified');
  assert.deepEqual(await topics(url), ['created', 'verification_document_needed', 'removed'], 'events are written by the caller');
  for (const id of [idOf(url), idOf(nowhere('beneficial-owner'))]) {
    assert.equal(await database.transaction((tx) => lockOwner(tx, id)), undefined);
  }
  const again = await create(form);
  assert.ok('remove' in (await get(again))._links);
});
