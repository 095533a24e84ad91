// Tests of reviews after the first: a review that changes a decision, and decisions that need a second reviewer.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type Body, idOf } from '../../../test/support/http.ts';
import { type Browser, enterBy, openSession } from '../../../test/support/operators.ts';
import { openUploads } from '../../../test/support/uploads.ts';

const single = await openUploads({ after }, { env: { MODE: 'production' } });
const double = await openUploads({ after }, { env: { MODE: 'production', REVIEW_FOUR_EYES: 'true', FOUR_EYES: 'false' } });
const { token } = await newColleague();

const OWNER = 'customer_beneficial_owner_verification_document';
const decided = { status: 403, code: 'InvalidResourceState', message: 'The document has been decided already.' };
const note = 'Seen again';

/** Another application of the account of `double`. */
async function newColleague() {
  const [account] = await double.sql<{ accountId: string }>`select account_id from customer where id = ${idOf(double.business)}`;
  return double.newClient(undefined, account!.accountId);
}

async function reviewsOf({ get }: Pick<typeof single, 'get'>, document: string): Promise<Body[]> {
  return (await get(`${document}/reviews`))._embedded.reviews;
}

test('a review with a note takes an acceptance back: the owner needs a document again, and history keeps both', async () => {
  const { newOwner, submitted, judge, get, topics } = single;
  const owner = await newOwner();
  const document = await submitted(owner);
  assert.equal((await judge(document, 'accepted')).status, 201);
  assertRefused(await judge(document, 'rejected', ['ScanIdExpired']), decided);
  assertRefused(await judge(document, 'accepted', [], { note }), decided);
  assert.equal((await judge(document, 'rejected', ['ScanIdExpired'], { note })).status, 201);
  const { documentVerificationStatus, failureReason } = await get(document);
  assert.deepEqual([documentVerificationStatus, failureReason], ['rejected', 'ScanIdExpired']);
  assert.equal((await get(owner)).verificationStatus, 'document');
  assert.deepEqual(await topics(document), [`${OWNER}_uploaded`, `${OWNER}_approved`, `${OWNER}_failed`]);
  assert.deepEqual((await topics(owner)).slice(-2), ['customer_beneficial_owner_verified', `${OWNER}_needed`]);
  assert.equal((await judge(document, 'accepted', [], { note })).status, 201);
  const { verificationStatus } = await get(owner);
  assert.equal(verificationStatus, 'verified');
  const reviews = await reviewsOf(single, document);
  assert.deepEqual(
    reviews.map((review) => [review.decision, review.note, review.effective]),
    [
      ['accepted', note, true],
      ['rejected', note, true],
      ['accepted', undefined, true],
    ],
  );
});

test('an owner with another accepted document stays verified', async () => {
  const { newOwner, submitted, judge, get } = single;
  const owner = await newOwner();
  const [one, other] = [await submitted(owner), await submitted(owner)];
  assert.equal((await judge(one, 'accepted')).status, 201);
  assert.equal((await judge(other, 'accepted')).status, 201);
  assert.equal((await judge(one, 'rejected', ['ScanFailedOther'], { note })).status, 201);
  assert.equal((await get(owner)).verificationStatus, 'verified');
});

test('a customer whose document is rejected later is no longer verified, its money is frozen, and so after a suspension', async () => {
  const { newCustomer, submitted, judge, get, call, topics, sql } = single;
  const customer = await newCustomer();
  const document = await submitted(customer);
  const isFrozen = async () =>
    (await sql`select 1 from ledger_account where customer_id = ${idOf(customer)} and frozen`).length > 0;
  await judge(document, 'accepted');
  await call('POST', `${customer}/labels`, { body: { name: 'Tax', amount: { value: '0.00', currency: 'USD' } } });
  assert.deepEqual([(await get(customer)).status, await isFrozen()], ['verified', false]);
  await judge(document, 'rejected', ['ScanFailedOther'], { note });
  assert.deepEqual([(await get(customer)).status, await isFrozen()], ['document', true]);
  assert.equal((await topics(customer)).at(-1), 'customer_verification_document_needed');
  await judge(document, 'accepted', [], { note });
  assert.deepEqual([(await get(customer)).status, await isFrozen()], ['verified', false]);
  assert.equal((await call('POST', customer, { body: { status: 'suspended' } })).status, 200);
  await judge(document, 'rejected', ['ScanFailedOther'], { note });
  assert.equal((await get(customer)).status, 'suspended');
  assert.equal((await call('POST', customer, { body: { status: 'reactivated' } })).status, 200);
  assert.deepEqual([(await get(customer)).status, await isFrozen()], ['document', true]);
});

test('a decision on an erased document stays', async () => {
  const { newOwner, submitted, judge, sql } = single;
  const document = await submitted(await newOwner());
  await judge(document, 'rejected', ['ScanNotReadable']);
  await sql`update document set original_key = null, copy_key = null, content_mac = null, erased = now() where id = ${idOf(document)}`;
  const answer = await judge(document, 'accepted', [], { note });
  assertRefused(answer, { ...decided, message: 'The content of the document has been erased.' });
});

