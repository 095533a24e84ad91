// Tests of documents over HTTP: representation, types and reasons, decisions and their effects, access, idempotency.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type Body, HAL, idOf } from '../../test/support/http.ts';
import { filePart, typePart } from '../../test/support/multipart.ts';
import { picture } from '../../test/support/pictures.ts';
import { openUploads } from '../../test/support/uploads.ts';

// Shared by all tests of the file; each creates its own customers and owners.
const [sandbox, production] = await Promise.all([
  openUploads({ after }),
  openUploads({ after }, { env: { MODE: 'production', FOREIGN_PASSPORTS: 'forbidden' } }),
]);

const DESCRIPTIONS: Record<string, string> = {
  ScanDobMismatch: 'Scan DOB does not match DOB on account',
  ScanNameMismatch: 'Scan name does not match name on account',
  ScanIdExpired: 'ID is expired or missing expiration date',
  ScanIdTypeNotSupported: 'ID may be a military ID, firearm license, or other unsupported ID type',
  ScanIdUnrecognized: 'ID is not recognized',
  ScanNotReadable: 'Image blurry, too dark, or obscured by glare',
  ScanNotUploaded: 'Scan not uploaded',
  ScanFailedOther: 'ID may be fraudulent or a generic example ID image',
  BusinessDocNotSupported: 'Business document not supported',
  BusinessNameMismatch: 'Business name on account does not match document',
  BusinessTypeMismatch: 'Business type chosen does not match document',
  ForeignPassportNotAllowed: "The passport's country of origin is not accepted",
};
// The failureReason is the first of these (documents.md).
const ORDER = [
  ...[
    'ScanNotUploaded',
    'ScanIdTypeNotSupported',
    'ScanNotReadable',
    'ScanIdUnrecognized',
    'ScanDobMismatch',
    'ScanNameMismatch',
  ],
  ...['ScanIdExpired', 'ScanFailedOther', 'BusinessDocNotSupported', 'BusinessNameMismatch', 'BusinessTypeMismatch'],
];
const decided = { status: 403, code: 'InvalidResourceState', message: 'The document has been decided already.' };
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

test('accepts every type, and every reason of a type with its description', async () => {
  const { newOwner, submitted, get, judge } = production;
  const owner = await newOwner();
  for (const type of ['passport', 'license', 'idCard', 'other']) {
    for (const [reason, description] of Object.entries(DESCRIPTIONS)) {
      const fits = reason.startsWith('Scan') || (reason.startsWith('Business') ? type === 'other' : type === 'passport');
      const document = await submitted(owner, { documentType: type });
      const answer = await judge(document, 'rejected', [reason]);
      if (!fits) {
        const path = '/reasons/0';
        assertRefused(answer, { status: 400, code: 'ValidationError', fault: 'NotAllowed', path });
        assert.equal((await judge(document, 'rejected', ['ScanFailedOther'])).status, 201);
        continue;
      }
      assert.equal(answer.status, 201, `${type} ${reason}: ${answer.text}`);
      const { failureReason, allFailureReasons, type: answered } = await get(document);
      assert.deepEqual({ answered, failureReason }, { answered: type, failureReason: reason });
      assert.deepEqual(allFailureReasons, [{ reason, description }]);
    }
  }
});

test('a foreign passport is a reason for rejection only where the operator forbids foreign passports', async () => {
  const { newOwner, submitted, judge } = sandbox;
  const document = await submitted(await newOwner());
  assertRefused(await judge(document, 'rejected', ['ForeignPassportNotAllowed']), {
    status: 400,
    code: 'ValidationError',
    fault: 'NotAllowed',
    path: '/reasons/0',
    message: 'ForeignPassportNotAllowed does not apply to documents of type passport.',
  });
});

test('the failureReason is the first in the documented order, whatever order they were named in', async () => {
  const { newOwner, submitted, get, judge } = sandbox;
  const owner = await newOwner();
  for (const named of [
    [...ORDER].reverse(),
    [...ORDER.slice(5), ...ORDER.slice(0, 5)],
    ['BusinessNameMismatch', 'ScanFailedOther'],
  ]) {
    const document = await submitted(owner, { documentType: 'other' });
    assert.equal((await judge(document, 'rejected', named)).status, 201);
    const wanted = ORDER.filter((reason) => named.includes(reason));
    const { failureReason, allFailureReasons } = await get(document);
    assert.equal(failureReason, wanted[0]);
    assert.deepEqual(
      allFailureReasons.map((one: Body) => one.reason),
      wanted,
    );
  }
});

