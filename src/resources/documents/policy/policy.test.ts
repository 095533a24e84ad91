// Tests of policies of evidence: what checkers decide at each level, the sample, the limit of a day, history, audit and defaults.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { makeAuthority, makeChip, makeMasterList } from '../../../../test/support/chip.ts';
import { type Body, idOf } from '../../../../test/support/http.ts';
import { type Part, typePart } from '../../../../test/support/multipart.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { runCli, runCliJson, scratch, settingsOf } from '../../../../test/support/process.ts';
import { openAccount } from '../../../../test/support/service.ts';
import { passportSpecimen } from '../../../../test/support/specimen-pictures.ts';
import { openUploads, withDocuments } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const sandbox = await openUploads({ after }, { env: { SANDBOX_REVIEW_DELAY_MS: '0' } });

/** A new account whose documents are checked by the last names of their owners. */
async function openRehearsal(t: TestContext) {
  const account = withDocuments(await openAccount(sandbox));
  const { account_id: id } = account.client;
  const set = (...options: string[]) =>
    runCliJson<Body>(t, ['policy', 'set', '--account', id, '--reason', 'a test', ...options, '--json'], settingsOf(sandbox));
  const show = () => runCliJson<Body>(t, ['policy', 'show', '--account', id, '--json'], settingsOf(sandbox));
  /** Submits a document, and returns its status and level once it is checked. */
  async function check(lastName: string, token = account.token) {
    const document = await account.submitted(await account.newOwner({ lastName }, { token }), { token });
    const body = await waitUntil('the document is checked', async () => {
      const { body: found } = await account.send('GET', document, { token });
      return found._embedded && found;
    });
    return { document, level: body._embedded.evidence.level, status: body.documentVerificationStatus };
  }
  const outcome = async (lastName: string, token?: string) => {
    const { level, status } = await check(lastName, token);
    return [level, status];
  };
  return { ...account, id, set, show, check, outcome };
}

test('last names rehearse each level, and the policy of the account decides what is enough', async (t) => {
  const { outcome, set } = await openRehearsal(t);
  assert.deepEqual(await outcome('EvidenceNone'), ['none', 'pending']);
  assert.deepEqual(await outcome('EvidenceText'), ['text', 'accepted'], 'the default of the sandbox');
  await set('--accept', 'document');
  assert.deepEqual(await outcome('EvidenceText'), ['text', 'pending']);
  assert.deepEqual(await outcome('EvidenceDocument'), ['document', 'accepted']);
  await set('--accept', 'chip');
  assert.deepEqual(await outcome('EvidenceDocument'), ['document', 'pending']);
  assert.deepEqual(await outcome('EvidenceChip'), ['chip', 'accepted']);
  await set('--accept', 'never');
  assert.deepEqual(await outcome('EvidenceChip'), ['chip', 'pending']);
  assert.deepEqual(await outcome('Accepted'), ['document', 'accepted'], 'what decides by itself in a rehearsal');
});

test('last names rehearse each hint, which decides nothing', async (t) => {
  const { check, send, set, token } = await openRehearsal(t);
  await set('--accept', 'document');
  for (const [lastName, name] of [
    ['HintScreen', 'screen'],
    ['HintGreyCopy', 'greyCopy'],
    ['HintEditor', 'editor'],
  ] as const) {
    const { document, status } = await check(lastName);
    const { body } = await send('GET', document, { token });
    const { level, hints } = body._embedded.evidence;
    assert.deepEqual([status, level, hints.map((hint: Body) => hint.name)], ['accepted', 'document', [name]]);
    assert.match(hints[0].text, /^The (picture|metadata) /);
  }
  const { body } = await send('GET', (await check('EvidenceDocument')).document, { token });
  assert.equal('hints' in body._embedded.evidence, false);
});

