// Tests of the review screen over HTTP: queue and claims, decisions, pictures and hidden values with their audit, and roles.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { type Browser, openSession } from '../../../../test/support/operators.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';
import { type CheckResult, writeResult } from '../../../resources/documents/checking/result.ts';
import { findDocument } from '../../../resources/documents/document.ts';

const shared = await openUploads({ after }, { env: { MODE: 'production' } });
const double = await openUploads({ after }, { env: { MODE: 'production', REVIEW_FOUR_EYES: 'true' } });

const REVIEW = '/console/review';
const accept = { decision: 'accepted', seen: 'pending' };
const reject = { decision: 'rejected', seen: 'pending', reason: 'ScanNotReadable' };

const pageOf = (document: string) => `${REVIEW}/${idOf(document)}`;
const decideOn = ({ submit }: Browser, document: string, form: Record<string, string>) =>
  submit(`${pageOf(document)}/decide`, form);
const newDocument = async (service = shared) => service.submitted(await service.newOwner());

beforeEach(async () => {
  for (const { sql } of [shared, double]) {
    await sql`update document set status = 'rejected', reasons = '{ScanFailedOther}', decided = now(), opinion_id = null
      where status = 'pending' or opinion_id is not null`;
  }
});

test('the queue is decided oldest first, each decision leads to the next document, and the last one to the empty queue', async () => {
  const reviewer = await openSession(shared, 'reviewer');
  const documents = [await newDocument(), await newDocument()];
  const queue = await reviewer.load(REVIEW);
  assert.ok(queue.text.includes('2 in the queue') && queue.text.includes(`href="${pageOf(documents[0]!)}"`));
  const shown = await reviewer.load(pageOf(documents[0]!));
  assert.match(shown.text, new RegExp(`href="${pageOf(documents[1]!)}" data-key="j"`));
  const first = await decideOn(reviewer, documents[0]!, accept);
  assert.deepEqual([first.status, first.headers.location], [303, `${pageOf(documents[1]!)}?last=${idOf(documents[0]!)}`]);
  const second = await decideOn(reviewer, documents[1]!, reject);
  assert.equal(second.headers.location, `${REVIEW}?last=${idOf(documents[1]!)}`);
  const done = await reviewer.load(second.headers.location!);
  assert.match(done.text, /Passport of document Example is rejected[\s\S]*Nothing waits for a decision/);
  const { documentVerificationStatus, failureReason } = await shared.get(documents[1]!);
  assert.deepEqual([documentVerificationStatus, failureReason], ['rejected', 'ScanNotReadable']);
  const [review] = (await shared.get(`${documents[0]!}/reviews`))._embedded.reviews;
  const { id, name } = reviewer.operator;
  assert.deepEqual([review.reviewer.kind, review.reviewer.id, review.reviewer.name], ['person', id, name]);
  const [entry] = await listAudit(shared.sql, { resourceId: idOf(documents[1]!), action: 'review_document' }, 1);
  assert.deepEqual([entry!.operatorId, entry!.detail.decision, entry!.detail.reasons], [id, 'rejected', ['ScanNotReadable']]);
});

test('a document is reviewed by one person at a time, until they decide, leave it, or the claim lapses', async () => {
  const [one, other] = [await openSession(shared, 'reviewer'), await openSession(shared, 'reviewer')];
  const document = await newDocument();
  const later = await newDocument();
  await one.load(pageOf(document));
  const start = await other.load(REVIEW);
  assert.match(start.text, new RegExp(`button-primary" href="${pageOf(later)}"`), 'the other one starts with the next');
  assert.ok(start.text.includes(`taken by ${one.operator.name}`));
  const blocked = await other.load(pageOf(document));
  assert.ok(blocked.text.includes(`${one.operator.name} is reviewing this document`) && !blocked.text.includes('data-decision'));
  const refused = await decideOn(other, document, { ...reject, note: 'A long look\nat it' });
  assert.equal(refused.status, 409);
  assert.match(
    refused.text,
    new RegExp(`was not stored\\. ${one.operator.name} is reviewing[^]*>A long look\\nat it<`),
    'with the note',
  );
  assert.doesNotMatch(refused.text.replaceAll(/<time [^>]*>/g, ''), /\dT\d\d:/, 'times are those of the page');
  await one.submit(`${pageOf(document)}/release`);
  assert.match((await other.load(pageOf(document))).text, /data-decision/);
  assert.equal((await decideOn(one, document, accept)).status, 409);
  await shared.sql`update document set claimed_until = now() - interval '1 second' where id = ${idOf(document)}`;
  assert.equal((await decideOn(one, document, accept)).status, 303);
});