test('after a rejection the owner can upload again; an acceptance verifies the owner and emits two events', async () => {
  const { newOwner, submitted, submit, get, judge, topics, call } = sandbox;
  const owner = await newOwner();
  assert.equal((await get(owner))._links['verify-with-document'].href, `${owner}/documents`);
  const first = await submitted(owner);
  assert.equal((await judge(first, 'rejected', ['ScanNotReadable'])).status, 201);
  assert.equal((await get(owner)).verificationStatus, 'document');
  const again = await submitted(owner);
  assert.equal((await judge(again, 'accepted')).status, 201);
  const { verificationStatus, _links } = await get(owner);
  assert.equal(verificationStatus, 'verified');
  assert.ok(!('verify-with-document' in _links));

  const of = 'customer_beneficial_owner_verification_document';
  assert.deepEqual(await topics(first), [`${of}_uploaded`, `${of}_failed`]);
  assert.deepEqual(await topics(again), [`${of}_uploaded`, `${of}_approved`]);
  assert.deepEqual((await topics(owner)).slice(-2), [`${of}_needed`, 'customer_beneficial_owner_verified']);
  const events = await call('GET', `/events?resourceId=${idOf(again)}`);
  assert.deepEqual(
    events.body._embedded.events.map((event: Body) => event._links.resource.href),
    [again, again],
  );
  assertRefused(await submit(owner), needless);
  assertRefused(await judge(again, 'rejected', ['ScanFailedOther']), decided);
});

test('an accepted document verifies the customer that needs it, and its money can move', async () => {
  const { newCustomer, submit, submitted, get, judge, topics, call } = production;
  const customer = await newCustomer();
  assert.equal((await get(customer)).status, 'document');
  const label = { body: { amount: { value: '0', currency: 'USD' } } };
  assertRefused(await call('POST', `${customer}/labels`, label), { status: 403, code: 'InvalidResourceState' });
  const document = await submitted(customer, { documentType: 'license' });
  const link = { href: document, type: HAL, 'resource-type': 'document' };
  const pending = {
    _links: {
      self: link,
      customer: { href: customer, type: HAL, 'resource-type': 'customer' },
      reviews: { href: `${document}/reviews`, type: HAL, 'resource-type': 'review' },
    },
    id: idOf(document),
    status: 'pending',
    type: 'license',
    created: (await get(document)).created,
    documentVerificationStatus: 'pending',
  };
  assert.deepEqual(await get(`${customer}/documents`), {
    _links: { self: { ...link, href: `${customer}/documents` } },
    _embedded: { documents: [pending] },
    total: 1,
  });
  assert.equal((await judge(document, 'accepted')).status, 201);
  assert.equal((await get(customer)).status, 'verified');
  const of = 'customer_verification_document';
  assert.deepEqual(await topics(document), [`${of}_uploaded`, `${of}_approved`]);
  assert.deepEqual(await topics(customer), ['customer_created', `${of}_needed`, 'customer_verified']);
  const made = await call('POST', `${customer}/deposits`, { body: { amount: { value: '5.00', currency: 'USD' } } });
  assert.equal(made.status, 201);
  assert.equal((await call('POST', `${customer}/labels`, { body: { amount: { value: '5.00', currency: 'USD' } } })).status, 201);
  assertRefused(await submit(customer), needless);
});

