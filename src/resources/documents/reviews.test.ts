// Tests of reviews: types and reasons, and the effects of decisions on owners, customers and money.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type Body, HAL, idOf } from '../../../test/support/http.ts';
import { openUploads } from '../../../test/support/uploads.ts';

// Shared by all tests of the file; each creates its own customers and owners.
const sandbox = await openUploads({ after });
const production = await openUploads({ after }, { env: { MODE: 'production', FOREIGN_PASSPORTS: 'forbidden' } });

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
const needless = { status: 403, code: 'InvalidResourceState', message: 'No document is needed now.' };
const decided = { status: 403, code: 'InvalidResourceState', message: 'The document has been decided already.' };

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

test('refuses each invalid review', async () => {
  const { newOwner, submitted, call, rowCounts } = sandbox;
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
});

test('lists reviews with their reviewer and reasons', async () => {
  const { newOwner, submitted, get, judge, call, client, url } = sandbox;
  const document = await submitted(await newOwner());
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
    effective: true,
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
  t.after(() => sql`alter table event_outbox drop constraint never`);
  await sql`alter table event_outbox add constraint never check (topic <> 'customer_beneficial_owner_verified') not valid`;
  assertRefused(await judge(document, 'accepted'), { status: 500, code: 'ServerError' });
  assert.deepEqual(await rowCounts(), before);
  assert.deepEqual([(await get(document)).status, (await get(owner)).verificationStatus], ['pending', 'document']);
});