test('with four eyes a decision applies when a second application agrees, with the reasons of both', async () => {
  const { newOwner, submitted, judge, get, topics } = double;
  const document = await submitted(await newOwner());
  const first = await judge(document, 'rejected', ['ScanIdExpired']);
  assert.equal(first.status, 201);
  assert.equal((await get(first.headers.location!)).effective, false);
  assert.equal((await get(document)).documentVerificationStatus, 'pending');
  const again = await judge(document, 'rejected', ['ScanIdExpired']);
  assertRefused(again, { ...decided, message: 'Another reviewer has to agree with your review.' });
  assert.equal((await judge(document, 'rejected', ['ScanNotReadable'], { token })).status, 201);
  assert.equal((await get(first.headers.location!)).effective, true);
  const { allFailureReasons } = await get(document);
  assert.deepEqual(
    allFailureReasons.map(({ reason }: Body) => reason),
    ['ScanNotReadable', 'ScanIdExpired'],
  );
  assert.deepEqual(await topics(document), [`${OWNER}_uploaded`, `${OWNER}_failed`]);
});

test('with four eyes a disagreement decides nothing, and two reviewers start again', async () => {
  const { newOwner, submitted, judge, get } = double;
  const owner = await newOwner();
  const document = await submitted(owner);
  const [one, other] = [await judge(document, 'rejected', ['ScanIdExpired']), await judge(document, 'accepted', [], { token })];
  assert.equal((await get(document)).documentVerificationStatus, 'pending');
  await judge(document, 'accepted');
  assert.equal((await get(owner)).verificationStatus, 'document');
  await judge(document, 'accepted', [], { token });
  assert.equal((await get(owner)).verificationStatus, 'verified');
  for (const review of [one, other]) assert.equal((await get(review.headers.location!)).effective, false);
  await judge(document, 'rejected', ['ScanFailedOther'], { note });
  assert.equal((await get(owner)).verificationStatus, 'verified', 'a change needs two as well');
  await judge(document, 'rejected', ['ScanFailedOther'], { note, token });
  assert.equal((await get(owner)).verificationStatus, 'document');
});

/** An application of the account of `double` that a person of the console makes, with the secret that they get. */
async function makeApplication({ submit, load }: Pick<Browser, 'submit' | 'load'>, account: string): Promise<string> {
  const form: [string, string][] = [
    ['name', 'Reviews'],
    ['account', account],
    ['scope', 'review'],
  ];
  const made = await submit('/console/applications/new', form);
  const codes = [...(await load(made.headers.location!)).text.matchAll(/<code>([^<]+)<\/code>/g)].map(([, code]) => code!);
  return double.tokenOf({ client_id: codes[0]!, client_secret: codes[1]! });
}

test('with four eyes applications count as the person who made them, and as that person in the console', async () => {
  const { newOwner, submitted, judge, get } = double;
  const account = (await newColleague()).account_id;
  const [maker, other] = [await openSession(double, 'operator', 'reviewer'), await openSession(double, 'operator', 'reviewer')];
  const [one, two] = [await makeApplication(maker, account), await makeApplication(maker, account)];
  const document = await submitted(await newOwner());
  assert.equal((await judge(document, 'accepted', [], { token: one })).status, 201);
  const second = { ...decided, message: 'Another reviewer has to agree with your review.' };
  assertRefused(await judge(document, 'accepted', [], { token: two }), second);
  assertRefused(await double.call('POST', `${document}/claim`, { token: two }), second);
  const page = `/console/review/${idOf(document)}`;
  assert.match((await maker.load(page)).text, /count as the same person as the first reviewer/);
  const form = { decision: 'accepted', seen: 'pending' };
  assert.equal((await maker.submit(`${page}/decide`, form)).status, 403);
  assert.equal((await get(document)).documentVerificationStatus, 'pending');
  assert.equal((await judge(document, 'accepted', [], { token: await makeApplication(other, account) })).status, 201);
  assert.equal((await get(document)).documentVerificationStatus, 'accepted');
});

test('with four eyes an application counts also as the person who made a new secret of it', async () => {
  const { newOwner, submitted, judge } = double;
  const colleague = await newColleague();
  const maker = await openSession(double, 'admin');
  const document = await submitted(await newOwner());
  assert.equal((await judge(document, 'accepted', [], { token: colleague.token })).status, 201);
  const path = `/console/applications/${colleague.client_id}/secret`;
  assert.equal((await maker.submit(path, { overlap: '24' })).status, 303);
  const answer = await maker.submit(`/console/review/${idOf(document)}/decide`, { decision: 'accepted', seen: 'pending' });
  assert.equal(answer.status, 403);
});

test('with four eyes a reviewer does not count whom the other one added or linked within thirty days', async () => {
  const { newOwner, submitted, judge, get, sql } = double;
  const admin = await openSession(double, 'admin');
  const added = await admin.submit('/console/people', { name: `Added ${crypto.randomUUID()}`, role: 'reviewer' });
  const link = await admin.submit(`${added.headers.location}/link`);
  const url = /http:[^<\s]+\/console\/link\/[\w-]+/.exec((await admin.load(link.headers.location!)).text)![0];
  const puppet = await enterBy(double, new URL(url).pathname);
  const document = await submitted(await newOwner());
  const decide = (who: Pick<Browser, 'submit'>) =>
    who.submit(`/console/review/${idOf(document)}/decide`, { decision: 'accepted', seen: 'pending' });
  assert.equal((await decide(admin)).status, 303);
  assert.equal((await decide(puppet)).status, 403);
  const start = /button-primary" href="([^"]+)"/.exec((await puppet.load('/console/review')).text)?.[1];
  assert.notEqual(start, `/console/review/${idOf(document)}`, 'the queue does not offer it');
  assert.equal((await get(document)).documentVerificationStatus, 'pending');
  await sql`update operator_sponsor set since = since - interval '31 days'`;
  assert.equal((await decide(puppet)).status, 303);
  assert.equal((await get(document)).documentVerificationStatus, 'accepted');
  const next = await submitted(await newOwner());
  assert.equal((await judge(next, 'accepted')).status, 201, 'others are not affected');
});
