// Tests of DOCUMENT_CHECKERS=reader,http: nothing is decided unless both agree, and a reviewer sees what each proposes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Body, idOf } from '../../../../test/support/http.ts';
import { runCli, scratch, settingsOf } from '../../../../test/support/process.ts';
import { passportSpecimen } from '../../../../test/support/specimen-pictures.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

let [reply, asked] = ['', 0];
const server = http.createServer((request, response) => {
  asked++;
  request.resume().once('end', () => response.end(reply));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => void server.close());

const service = await openUploads(
  { after },
  {
    env: {
      MODE: 'production',
      AUTO_DECIDE: 'accept-text,reject',
      DOCUMENT_CHECKERS: 'reader,http',
      DOCUMENT_CHECKER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      DOCUMENT_CHECKER_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
  },
);

let seed = 20;
/** Submits a passport that the reader accepts, unless the record differs, while the other service gives an answer. */
async function check(answer: object, record: object = {}) {
  const { newOwner, submitted, get } = service;
  const { person, picture } = await passportSpecimen(++seed);
  [reply, asked] = [JSON.stringify(answer), 0];
  const document = await submitted(await newOwner({ ...person, ...record }), { file: picture });
  const { _embedded } = await waitUntil('the check is recorded', async () => {
    const reviews = await get(`${document}/reviews`);
    return reviews.total > 0 && reviews;
  });
  const { documentVerificationStatus, allFailureReasons = [] } = await get(document);
  return {
    id: idOf(document),
    outcome: [documentVerificationStatus, ...allFailureReasons.map(({ reason }: Body) => reason)],
    reviews: _embedded.reviews.map(({ reviewer, decision, effective }: Body) => [reviewer.name, decision, effective]).reverse(),
  };
}

const OTHER_BIRTH = { dateOfBirth: '1971-02-03' };
const ACCEPTED = { decision: 'accepted' };
const UNDECIDED = { decision: 'undecided' };
const REJECTED = { decision: 'rejected', reasons: ['ScanFailedOther'] };

test('accepts what both accept, and rejects what both reject, for the reasons of both', async () => {
  const { outcome, reviews } = await check(ACCEPTED);
  assert.deepEqual(outcome, ['accepted']);
  assert.deepEqual(reviews, [
    ['reader', 'accepted', true],
    ['http', 'accepted', true],
  ]);
  const rejected = await check(REJECTED, OTHER_BIRTH);
  assert.deepEqual(rejected.outcome, ['rejected', 'ScanDobMismatch', 'ScanFailedOther']);
});

test('a person decides when one does not decide, or they disagree, and sees both proposals', async (t) => {
  const undecided = [
    ['reader', 'undecided', false],
    ['http', 'undecided', false],
  ];
  const show = async (id: string) => {
    const options = ['--json', '--file', join(scratch(t), 'picture.jpg')];
    const { stdout, stderr } = await runCli(t, ['review', 'show', id, ...options], settingsOf(service));
    assert.ok(stdout, stderr);
    return JSON.parse(stdout).results.map(({ checker, proposal, reasons }: Body) => [checker, proposal, ...reasons]);
  };
  const cases: [answer: object, record: object, http: string[], reader: string[]][] = [
    [UNDECIDED, {}, ['undecided'], ['accepted']],
    [REJECTED, {}, ['rejected', 'ScanFailedOther'], ['accepted']],
    [ACCEPTED, OTHER_BIRTH, ['accepted'], ['rejected', 'ScanDobMismatch']],
    [UNDECIDED, OTHER_BIRTH, ['undecided'], ['rejected', 'ScanDobMismatch']],
  ];
  for (const [answer, record, http, reader] of cases) {
    const { id, outcome, reviews } = await check(answer, record);
    assert.deepEqual([outcome, asked], [['pending'], 1], JSON.stringify([answer, record]));
    assert.deepEqual(reviews, undecided);
    assert.deepEqual(await show(id), [
      ['http', ...http],
      ['reader', ...reader],
    ]);
  }
});
