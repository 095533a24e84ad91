// A decision in the console can be taken back for some seconds: nothing is sent before, and it is applied afterwards by any process.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const SECONDS = '2';
const MODE = { MODE: 'production' };
const shared = await openUploads({ after }, { env: { ...MODE, REVIEW_UNDO_SECONDS: SECONDS } });
/** Long enough that no test sees the end. */
const slow = await openUploads({ after }, { env: { ...MODE, REVIEW_UNDO_SECONDS: '60' } });

const pageOf = (document: string) => `/console/review/${idOf(document)}`;
const accept = { decision: 'accepted', seen: 'pending' };
const reject = { decision: 'rejected', seen: 'pending', reason: 'ScanNotReadable', note: 'Dark.' };
const newDocument = async (service = shared) => service.submitted(await service.newOwner());
const statusOf = async (document: string, service = shared) => (await service.get(document)).documentVerificationStatus;
const DECIDED = [
  'customer_beneficial_owner_verification_document_approved',
  'customer_beneficial_owner_verification_document_failed',
];
const decidedTopics = async (document: string, service = shared) =>
  (await service.topics(document)).filter((topic) => DECIDED.includes(topic));

test('a decision has no effect and no event until its time is over, and then both, with an entry of the audit log', async () => {
  const { load, submit, operator } = await openSession(shared, 'reviewer');
  const document = await newDocument();
  await load(pageOf(document));
  const decided = await submit(`${pageOf(document)}/decide`, reject);
  assert.equal(decided.status, 303, decided.text);
  const { text } = await load(decided.headers.location!);
  assert.match(text, /<b>Rejected:<\/b> Passport of document Example\..*data-countdown="[12]"/s);
  assert.ok(!text.includes(`href="${pageOf(document)}"`), 'it is not in the queue');
  assert.deepEqual([await statusOf(document), await decidedTopics(document)], ['pending', []]);
  await waitUntil('the decision is applied', async () => (await statusOf(document)) === 'rejected');
  assert.deepEqual(await decidedTopics(document), [DECIDED[1]]);
  const { _embedded } = await shared.get(`${document}/reviews`);
  const [{ reviewer, reasons, note, effective }] = _embedded.reviews;
  assert.deepEqual([reviewer.id, reasons, note, effective], [operator.id, ['ScanNotReadable'], 'Dark.', true]);
  const [entry] = await listAudit(shared.sql, { resourceId: idOf(document), action: 'review_document' }, 1);
  assert.deepEqual([entry!.operatorId, entry!.detail.decision], [operator.id, 'rejected']);
  const late = await submit(`${pageOf(document)}/take-back`);
  assert.equal(late.status, 403);
  assert.match(late.text, /It is too late/);
});

test('a decision is taken back by the person who made it, and by nobody else', async () => {
  const [one, other] = [await openSession(slow, 'reviewer'), await openSession(slow, 'reviewer')];
  const document = await newDocument(slow);
  await one.load(pageOf(document));
  await one.submit(`${pageOf(document)}/decide`, reject);
  assert.equal((await other.submit(`${pageOf(document)}/take-back`)).status, 403);
  assert.match((await one.load(pageOf(document))).text, /class="[^"]* take-back".*data-key="u"/s, 'on its own page too');
  const back = await one.submit(`${pageOf(document)}/take-back`);
  assert.equal(back.status, 303);
  assert.ok(back.headers.location!.startsWith(`${pageOf(document)}?taken=back&kept=`));
  const { text } = await one.load(back.headers.location!);
  assert.match(text, /You have taken the decision back.*data-decision/s);
  const ticked = [...text.matchAll(/name="reason" value="(\w+)" checked/g)].map(([, reason]) => reason);
  assert.deepEqual([ticked, />Dark\.<\/textarea>/.test(text)], [['ScanNotReadable'], true], 'with what was chosen');
  assert.equal((await one.submit(`${pageOf(document)}/take-back`)).status, 403, 'once');
  const [entry] = await listAudit(slow.sql, { resourceId: idOf(document), action: 'take_back_review' }, 1);
  assert.deepEqual([entry!.operatorId, entry!.detail.reasons], [one.operator.id, ['ScanNotReadable']]);
  assert.equal((await slow.get(`${document}/reviews`)).total, 0);
  assert.equal((await one.submit(`${pageOf(document)}/decide`, accept)).status, 303);
});

test('meanwhile nobody else decides on the document, takes it, or sees it in the queue', async () => {
  const [one, other] = [await openSession(slow, 'reviewer'), await openSession(slow, 'reviewer')];
  const document = await newDocument(slow);
  const before = (await slow.get('/documents?status=pending&limit=100')).total;
  await one.load(pageOf(document));
  await one.submit(`${pageOf(document)}/decide`, accept);
  const { text } = await other.load(pageOf(document));
  assert.ok(text.includes(`${one.operator.name} has decided on this document a moment ago`) && !text.includes('data-decision'));
  assert.ok(!text.includes('data-key="u"'));
  assert.ok(!(await other.load('/console/review')).text.includes(`href="${pageOf(document)}"`));
  assert.equal((await other.submit(`${pageOf(document)}/decide`, reject)).status, 403);
  assert.equal((await slow.judge(document, 'rejected', ['ScanNotReadable'])).status, 403, 'nor does an application');
  assert.equal((await slow.get('/documents?status=pending&limit=100')).total, before - 1);
  assert.equal(await statusOf(document, slow), 'pending');
});

test('with four eyes only the first of two decisions is said to need a second reviewer', async (t) => {
  const double = await openUploads(t, { env: { ...MODE, REVIEW_UNDO_SECONDS: '60', REVIEW_FOUR_EYES: 'true' } });
  const document = await newDocument(double);
  for (const isFirst of [true, false]) {
    const { load, submit } = await openSession(double, 'reviewer');
    const { text } = await load((await submit(`${pageOf(document)}/decide`, accept)).headers.location!);
    assert.match(text, /It can be taken back for \d+ seconds/);
    assert.equal(text.includes('A second reviewer has to agree'), isFirst);
    await double.sql`update document set pending_until = now() where id = ${idOf(document)}`;
    await waitUntil('the decision is applied', async () => (await double.get(`${document}/reviews`)).total === (isFirst ? 1 : 2));
  }
});

test('a decision is applied by another process when the one that took it ends', async (t) => {
  const first = await openUploads(t, { env: { ...MODE, REVIEW_UNDO_SECONDS: SECONDS }, processes: 1 });
  const { load, submit } = await openSession(first, 'reviewer');
  const document = await newDocument(first);
  await load(pageOf(document));
  await submit(`${pageOf(document)}/decide`, accept);
  await first.stop();
  const second = await startService(t, { env: MODE, processes: 1, beside: first });
  await waitUntil('the other process applies it', async () => {
    const [row] = await second.sql<{ status: string }>`select status from document where id = ${idOf(document)}`;
    return row?.status === 'accepted';
  });
});
