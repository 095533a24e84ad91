// Tests of claims by applications: one reviewer at a time, people and applications alike, and the queue of an account.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type Body, idOf, link } from '../../../test/support/http.ts';
import { openSession } from '../../../test/support/operators.ts';
import { openUploads } from '../../../test/support/uploads.ts';

const MINUTE_SECONDS = 60;
const shared = await openUploads({ after });
const double = await openUploads({ after }, { env: { REVIEW_FOUR_EYES: 'true' } });
const { client } = shared;

const taken = (until: string) => ({
  status: 409,
  code: 'Conflict',
  message: `Another reviewer has taken the document until ${until}.`,
});
const notWaiting = { status: 409, code: 'Conflict', message: 'The document does not wait for a reviewer.' };
const notFound = { status: 404, code: 'NotFound' };

const newDocument = async (service = shared) => service.submitted(await service.newOwner());
const newColleague = async (scopes?: Parameters<typeof shared.newClient>[0]) =>
  (await shared.newClient(scopes, client.account_id)).token;
const claim = (document: string, options: { token?: string; key?: string } = {}) =>
  shared.call('POST', `${document}/claim`, options);
const release = (document: string, options: { token?: string } = {}) => shared.call('DELETE', `${document}/claim`, options);
const advance = async (minutes: number) => {
  const answer = await shared.call('POST', '/sandbox/clock', { body: { advanceSeconds: minutes * MINUTE_SECONDS } });
  assert.equal(answer.status, 200);
};

test('an application claims documents, renews, reads and releases a claim', async () => {
  const documents = [await newDocument(), await newDocument()] as const;
  assertRefused(await shared.call('GET', `${documents[0]}/claim`), notFound);
  const first = await claim(documents[0]);
  assert.equal(first.status, 200, first.text);
  const { until } = first.body;
  assert.deepEqual(first.body, {
    _links: { self: link(`${documents[0]}/claim`, 'document-claim'), document: link(documents[0], 'document') },
    claimedBy: { kind: 'application', id: client.client_id },
    until,
  });
  assert.deepEqual(await shared.get(`${documents[0]}/claim`), first.body);
  await advance(4);
  const renewed = await claim(documents[0]);
  assert.ok(Date.parse(renewed.body.until) >= Date.parse(until) + 4 * MINUTE_SECONDS * 1000);
  assert.equal((await claim(documents[1])).status, 200);
  assert.equal((await shared.call('GET', `${documents[0]}/claim`)).status, 200, 'an application holds several');
  const released = await release(documents[0]);
  assert.deepEqual([released.status, released.text], [204, '']);
  assert.equal((await release(documents[0])).status, 204, 'again');
  assertRefused(await shared.call('GET', `${documents[0]}/claim`), notFound);
});