test('each version is kept with who set it and why, in the audit log, and with the decisions', async (t) => {
  const { check, set, show, id } = await openRehearsal(t);
  assert.deepEqual([(await show()).version, (await show()).accept], [0, 'text']);
  const first = await set('--accept', 'chip', '--reject', 'expired', '--sample', '0', '--per-day', '20');
  assert.match(first.means, /that a state signed/);
  await set('--per-day', 'none');
  const { version, accept, reject, per_day, history } = await show();
  assert.deepEqual([version, accept, reject, per_day], [2, 'chip', 'expired', 'no limit'], 'what is not named stays');
  assert.deepEqual(
    history.map((one: Body) => [one.version, one.per_day, one.reason]),
    [
      [2, 'no limit', 'a test'],
      [1, 20, 'a test'],
    ],
  );
  const audit = await sandbox.sql<Body>`
    select actor, detail from audit_entry where action = 'set_evidence_policy' and resource_id = ${id} order by id`;
  assert.deepEqual(
    audit.map(({ detail }) => [detail.version, detail.accept, detail.reason]),
    [
      [1, 'chip', 'a test'],
      [2, 'chip', 'a test'],
    ],
  );
  assert.equal(audit[0]!.actor, history[1].by);
  const { document } = await check('EvidenceChip');
  const [{ basis }] = (await sandbox.sql<Body>`select basis from document_review where document_id = ${idOf(document)}`) as [
    Body,
  ];
  assert.deepEqual([basis.evidence.level, basis.policy.version, basis.thresholds.field], ['chip', 2, 0.9]);
  assert.match(basis.versions.weights, /^[0-9a-f]{64}$/);
  assert.match(basis.versions.sharp, /^\d+\.\d+/);
});

test('a sample goes to a person, and the disagreements are counted', async (t) => {
  const { check, set, show, judge, outcome } = await openRehearsal(t);
  await set('--accept', 'text', '--sample', '100');
  const [one, two] = [await check('EvidenceText'), await check('EvidenceChip')];
  assert.deepEqual([one.status, two.status], ['pending', 'pending']);
  assert.equal((await show()).sampled_decided, 0);
  assert.equal((await judge(one.document, 'rejected', ['ScanFailedOther'])).status, 201);
  assert.equal((await judge(two.document, 'accepted')).status, 201);
  const { sampled_decided, sampled_rejected } = await show();
  assert.deepEqual([sampled_decided, sampled_rejected], [2, 1]);
  await set('--sample', '50');
  const outcomes = [];
  for (let index = 0; index < 12; index++) outcomes.push((await outcome('EvidenceText'))[1]);
  assert.deepEqual([...new Set(outcomes)].sort(), ['accepted', 'pending'], 'some and some, but for one in two thousand runs');
});

test('a limit of a day leaves the rest to people, and the next day begins anew', async (t) => {
  const { outcome, set, call, client } = await openRehearsal(t);
  await set('--accept', 'text', '--per-day', '1');
  assert.deepEqual(await outcome('EvidenceText'), ['text', 'accepted']);
  assert.deepEqual(await outcome('EvidenceText'), ['text', 'pending']);
  assert.equal((await call('POST', '/sandbox/clock', { body: { advanceSeconds: 86_400 } })).status, 200);
  const token = await sandbox.tokenOf(client);
  assert.deepEqual(await outcome('EvidenceText', token), ['text', 'accepted']);
  await set('--per-day', '0');
  assert.deepEqual(await outcome('EvidenceText', token), ['text', 'pending']);
});

test('calls that make no sense are refused, and nothing changes', async (t) => {
  const { id, show } = await openRehearsal(t);
  for (const [options, message] of [
    [['--accept', 'chip'], /--reason/],
    [['--reason', 'x', '--accept', 'seal'], /accept/],
    [['--reason', 'x', '--reject', 'mismatch'], /--reject must be none, expired, or expired,mismatch/],
    [['--reason', 'x', '--sample', '101'], /--sample must be a whole number from 0 to 100/],
    [['--reason', 'x', '--per-day', '-1'], /per-day/],
  ] as const) {
    const ended = await runCli(t, ['policy', 'set', '--account', id, ...options], settingsOf(sandbox));
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, message);
  }
  assert.equal((await show()).version, 0);
});

