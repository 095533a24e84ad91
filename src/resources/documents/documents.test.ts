// Tests of submitting documents: representation, subjects, limits, access and idempotency.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type Body, HAL, idOf } from '../../../test/support/http.ts';
import { filePart, typePart } from '../../../test/support/multipart.ts';
import { picture } from '../../../test/support/pictures.ts';
import { openUploads } from '../../../test/support/uploads.ts';

// Shared by all tests of the file; each creates its own customers and owners.
const sandbox = await openUploads({ after });

const needless = { status: 403, code: 'InvalidResourceState', message: 'No document is needed now.' };

test('gives a document with the specified fields, first pending, then rejected', async () => {
  const { newOwner, submitted, get, judge, url } = sandbox;
  const owner = await newOwner();
  const empty = await get(`${owner}/documents`);
  const self = { href: `${owner}/documents`, type: HAL, 'resource-type': 'document' };
  assert.deepEqual(empty, { _links: { self }, _embedded: { documents: [] }, total: 0 });

  const passport = await submitted(owner, { documentType: 'passport' });
  const license = await submitted(owner, { documentType: 'license' });
  const list = await get(`${owner}/documents`);
  const [newer, older] = list._embedded.documents;
  const pending = (document: string, type: string, { created }: Body) => ({
    _links: {
      self: { href: document, type: HAL, 'resource-type': 'document' },
      owner: { href: owner, type: HAL, 'resource-type': 'beneficial-owner' },
      reviews: { href: `${document}/reviews`, type: HAL, 'resource-type': 'review' },
    },
    id: idOf(document),
    status: 'pending',
    type,
    created,
    documentVerificationStatus: 'pending',
  });
  assert.deepEqual(list, {
    _links: { self },
    _embedded: { documents: [pending(license, 'license', newer), pending(passport, 'passport', older)] },
    total: 2,
  });
  assert.match(newer.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(passport, `${url}/documents/${older.id}`);
  assert.deepEqual(await get(license), newer);
  assert.equal((await get(newer._links.owner.href)).verificationStatus, 'document');
  assert.equal((await get(newer._links.reviews.href)).total, 0);

  assert.equal((await judge(license, 'rejected', ['ScanIdExpired', 'ScanDobMismatch'])).status, 201);
  const rejected = {
    ...newer,
    status: 'reviewed',
    documentVerificationStatus: 'rejected',
    failureReason: 'ScanDobMismatch',
    allFailureReasons: [
      { reason: 'ScanDobMismatch', description: 'Scan DOB does not match DOB on account' },
      { reason: 'ScanIdExpired', description: 'ID is expired or missing expiration date' },
    ],
  };
  assert.deepEqual((await get(`${owner}/documents`))._embedded.documents, [rejected, older]);
  assert.deepEqual(await get(license), rejected);

  assert.equal((await judge(passport, 'accepted')).status, 201);
  const accepted = { ...older, status: 'reviewed', documentVerificationStatus: 'accepted' };
  assert.deepEqual(await get(`${owner}/documents`), {
    _links: { self },
    _embedded: { documents: [rejected, accepted] },
    total: 2,
  });
});

test('only an owner or customer that needs a document can submit one', async () => {
  const { newCustomer, newOwner, submit, call, business, rowCounts } = sandbox;
  const customer = await newCustomer();
  const owner = await newOwner({}, { customer });
  const [verified, incomplete] = [await newOwner({ firstName: 'Ada' }), await newOwner({ firstName: 'incomplete' })];
  const retry = await newCustomer({ firstName: 'retry' });
  const unverified = await call('POST', '/customers', {
    body: { type: 'unverified', firstName: 'A', lastName: 'B', email: 'a@example.com' },
  });
  await call('POST', customer, { body: { status: 'suspended' } });
  const before = await rowCounts();
  for (const whose of [verified, incomplete, business, retry, unverified.headers.location!])
    assertRefused(await submit(whose), needless);
  for (const whose of [owner, customer]) assertRefused(await submit(whose), { status: 403, code: 'InvalidResourceState' });
  assert.deepEqual(await rowCounts(), before);
});

test('a customer suspended before the decision is verified once reactivated', async () => {
  const { newCustomer, submitted, get, judge, call, topics } = sandbox;
  const customer = await newCustomer({ firstName: 'document' });
  const document = await submitted(customer);
  await call('POST', customer, { body: { status: 'suspended' } });
  assert.equal((await judge(document, 'accepted')).status, 201);
  assert.equal((await get(customer)).status, 'suspended');
  assert.ok(!(await topics(customer)).includes('customer_verified'));
  assertRefused(await call('POST', `${customer}/labels`, { body: { amount: { value: '0', currency: 'USD' } } }), {
    status: 403,
    code: 'InvalidResourceState',
  });
  await call('POST', customer, { body: { status: 'reactivated' } });
  assert.equal((await get(customer)).status, 'verified');
});

test('refuses the same content again and names the earlier document, unless that was rejected', async () => {
  const { newOwner, submit, submitted, judge, rowCounts } = sandbox;
  const [owner, other] = [await newOwner(), await newOwner()];
  const file = await picture();
  const first = await submitted(owner, { file });
  const before = await rowCounts();
  const again = await submit(owner, { file, documentType: 'license' });
  assertRefused(again, { status: 400, code: 'DuplicateResource' });
  assert.deepEqual(again.body._links.about, { href: first, type: HAL, 'resource-type': 'document' });
  assert.deepEqual(await rowCounts(), before);
  await submitted(other, { file });
  await judge(first, 'rejected', ['ScanNotReadable']);
  const second = await submitted(owner, { file });
  assert.notEqual(second, first);
  const both = await Promise.all([submit(other, { file }), submit(other, { file })]);
  for (const answer of both) assertRefused(answer, { status: 400, code: 'DuplicateResource' });
});

test('allows at most four documents that are not rejected, also for concurrent uploads', async () => {
  const { newOwner, newCustomer, submit, get, judge } = sandbox;
  for (const whose of [await newOwner(), await newCustomer({ firstName: 'document' })]) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(whose)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 4);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assertRefused(answer, {
        status: 400,
        code: 'MaxNumberOfResources',
        message: 'At most 4 documents may wait for a decision.',
      });
    }
    assert.equal((await get(`${whose}/documents`)).total, 4);
    await judge(answers.find(({ status }) => status === 201)!.headers.location!, 'rejected', ['ScanNotReadable']);
    assert.equal((await submit(whose)).status, 201);
    assertRefused(await submit(whose), { status: 400, code: 'MaxNumberOfResources' });
  }
});