test('two reviewers who decide one after the other are not sent to the same document', async () => {
  const [one, other] = [await openSession(shared, 'reviewer'), await openSession(shared, 'reviewer')];
  const documents = [await newDocument(), await newDocument(), await newDocument()] as const;
  await one.load(pageOf(documents[0]));
  await other.load(pageOf(documents[1]));
  const next = await decideOn(one, documents[0], accept);
  assert.ok(next.headers.location!.startsWith(pageOf(documents[2])));
  // Before the first one has opened the next document.
  const last = await decideOn(other, documents[1], accept);
  assert.equal(last.headers.location, `${REVIEW}?last=${idOf(documents[1])}`);
});

test('two reviewers who send a decision at once: one wins, and the other is refused', async () => {
  const reviewers = [await openSession(shared, 'reviewer'), await openSession(shared, 'reviewer')];
  const document = await newDocument();
  const answers = await Promise.all(reviewers.map((reviewer) => decideOn(reviewer, document, accept)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 403]);
  assert.equal((await shared.get(`${document}/reviews`)).total, 1);
});

test('a decision is taken back by a new review with a note, never by accident', async () => {
  const reviewer = await openSession(shared, 'reviewer');
  const owner = await shared.newOwner();
  const document = await shared.submitted(owner);
  await decideOn(reviewer, document, accept);
  const late = await decideOn(reviewer, document, { ...reject, note: 'Seen too late' });
  assert.equal(late.status, 403, 'the form was shown before the decision');
  const { text } = await reviewer.load(pageOf(document));
  assert.ok(text.includes('Review again') && !text.includes('value="accepted" data-key'));
  assert.equal((await decideOn(reviewer, document, { ...reject, seen: 'accepted' })).status, 403, 'without a note');
  const undone = await decideOn(reviewer, document, { ...reject, seen: 'accepted', note: 'Wrong person' });
  assert.equal(undone.status, 303, undone.text);
  assert.equal((await shared.get(owner)).verificationStatus, 'document');
  assert.match((await reviewer.load(pageOf(document))).text, /Wrong person[\s\S]*accepted/);
});

test('a form that cannot be right is refused with its reason', async () => {
  const reviewer = await openSession(shared, 'reviewer');
  const document = await newDocument();
  for (const [form, message] of [
    [{ ...reject, reason: '' }, 'Choose at least one reason'],
    [{ ...accept, reason: 'ScanNotReadable' }, 'Remove them to accept'],
    [{ decision: 'maybe', seen: 'pending' }, 'Accept or reject'],
    [{ ...reject, reason: 'BusinessNameMismatch' }, 'does not apply'],
  ] as const) {
    const { status, text } = await decideOn(reviewer, document, form);
    assert.ok(status === 400 && text.includes(message), `${status} ${message}`);
  }
  assert.equal((await shared.get(document)).status, 'pending');
  assert.equal((await reviewer.load(`${REVIEW}/01890000-0000-7000-8000-000000000000`)).status, 404);
});