test('in production accept alone means chip: a picture of a passport is for a person, and a chip that matches is accepted', async (t) => {
  const env = { MODE: 'production', DOCUMENT_CHECKERS: 'reader', AUTO_DECIDE: 'accept' };
  const { newOwner, submitted, get, logs, ...service } = await openUploads(t, { env });
  assert.ok(!logs.join('').includes('AUTO_DECIDE'), 'nothing to warn of');
  const check = async (owner: Body, content: { file: Buffer } | { parts: Part[] }) => {
    const document = await submitted(await newOwner(owner), content);
    const body = await waitUntil('the document is checked', async () => {
      const found = await get(document);
      return found._embedded && found;
    });
    return [body._embedded.evidence.level, body.documentVerificationStatus];
  };
  const { picture, person } = await passportSpecimen(31);
  assert.deepEqual(await check(person, { file: picture }), ['document', 'pending']);
  const parts = [typePart(), ...Object.entries(makeChip()).map(([name, value]) => ({ name, value, fileName: name }))];
  const owner = { firstName: 'Anna Maria', lastName: 'Eriksson', dateOfBirth: '1974-08-12' };
  const document = await submitted(await newOwner(owner), { parts });
  const evidenceOf = async () => (await get(document))._embedded?.evidence.level;
  await waitUntil('the document is checked', evidenceOf);
  assert.equal(await evidenceOf(), 'text', 'no state is known yet');
  const list = join(scratch(t), 'list.ml');
  writeFileSync(list, makeMasterList([makeAuthority()]));
  assert.equal((await runCli(t, ['master-list', 'import', list], settingsOf(service))).code, 0);
  const recheck = async (...options: string[]) => {
    const call = ['documents', 'recheck', '--since', '2020-01-01', ...options, '--json'];
    return runCliJson<Body>(t, call, { ...settingsOf(service), ...env });
  };
  const explained = await recheck('--dry-run');
  const { level_before, level_now, decision_before, decision_now, status } = explained.differ[0];
  assert.deepEqual([explained.checked, explained.differ.length, explained.differ[0].document_id], [2, 1, idOf(document)]);
  assert.deepEqual([level_before, level_now, decision_before, decision_now], ['text', 'chip', 'undecided', 'accepted']);
  assert.deepEqual([await evidenceOf(), status], ['text', 'pending'], 'a dry run stores nothing');
  await recheck();
  assert.equal(await evidenceOf(), 'chip');
  assert.equal((await get(document)).documentVerificationStatus, 'pending', 'nothing is decided');
  const [again] = (await recheck('--dry-run')).differ;
  assert.deepEqual([again.level_before, again.decision_now], ['chip', 'accepted'], 'until a person decides');
  const other = [
    typePart(),
    ...Object.entries(makeChip({ number: 'C01X00T48', givenNames: 'MARIA' })).map(([name, value]) => ({
      name,
      value,
      fileName: name,
    })),
  ];
  assert.deepEqual(await check({ ...owner, firstName: 'Maria' }, { parts: other }), ['chip', 'accepted']);
});

test('a start in production says what a level below chip means, for the default and for accounts', async (t) => {
  const env = { MODE: 'production', DOCUMENT_CHECKERS: 'reader', AUTO_DECIDE: 'accept-text' };
  const first = await openUploads(t, { env, processes: 1 });
  assert.match(first.logs.join(''), /"setting":"AUTO_DECIDE".*A page printed at home is accepted/);
  await runCliJson(
    t,
    ['policy', 'set', '--accept', 'document', '--reason', 'x', '--account', first.client.account_id, '--json'],
    settingsOf(first),
  );
  const second = await openUploads(t, { env: { ...env, AUTO_DECIDE: 'none' }, beside: first, processes: 1 });
  assert.match(
    second.logs.join(''),
    new RegExp(`"account":"${first.client.account_id}".*A picture is accepted if it shows a document`),
  );
});

test('an administrator sets the policy in the console, which says what it means; nobody else does', async (t) => {
  const { id, show, outcome } = await openRehearsal(t);
  const [admin, reviewer] = [await openSession(sandbox, 'admin'), await openSession(sandbox, 'reviewer')];
  const path = `/console/policies/${id}`;
  const form = { accept: 'document', reject: '2', sample: '0', 'per-day': '', reason: 'Asked by the board' };
  assert.equal((await reviewer.load(path)).status, 403);
  assert.equal((await reviewer.submit(path, form)).status, 403);
  assert.match((await admin.load('/console/policies')).text, new RegExp(path));
  for (const wrong of [{ reason: ' ' }, { accept: 'seal' }, { sample: '101' }, { reject: '3' }, { 'per-day': '-1' }]) {
    assert.equal((await admin.submit(path, { ...form, ...wrong })).status, 400, JSON.stringify(wrong));
  }
  assert.equal((await show()).version, 0);
  assert.equal((await admin.submit(path, form)).status, 303);
  const { version, accept, reject, history } = await show();
  assert.deepEqual([version, accept, reject], [1, 'document', 'expired,mismatch']);
  assert.deepEqual([history[0].by, history[0].reason], [admin.operator.name, 'Asked by the board']);
  assert.match((await admin.load(path)).text, /A picture is accepted if it shows a document[\s\S]*Asked by the board/);
  const [entry] = await listAudit(sandbox.sql, { resourceId: id, action: 'set_evidence_policy' }, 1);
  assert.deepEqual([entry?.operatorId, entry?.detail.reason], [admin.operator.id, 'Asked by the board']);
  assert.deepEqual(await outcome('EvidenceText'), ['text', 'pending']);
  assert.equal((await admin.load(`/console/policies/01890000-0000-7000-8000-000000000000`)).status, 404);
});