test('answers as specified for other accounts and missing scopes', async () => {
  const { newOwner, newCustomer, newClient, submitted, submit, call, judge, nowhere, client, rowCounts } = sandbox;
  const owner = await newOwner();
  const customer = await newCustomer({ firstName: 'document' });
  const document = await submitted(owner);
  const review = (await judge(await submitted(customer), 'rejected', ['ScanFailedOther'])).headers.location!;
  const { token } = await newClient();
  const forbidden = { status: 403, code: 'Forbidden', message: 'The supplied credentials are not authorized for this resource.' };
  const missing = { status: 404, code: 'NotFound', message: 'The requested resource was not found.' };
  const before = await rowCounts();
  for (const path of [`${owner}/documents`, `${customer}/documents`, document, `${document}/reviews`, review]) {
    assertRefused(await call('GET', path, { token }), forbidden);
  }
  for (const whose of [owner, customer]) assertRefused(await submit(whose, { token }), forbidden);
  assertRefused(await judge(document, 'accepted', undefined, { token }), forbidden);
  const [noOwner, noCustomer, noDocument] = [nowhere('beneficial-owner'), nowhere('customer'), nowhere('document')];
  for (const path of [
    `${noOwner}/documents`,
    `${noCustomer}/documents`,
    noDocument,
    `${noDocument}/reviews`,
    nowhere('review'),
  ]) {
    assertRefused(await call('GET', path), missing);
  }
  for (const whose of [noOwner, noCustomer]) assertRefused(await submit(whose), missing);
  assertRefused(await judge(noDocument, 'accepted'), missing);
  for (const path of [
    '/beneficial-owners/x/documents',
    '/customers/x/documents',
    '/documents/x',
    '/documents/x/reviews',
    '/reviews/x',
  ]) {
    assertRefused(await call('GET', path), missing);
  }
  // The id of a document is not an owner's.
  assertRefused(await call('GET', `/beneficial-owners/${idOf(document)}/documents`), missing);
  const reader = (await newClient(['read'], client.account_id)).token;
  const writer = (await newClient(['write', 'read'], client.account_id)).token;
  assertRefused(await submit(owner, { token: reader }), forbidden);
  assertRefused(await judge(document, 'accepted', undefined, { token: writer }), forbidden);
  const reviewer = (await newClient(['review'], client.account_id)).token;
  assertRefused(await call('GET', `${owner}/documents`, { token: reviewer }), forbidden);
  assert.deepEqual(await rowCounts(), before);
  assert.equal((await judge(document, 'accepted', undefined, { token: reviewer })).status, 201);
  assert.equal((await call('GET', `${owner}/documents`, { token: reader })).status, 200);
});