test('the picture is for reviewers only, recorded at each look, not stored, and nowhere in the API', async () => {
  const reviewer = await openSession(shared, 'reviewer');
  const document = await newDocument();
  const path = `${pageOf(document)}/picture`;
  const { status, headers } = await reviewer.load(path);
  assert.deepEqual([status, headers['content-type'], headers['cache-control']], [200, 'image/jpeg', 'no-store']);
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; sandbox/);
  const [entry] = await listAudit(shared.sql, { resourceId: idOf(document), action: 'look_at_document' }, 2);
  assert.equal(entry!.operatorId, reviewer.operator.id);
  const looks = await shared.sql<{
    viewer: { id: string };
  }>`select viewer from document_look where document_id = ${idOf(document)}`;
  assert.deepEqual(
    looks.map(({ viewer }) => viewer.id),
    [reviewer.operator.id],
  );
  for (const role of ['viewer', 'finance', 'operator'] as const) {
    const other = await openSession(shared, role);
    for (const wanted of [path, pageOf(document), REVIEW])
      assert.equal((await other.load(wanted)).status, 403, `${role} ${wanted}`);
    assert.equal((await decideOn(other, document, accept)).status, 403, role);
    assert.equal((await other.submit(`${pageOf(document)}/reveal`)).status, 403, role);
  }
  assert.equal((await shared.send('GET', path, { token: shared.token })).status, 403);
  await shared.sql`update document set status = 'rejected', reasons = '{ScanFailedOther}', decided = now(), erased = now(),
    original_key = null, copy_key = null, content_mac = null where id = ${idOf(document)}`;
  assert.equal((await reviewer.load(path)).status, 404);
  const { text } = await reviewer.load(pageOf(document));
  assert.ok(text.includes('The picture has been erased') && !text.includes('data-decision'));
  assert.ok(text.includes('Its content was erased.'), 'not why: the history says so');
});

test('birth date and number are hidden until a click, which is in the audit log', async () => {
  const reviewer = await openSession(shared, 'reviewer');
  const owner = await shared.newOwner();
  const document = await shared.submitted(owner);
  const born = /19\d\d-\d\d-\d\d/;
  assert.doesNotMatch((await reviewer.load(pageOf(document))).text, born);
  const looks = () => listAudit(shared.sql, { resourceId: idOf(document), action: 'reveal_record' }, 2);
  assert.equal((await looks()).length, 0);
  // Not by `submit`, which checks that no answer contains a sealed value.
  const headers = { cookie: reviewer.cookie, 'sec-fetch-site': 'same-origin' };
  const revealed = await fetch(`${shared.url}${pageOf(document)}/reveal`, { method: 'POST', headers });
  assert.match(await revealed.text(), born);
  assert.equal((await looks())[0]!.operatorId, reviewer.operator.id);
});

test('what a checker found is shown beside the record, with a link to a document that looks the same', async () => {
  const reviewer = await openSession(shared, 'reviewer');
  const [url, like] = [await newDocument(), await newDocument()];
  const { sql } = shared;
  const document = (await findDocument(sql, idOf(url)))!;
  const result = {
    proposal: 'rejected',
    reasons: ['ScanIdExpired'],
    findings: [{ field: 'expires', result: 'different', text: 'The document has expired.' }],
    likenesses: [{ kind: 'number', documentId: idOf(like), subjectId: document.customerId }],
  } satisfies CheckResult;
  await writeResult(sql, shared.service.sealer, document, { name: 'reader', version: '7', result }, new Date());
  const { text } = await reviewer.load(pageOf(url));
  assert.match(text, /reader 7[\s\S]*would be rejected[\s\S]*The document has expired/);
  assert.ok(text.includes(`href="${pageOf(like)}">show that document`));
});

test('with four eyes the second reviewer does not see the first decision, and the first cannot decide again', async () => {
  const [one, other] = [await openSession(double, 'reviewer'), await openSession(double, 'reviewer')];
  const document = await newDocument(double);
  const first = await decideOn(one, document, { ...reject, note: 'Too dark' });
  assert.match((await one.load(first.headers.location!)).text, /waits for a second reviewer/);
  assert.match((await one.load(pageOf(document))).text, /counts when a second reviewer agrees/);
  assert.equal((await decideOn(one, document, reject)).status, 403);
  const { text } = await other.load(pageOf(document));
  assert.ok(text.includes('first review') && !text.includes('Too dark'));
  const agreed = await decideOn(other, document, reject);
  assert.equal(agreed.headers.location, `${REVIEW}?last=${idOf(document)}`);
  assert.equal((await double.get(document)).documentVerificationStatus, 'rejected');
});