test('a document of an owner does not verify the customer, nor the reverse', async () => {
  const { newCustomer, newOwner, submitted, get, judge } = production;
  const customer = await newCustomer();
  const owner = await newOwner({}, { customer });
  const [ofCustomer, ofOwner] = [await submitted(customer), await submitted(owner)];
  const ids = async (whose: string) => (await get(`${whose}/documents`))._embedded.documents.map((one: Body) => one.id);
  assert.deepEqual([await ids(customer), await ids(owner)], [[idOf(ofCustomer)], [idOf(ofOwner)]]);
  await judge(ofOwner, 'accepted');
  assert.deepEqual([(await get(owner)).verificationStatus, (await get(customer)).status], ['verified', 'document']);
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

test('the document of a removed owner can still be decided, without other effects', async () => {
  const { newOwner, submitted, judge, call, topics, get } = sandbox;
  const owner = await newOwner();
  const document = await submitted(owner);
  assert.equal((await call('DELETE', owner)).status, 200);
  assertRefused(await call('GET', `${owner}/documents`), { status: 404, code: 'NotFound' });
  assert.equal((await judge(document, 'accepted')).status, 201);
  assert.equal((await get(document)).documentVerificationStatus, 'accepted');
  assert.ok(!(await topics(owner)).includes('customer_beneficial_owner_verified'));
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

test('lists reviews with their reviewer and reasons, and refuses each invalid request', async () => {
  const { newOwner, submitted, get, judge, call, client, url, rowCounts } = sandbox;
  const document = await submitted(await newOwner());
  const before = await rowCounts();
  const faults: [body: unknown, fault: string, path: string, message: string][] = [
    [{ decision: 'rejected' }, 'Required', '/reasons', 'A rejected document needs a reason.'],
    [{ decision: 'rejected', reasons: [] }, 'Required', '/reasons', 'A rejected document needs a reason.'],
    [{ decision: 'accepted', reasons: ['ScanFailedOther'] }, 'NotAllowed', '/reasons', 'An accepted document has no reasons.'],
    [
      { decision: 'rejected', reasons: ['ScanFailedOther', 'ScanIdExpired', 'ScanFailedOther'] },
      'Duplicate',
      '/reasons/2',
      'ScanFailedOther is listed twice.',
    ],
    [
      { decision: 'rejected', reasons: ['BusinessNameMismatch'] },
      'NotAllowed',
      '/reasons/0',
      'BusinessNameMismatch does not apply to documents of type passport.',
    ],
    [{}, 'Required', '/decision', 'Decision is required.'],
    [{ decision: 'undecided' }, 'Invalid', '/decision', 'Decision must be one of accepted, rejected.'],
    [{ decision: 'accepted', note: 'x'.repeat(1001) }, 'Invalid', '/note', 'Note must have at most 1000 characters.'],
    [{ decision: 'rejected', reasons: 'ScanFailedOther' }, 'Invalid', '/reasons', 'Reasons must be a array.'],
  ];
  for (const [body, fault, path, message] of faults) {
    const answer = await call('POST', `${document}/reviews`, { body });
    const wanted = {
      status: 400,
      code: 'ValidationError',
      fault,
      path,
      ...(path !== '/reasons' || fault !== 'Invalid' ? { message } : {}),
    };
    assertRefused(answer, wanted);
  }
  assertRefused(await call('POST', `${document}/reviews`, { body: { decision: 'rejected', reasons: ['ScanBad'] } }), {
    status: 400,
    code: 'ValidationError',
    fault: 'Invalid',
    path: '/reasons/0',
  });
  assertRefused(await call('POST', `${document}/reviews`, { raw: '{' }), { status: 400, code: 'BadRequest' });
  assert.deepEqual(await rowCounts(), before);

  const answer = await judge(document, 'rejected', ['ScanIdExpired', 'ScanNameMismatch'], { note: 'Expired in March.' });
  assert.equal(answer.status, 201);
  assert.equal(answer.text, '');
  const review = await get(answer.headers.location!);
  assert.deepEqual(review, {
    _links: {
      self: { href: `${url}/reviews/${review.id}`, type: HAL, 'resource-type': 'review' },
      document: { href: document, type: HAL, 'resource-type': 'document' },
    },
    id: review.id,
    created: review.created,
    reviewer: { kind: 'application', id: client.client_id },
    decision: 'rejected',
    reasons: ['ScanNameMismatch', 'ScanIdExpired'],
    note: 'Expired in March.',
  });
  const history = await get(`${document}/reviews`);
  assert.equal(history.total, history._embedded.reviews.length);
  assert.deepEqual(history._embedded.reviews[0], review);
  assert.equal(history._links.self.href, `${document}/reviews`);
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'])
    assert.ok([404, 405].includes((await call(method, answer.headers.location!)).status));
});

test('one of several concurrent reviews succeeds', async () => {
  const { newOwner, submitted, judge, get, topics, call } = sandbox;
  const owner = await newOwner();
  const document = await submitted(owner);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, place) =>
      place % 2 ? judge(document, 'accepted') : judge(document, 'rejected', ['ScanIdExpired']),
    ),
  );
  const [won, ...others] = answers.filter(({ status }) => status === 201);
  assert.ok(won && others.length === 0, JSON.stringify(answers.map(({ status }) => status)));
  for (const answer of answers.filter((answer) => answer !== won)) assertRefused(answer, decided);
  const { decision } = await get(won.headers.location!);
  assert.equal((await get(document)).documentVerificationStatus, decision);
  assert.equal((await get(owner)).verificationStatus, decision === 'accepted' ? 'verified' : 'document');
  const reviews = (await call('GET', `${document}/reviews`)).body._embedded.reviews;
  assert.equal(reviews.filter((review: Body) => review.decision !== 'undecided').length, 1);
  assert.equal((await topics(document)).length, 2);
});

test('concurrent acceptances of two documents verify their owner once', async () => {
  const { newOwner, submitted, judge, topics } = sandbox;
  const owner = await newOwner();
  const documents = [await submitted(owner), await submitted(owner), await submitted(owner)];
  const answers = await Promise.all(documents.map((document) => judge(document, 'accepted')));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal((await topics(owner)).filter((topic) => topic === 'customer_beneficial_owner_verified').length, 1);
});

test('a decision, its state changes and its events are one transaction', async (t) => {
  const { newOwner, submitted, judge, get, rowCounts, sql } = sandbox;
  const owner = await newOwner();
  const document = await submitted(owner);
  const before = await rowCounts();
  t.after(() => sql`alter table event drop constraint never`);
  await sql`alter table event add constraint never check (topic <> 'customer_beneficial_owner_verified') not valid`;
  assertRefused(await judge(document, 'accepted'), { status: 500, code: 'ServerError' });
  assert.deepEqual(await rowCounts(), before);
  assert.deepEqual([(await get(document)).status, (await get(owner)).verificationStatus], ['pending', 'document']);
});

test('an Idempotency-Key gives an upload and a decision one effect and replays the first answer', async () => {
  const { newOwner, submit, judge, get, rowCounts } = sandbox;
  const [owner, other] = [await newOwner(), await newOwner()];
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
  assertRefused(await submit(other, { file, key: 'upload-1' }), { status: 409, code: 'Conflict' });
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