test('one of two applications that claim at once holds the document, and the other can neither release nor decide', async () => {
  const document = await newDocument();
  const tokens = [shared.token, await newColleague()];
  const answers = await Promise.all(tokens.map((token) => claim(document, { token })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const holder = answers[0]!.status === 200 ? 0 : 1;
  const [own, token] = [tokens[holder]!, tokens[1 - holder]!];
  const refusal = taken(answers[holder]!.body.until);
  assertRefused(answers[1 - holder]!, refusal);
  assertRefused(await release(document, { token }), refusal);
  assertRefused(await shared.judge(document, 'accepted', [], { token }), refusal);
  assert.equal((await shared.get(`${document}/claim`)).until, answers[holder]!.body.until);
  assert.equal((await shared.judge(document, 'accepted', [], { token: own })).status, 201);
  assertRefused(await shared.call('GET', `${document}/claim`), notFound);
  assertRefused(await claim(document), notWaiting);
});

test('a claim lapses after ten minutes by the clock of the account', async () => {
  const document = await newDocument();
  const token = await newColleague();
  const { until } = (await claim(document)).body;
  await advance(9);
  assertRefused(await claim(document, { token }), taken(until));
  await advance(1);
  assertRefused(await shared.call('GET', `${document}/claim`), notFound);
  const reviewer = await openSession(shared, 'reviewer');
  assert.match((await reviewer.load('/console/review')).text, new RegExp(`${idOf(document)}">[\\s\\S]*?<span[^>]*>waits<`));
  assert.equal((await claim(document, { token })).status, 200);
});

test('a claim means the same for people and applications', async () => {
  const reviewer = await openSession(shared, 'reviewer');
  const [ofPerson, ofApplication] = [await newDocument(), await newDocument()];
  const path = (document: string) => `/console/review/${idOf(document)}`;
  await claim(ofApplication);
  assert.match((await reviewer.load(path(ofApplication))).text, /An application is reviewing this document/);
  const form = { decision: 'accepted', seen: 'pending' };
  assert.equal((await reviewer.submit(`${path(ofApplication)}/decide`, form)).status, 409);
  await reviewer.load(path(ofPerson));
  const { claimedBy, until } = await shared.get(`${ofPerson}/claim`);
  assert.deepEqual(claimedBy, { kind: 'person', id: reviewer.operator.id });
  assertRefused(await claim(ofPerson), taken(until));
  assertRefused(await shared.judge(ofPerson, 'accepted'), taken(until));
  await reviewer.submit(`${path(ofPerson)}/release`);
  assert.equal((await claim(ofPerson)).status, 200);
  assert.equal((await claim(ofApplication)).status, 200);
});

test('a repeated request with its key gets the first answer', async () => {
  const document = await newDocument();
  const first = await claim(document, { key: 'claim-1' });
  await advance(1);
  const again = await claim(document, { key: 'claim-1' });
  assert.deepEqual([again.headers['idempotent-replayed'], again.body], ['true', first.body]);
});

test('scopes and accounts', async () => {
  const document = await newDocument();
  const forbidden = { status: 403, code: 'Forbidden' };
  const [reader, stranger] = [await newColleague(['read', 'write', 'funds']), (await shared.newClient()).token];
  for (const token of [reader, stranger]) {
    assertRefused(await claim(document, { token }), forbidden);
    assertRefused(await release(document, { token }), forbidden);
  }
  assertRefused(await shared.call('GET', `${document}/claim`, { token: stranger }), forbidden);
  assertRefused(await shared.call('GET', '/documents?status=pending', { token: reader }), forbidden);
  for (const method of ['GET', 'POST', 'DELETE'])
    assertRefused(await shared.call(method, `${shared.nowhere('document')}/claim`), notFound);
  assert.equal((await shared.call('GET', `${document}/claim`, { token: reader })).status, 404, 'nobody holds it');
});

test('with four eyes an application does not claim the document that it has reviewed', async () => {
  const document = await newDocument(double);
  assert.equal((await double.judge(document, 'accepted')).status, 201);
  const refused = await double.call('POST', `${document}/claim`);
  assertRefused(refused, {
    status: 403,
    code: 'InvalidResourceState',
    message: 'Another reviewer has to agree with your review.',
  });
  const waiting = await double.get('/documents?status=pending');
  assert.deepEqual(
    waiting._embedded.documents.map(({ id }: Body) => id),
    [idOf(document)],
  );
});

test('the documents of an account that wait, oldest first, by cursor', async () => {
  const client = await shared.newClient();
  const { token } = client;
  const customer = await shared.newCustomer({}, token);
  const documents: string[] = [];
  for (const firstName of ['document', 'document', 'document']) {
    const owner = await shared.newOwner({ firstName }, { customer, token });
    documents.push(await shared.submitted(owner, { token }));
  }
  const ids = documents.map((document) => idOf(document));
  const list = async (query: string) => (await shared.call('GET', `/documents?status=pending${query}`, { token })).body;
  const pageIds = (page: Body) => page._embedded.documents.map(({ id }: Body) => id);
  const first = await list('&limit=2');
  assert.deepEqual([pageIds(first), first.total], [ids.slice(0, 2), 3]);
  assert.equal(new URL(first._links.next.href).search, `?status=pending&limit=2&after=${ids[1]}`);
  // The cursor stays valid when its document leaves the queue.
  assert.equal((await shared.judge(documents[1]!, 'rejected', ['ScanNotReadable'], { token })).status, 201);
  const { body: second } = await shared.call('GET', first._links.next.href, { token });
  assert.deepEqual([pageIds(second), second.total, second._links.next], [[ids[2]], 2, undefined]);
  assert.deepEqual(pageIds(await list('&offset=1')), [ids[2]]);
  assert.deepEqual(pageIds((await shared.call('GET', '/documents', { token })).body), [ids[0], ids[2]]);
  assertRefused(await shared.call('GET', '/documents?status=reviewed', { token }), {
    status: 400,
    code: 'ValidationError',
    path: '/query/status',
  });
});