test('an Idempotency-Key gives an upload and a decision one effect and replays the first answer', async () => {
  const { newOwner, submit, judge, get, rowCounts } = sandbox;
  const owner = await newOwner();
  const [file, another] = [await picture(), await picture()];
  const answers = await Promise.all(Array.from({ length: 5 }, () => submit(owner, { file, key: 'upload-1' })));
  const [first] = answers;
  for (const answer of answers) {
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.headers.location, first!.headers.location);
  }
  assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 4);
  assert.equal((await get(`${owner}/documents`)).total, 1);
  const turned = await submit(owner, {
    parts: [filePart(file, { fileName: 'again.png' }), typePart()],
    boundary: 'x',
    key: 'upload-1',
  });
  assert.equal(turned.headers['idempotent-replayed'], 'true', 'a body written differently is the same request');
  const before = await rowCounts();
  for (const change of [{ file: another }, { file, documentType: 'license' }]) {
    const answer = await submit(owner, { ...change, key: 'upload-1' });
    assertRefused(answer, { status: 409, code: 'Conflict' });
    assert.equal(answer.body._links.about.href, first!.headers.location);
  }
  assertRefused(await submit(owner, { file, key: 'upload-2' }), { status: 400, code: 'DuplicateResource' });
  assert.deepEqual(await rowCounts(), before);
  assert.equal(
    (await submit(owner, { file: another, key: 'upload-2' })).status,
    201,
    'a refused request does not use up the key',
  );

  const document = first!.headers.location!;
  const decisions = await Promise.all(
    Array.from({ length: 3 }, () => judge(document, 'accepted', undefined, { key: 'decide-1' })),
  );
  assert.deepEqual(
    decisions.map(({ status, headers }) => [status, headers.location]),
    Array(3).fill([201, decisions[0]!.headers.location]),
  );
  const replayed = await submit(owner, { file, key: 'upload-1' });
  assert.deepEqual(
    [replayed.status, replayed.headers.location],
    [201, document],
    'an upload is also replayed once the owner needs no document',
  );
});

test('a repeated Idempotency-Key gets its first answer also after the owner was removed', async () => {
  const { newOwner, submit, call } = sandbox;
  const owner = await newOwner();
  const file = await picture();
  const first = await submit(owner, { file, key: 'removed-later' });
  assert.equal((await call('DELETE', owner)).status, 200);
  const again = await submit(owner, { file, key: 'removed-later' });
  assert.deepEqual(
    [again.status, again.headers.location, again.headers['idempotent-replayed']],
    [201, first.headers.location, 'true'],
  );
  const other = await picture();
  assertRefused(await submit(owner, { file: other, key: 'removed-later' }), { status: 409, code: 'Conflict' });
  const missing = { status: 404, code: 'NotFound' };
  assertRefused(await submit(owner, { file, key: 'another' }), missing);
  assertRefused(await submit(owner, { file: Buffer.from('no picture'), key: 'another' }), missing);
  assertRefused(await submit(owner, { documentType: 'wrong', key: 'another' }), missing);
  assertRefused(await submit(owner, { file }), missing);
});

test('money that was blocked until a document came can move again', async () => {
  const { newCustomer, newLabel, submitted, judge, call, reallocation, sql } = sandbox;
  const customer = await newCustomer();
  await call('POST', `${customer}/deposits`, { body: { amount: { value: '5.00', currency: 'USD' } } });
  const [from, to] = [await newLabel(customer, '5.00'), await newLabel(customer)];
  const move = () => call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00') });
  // As when an operator asks for a document later.
  await sql`update customer set status = 'document' where id = ${idOf(customer)}`;
  await sql`update ledger_account set frozen = true where customer_id = ${idOf(customer)}`;
  assertRefused(await move(), { status: 400, code: 'ValidationError' });
  const first = await submitted(customer);
  assert.equal((await judge(first, 'rejected', ['ScanIdExpired'])).status, 201);
  assertRefused(await move(), { status: 400, code: 'ValidationError' });
  assert.equal((await judge(await submitted(customer), 'accepted')).status, 201);
  assert.equal((await move()).status, 201);
});
