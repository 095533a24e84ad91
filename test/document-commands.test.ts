// Tests of `earmark documents read` and `evaluate`, which need no service.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blankPng } from './support/pictures.ts';
import { assertOneLine, runCli, scratch } from './support/process.ts';
import { passportSpecimen, TODAY } from './support/specimen-pictures.ts';

const { picture, person } = await passportSpecimen(7);

test('documents read prints the fields, or JSON', async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'passport.jpg');
  writeFileSync(file, picture);
  const { stdout, code } = await runCli(t, ['documents', 'read', file], {});
  assert.equal(code, 0);
  assert.match(stdout, /^A passport \(TD3\)$/m);
  assert.match(stdout, new RegExp(`^surname +${person.lastName} +9\\d`, 'm'));
  assert.match(stdout, new RegExp(`^date of birth +${person.dateOfBirth} `, 'm'));
  assert.match(stdout, /^The data was read with confidence\. That proves nothing against fraud\.$/m);
  const blank = join(folder, 'blank.png');
  writeFileSync(blank, blankPng(320, 200));
  const { kind, quality } = JSON.parse((await runCli(t, ['documents', 'read', blank, '--json'], {})).stdout);
  assert.deepEqual([kind, quality.faults[0].measure, quality.faults[0].value], ['none', 'longEdge', 320]);
  assertOneLine(await runCli(t, ['documents', 'read', join(folder, 'none.jpg')], {}), /none\.jpg cannot be read: ENOENT\./);
  const text = join(folder, 'text.jpg');
  writeFileSync(text, 'no picture');
  assertOneLine(await runCli(t, ['documents', 'read', text], {}), /is not a JPEG or PNG picture that can be decoded/);
});

test('documents evaluate prints the confusion table, and fails when a decision is wrong', async (t) => {
  const folder = scratch(t);
  writeFileSync(join(folder, '1.jpg'), picture);
  writeFileSync(join(folder, '2.png'), blankPng(1200, 800));
  const truth = (file: string, more: object) => ({ file, type: 'passport', person, today: TODAY, ...more });
  const evaluate = (truths: unknown) => {
    writeFileSync(join(folder, 'truths.json'), JSON.stringify(truths));
    return runCli(t, ['documents', 'evaluate', folder], {});
  };
  const right = await evaluate([
    truth('1.jpg', { expected: 'accepted' }),
    truth('1.jpg', { expected: 'rejected', reasons: ['ScanIdExpired'], today: '2044-01-01' }),
    truth('2.png', { expected: 'rejected', reasons: ['ScanNotReadable'] }),
  ]);
  assert.match(right.stdout, /should be +accepted +rejected +undecided\naccepted +1 +0 +0\nrejected +0 +2 +0\nundecided/);
  assert.match(right.stdout, /2 of 3 pictures read with confidence/);
  assert.match(right.stdout, /wrong acceptances: 0, wrong rejections: 0/);
  assert.equal(right.code, 0, right.stdout);
  const wrong = await evaluate([truth('1.jpg', { expected: 'rejected', reasons: ['ScanDobMismatch'] })]);
  assert.match(wrong.stdout, /wrong acceptances: 1, wrong rejections: 0\n {2}1\.jpg: accepted/);
  assert.equal(wrong.code, 1);
  assertOneLine(await evaluate([{ file: '1.jpg' }]), /truths\.json is invalid: \/0 /);
});
