// Tests of the checker that reads: what AUTO_DECIDE allows, likenesses that only people judge, and results that are sealed and erased.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Fields, Reading } from '../../../../packages/document-reader/src/reading.ts';
import { useCheckers } from '../../../../test/support/checkers.ts';
import { type Body, idOf } from '../../../../test/support/http.ts';
import { CLI } from '../../../../test/support/paths.ts';
import { runCliJson, settingsOf } from '../../../../test/support/process.ts';
import { readingOf, unreadOf } from '../../../../test/support/readings.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { rotateKeys } from '../../../apps/keys/rotate.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';
import type { Config } from '../../../platform/config/config.ts';
import { loadKeys } from '../../../platform/keys/key-file.ts';
import { openSealer } from '../../../platform/keys/sealing.ts';
import { findDocument } from '../document.ts';
import { eraseDocuments } from '../erase.ts';
import { openReader } from './reader.ts';
import { recheckDocuments } from './recheck.ts';
import { listResults } from './result.ts';

const shared = await openUploads({ after }, { env: { MODE: 'production' } });
const OWNER = { firstName: 'Anna Maria', lastName: 'Eriksson', dateOfBirth: '1974-08-12' };
/** People of the same name, born on another day of a month. */
const born = (day: number) => ({ ...OWNER, dateOfBirth: `1975-01-${String(day).padStart(2, '0')}` });
const BOTH = { autoDecide: ['accept-text', 'reject'] } satisfies Partial<Config>;
const run = promisify(execFile);

let seed = 0;
/** A reading with a new number and picture, unless given. */
function fresh(fields: Partial<Fields> = {}, options: Parameters<typeof readingOf>[1] & Partial<Hashes> = {}): Reading {
  seed++;
  const { fingerprint = digestOf(String(seed)), portrait } = options;
  const reading = readingOf({ documentNumber: `N0000000${seed}`, ...fields }, options);
  return { ...reading, fingerprint, ...(portrait !== undefined && { portrait }) };
}

type Hashes = Pick<Required<Reading>, 'fingerprint' | 'portrait'>;
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
/** A hash of which some bits differ. */
const changed = (hash: string, bits: bigint) => (BigInt(`0x${hash}`) ^ bits).toString(16).padStart(64, '0');

/** Readers that return readings; undefined for a picture that exceeds the limit of CPU time. */
function readersOf(next: () => Reading | undefined): Parameters<typeof openReader>[1] {
  return {
    async picture() {
      const result = next();
      return result ? { state: 'done', result } : { state: 'failed' };
    },
    chip: async () => ({ state: 'failed' }),
    close() {},
  };
}

/** Documents are read as given, because the pictures of these tests show nothing. */
function useReadings(t: TestContext, readings: (Reading | undefined)[], settings: Partial<Config> = {}) {
  const { config, database, sealer, clock } = shared.service;
  const readers = readersOf(() => readings.shift());
  const service = useCheckers(t, shared, [openReader({ config, database, sealer, clock }, readers)], settings);
  async function outcomeOf(owner: string, documentType = 'passport') {
    const document = await service.submitted(owner, { documentType });
    await waitUntil('the check is recorded', async () => (await service.get(`${document}/reviews`)).total > 0);
    const { documentVerificationStatus: status, allFailureReasons = [] } = await service.get(document);
    const [result] = await resultsOf(document);
    return { document, result, outcome: [status, ...allFailureReasons.map((one: Body) => one.reason)] };
  }
  return { ...service, outcomeOf };
}

const resultsOf = async (document: string, sealer = shared.service.sealer) =>
  listResults(shared.sql, sealer, (await findDocument(shared.sql, idOf(document)))!);

test('decides what AUTO_DECIDE allows, and leaves the rest to a person with a proposal', async (t) => {
  type Made = (dateOfBirth: string) => Reading;
  const same: Made = (dateOfBirth) => fresh({ dateOfBirth });
  const expired: Made = (dateOfBirth) => fresh({ expires: '2020-01-01', dateOfBirth });
  const worse: Made = (dateOfBirth) => fresh({ expires: '2020-01-01', dateOfBirth: dateOfBirth.replace('1975', '1976') });
  const cases: [Config['autoDecide'], Made, string[]][] = [
    [['accept-text'], same, ['accepted']],
    [['accept-text'], expired, ['pending']],
    [['reject'], same, ['pending']],
    [['reject'], worse, ['rejected', 'ScanDobMismatch', 'ScanIdExpired']],
    [['reject-expired'], same, ['pending']],
    [['reject-expired'], expired, ['rejected', 'ScanIdExpired']],
    [['reject-expired'], worse, ['pending']],
    [['accept-text', 'reject'], (dateOfBirth) => fresh({ dateOfBirth }, { verified: false }), ['pending']],
    [['accept-text', 'reject'], () => unreadOf(), ['pending']],
    [[], expired, ['pending']],
  ];
  for (const [index, [autoDecide, make, expected]] of cases.entries()) {
    const person = born(index + 1);
    const reading = make(person.dateOfBirth);
    await t.test(`${autoDecide} ${expected}`, async (t) => {
      const { newOwner, outcomeOf, get } = useReadings(t, [reading], { autoDecide });
      const owner = await newOwner(person);
      const { outcome, result } = await outcomeOf(owner);
      assert.deepEqual(outcome, expected);
      assert.equal((await get(owner)).verificationStatus, outcome[0] === 'accepted' ? 'verified' : 'document');
      assert.deepEqual([result?.checker, result?.reading], ['reader', reading]);
    });
  }
});

test('compares with the owner, with the customer, or with the controller of a business', async (t) => {
  const person = born(20);
  const two = fresh({ dateOfBirth: person.dateOfBirth });
  const [one, three] = [fresh(), fresh({ surname: 'TROLLER', givenNames: 'CON', dateOfBirth: '1970-03-04' })];
  const { newOwner, newCustomer, outcomeOf } = useReadings(t, [one, two, three], BOTH);
  assert.deepEqual((await outcomeOf(await newOwner(OWNER))).outcome, ['accepted']);
  assert.deepEqual((await outcomeOf(await newCustomer(person))).outcome, ['accepted']);
  const controller = { firstName: 'Con', lastName: 'Troller', title: 'CEO', dateOfBirth: '1970-03-04', ssn: '876543210' };
  const address = { address1: '2 Main Street', city: 'Springfield', stateProvinceRegion: 'IL', country: 'US' };
  const corporation = { businessType: 'corporation', ein: '12-3456789', controller: { ...controller, address } };
  assert.deepEqual((await outcomeOf(await newCustomer(corporation))).outcome, ['accepted']);
});

test('a picture or number of another person is for a person to judge, whatever it shows', async (t) => {
  const print = 'f0e1d2c3b4a59687'.repeat(4);
  const blank = 'f'.repeat(64);
  // Twenty bits in three bands differ, then one more.
  const samePicture = { ...unreadOf(), fingerprint: changed(print, 0xffff_0000_0000_0000_0101_0101n) };
  const otherPicture = { ...unreadOf(), fingerprint: changed(print, 0xffff_0000_0000_0001_0101_0101n) };
  const again = fresh({}, { fingerprint: changed(print, 0x1n) });
  const sameNumber = fresh({ documentNumber: 'L898902C3', expires: '2020-01-01', dateOfBirth: born(26).dateOfBirth });
  const otherIssuer = fresh({ documentNumber: 'L898902C3', issuer: 'USA', dateOfBirth: born(22).dateOfBirth });
  const readings = [
    fresh({ documentNumber: 'L898902C3', dateOfBirth: born(21).dateOfBirth }, { fingerprint: print }),
    samePicture,
    otherPicture,
    again,
    sameNumber,
    otherIssuer,
    ...[23, 24].map((day) => fresh({ dateOfBirth: born(day).dateOfBirth }, { fingerprint: blank })),
    fresh({ documentNumber: 'L898902C3' }, { fingerprint: print }),
  ];
  const { newOwner, outcomeOf, newClient } = useReadings(t, readings, BOTH);
  const owner = await newOwner(born(21));
  const { document, outcome } = await outcomeOf(owner);
  assert.deepEqual(outcome, ['accepted']);
  const likeness = { documentId: idOf(document), subjectId: idOf(owner) };
  const picture = await outcomeOf(await newOwner(OWNER));
  assert.deepEqual([picture.outcome, picture.result?.proposal], [['pending'], 'undecided']);
  assert.deepEqual(picture.result?.likenesses, [{ kind: 'picture', ...likeness }]);
  const isLike = ({ result }: typeof picture) => result!.likenesses!.some(({ documentId }) => documentId === idOf(document));
  assert.ok(!isLike(await outcomeOf(await newOwner(OWNER))), 'too many bits differ');
  const repainted = await outcomeOf(await newOwner(OWNER));
  assert.ok(repainted.outcome[0] === 'pending' && isLike(repainted), 'the same picture with another number');
  const number = await outcomeOf(await newOwner(born(26)));
  assert.deepEqual([number.outcome, number.result?.likenesses], [['pending'], [{ kind: 'number', ...likeness }]]);
  assert.deepEqual((await outcomeOf(await newOwner(born(22)))).outcome, ['accepted'], 'another issuer has other numbers');
  for (const day of [23, 24])
    assert.deepEqual((await outcomeOf(await newOwner(born(day)))).outcome, ['accepted'], 'blank pictures');
  const { token } = await newClient();
  const elsewhere = await newOwner(OWNER, { token });
  const service = shared.service.database;
  const submitted = await shared.submitted(elsewhere, { token });
  const found = async () => (await service.sql`select 1 from document_reading where document_id = ${idOf(submitted)}`).length > 0;
  await waitUntil('the check in another account is recorded', found);
  assert.deepEqual((await resultsOf(submitted))[0]?.likenesses, [], 'accounts do not see each other');
});

test('pages of one layout with other portraits are not alike; the same portrait is, also on another page', async (t) => {
  const [layout, first, second] = ['layout', 'first', 'second'].map(digestOf) as [string, string, string];
  const born = (day: number) => ({ ...OWNER, dateOfBirth: `1976-02-0${day}` });
  const on = (day: number, hashes: Partial<Hashes>) => fresh({ dateOfBirth: born(day).dateOfBirth }, hashes);
  const readings = [
    on(1, { fingerprint: layout, portrait: first }),
    on(2, { fingerprint: changed(layout, 0x7n), portrait: second }),
    // Twenty bits differ, then one more, all of them others.
    on(3, { portrait: changed(first, 0xf_ffffn) }),
    on(4, { portrait: changed(first, 0x1f_ffffn << 32n) }),
    on(5, { fingerprint: layout, portrait: changed(first, 0x1n) }),
    { ...unreadOf(), fingerprint: layout },
  ];
  const { newOwner, outcomeOf } = useReadings(t, readings, BOTH);
  const seen: string[] = [];
  const likenesses: unknown[] = [];
  for (const day of [1, 2, 3, 4, 5, 6]) {
    const { document, outcome, result } = await outcomeOf(await newOwner(born(day)));
    seen.push(idOf(document));
    const alike = result!.likenesses!.map(({ kind, documentId }) => `${kind} ${seen.indexOf(documentId) + 1}`);
    likenesses.push([outcome[0], ...alike.sort()]);
  }
  assert.deepEqual(likenesses, [
    ['accepted'],
    ['accepted'],
    ['pending', 'portrait 1'],
    ['accepted'],
    ['pending', 'picture 1', 'portrait 3'],
    ['pending', 'picture 1', 'picture 2', 'picture 5'],
  ]);
});

test('the same name and birth date with another number is for a person, unless it is the same subject again', async (t) => {
  const { dateOfBirth } = born(25);
  const readings = [
    fresh({ dateOfBirth }),
    fresh({ dateOfBirth, givenNames: 'ANNA' }),
    fresh({ dateOfBirth, givenNames: 'MARIA' }),
    fresh({ dateOfBirth }),
  ];
  const { newOwner, outcomeOf, judge } = useReadings(t, readings, BOTH);
  const owner = await newOwner(born(25));
  const { document, outcome } = await outcomeOf(owner);
  assert.deepEqual(outcome, ['accepted']);
  const other = await outcomeOf(await newOwner({ ...born(25), firstName: 'Anna' }));
  assert.deepEqual(other.outcome, ['pending']);
  assert.deepEqual(other.result?.likenesses, [{ kind: 'person', documentId: idOf(document), subjectId: idOf(owner) }]);
  const third = await outcomeOf(await newOwner({ ...born(25), firstName: 'Maria' }));
  assert.deepEqual([third.outcome, third.result?.likenesses], [['accepted'], []]);
  await judge(document, 'rejected', ['ScanFailedOther'], { note: 'Asked for the renewed one.' });
  await judge(other.document, 'rejected', ['ScanFailedOther']);
  const renewed = await outcomeOf(owner);
  assert.deepEqual(
    renewed.result?.likenesses?.map(({ kind, documentId }) => [kind, documentId]),
    [['person', idOf(other.document)]],
    'not with its own first document',
  );
});

test('a reader that does not answer, and business papers, leave a document to a person', async (t) => {
  const { newOwner, outcomeOf } = useReadings(t, [undefined], BOTH);
  const slow = await outcomeOf(await newOwner(OWNER));
  assert.deepEqual(slow.outcome, ['pending']);
  assert.match(slow.result!.findings[0]!.text, /limit of CPU time/);
  const paper = await outcomeOf(await newOwner(OWNER), 'other');
  assert.deepEqual([paper.outcome, paper.result], [['pending'], undefined]);
});

test('results are sealed, survive a key rotation, and are erased with the content', async (t) => {
  const { newOwner, outcomeOf, judge, sql, service } = useReadings(t, [fresh({ surname: 'ERICSSON' })]);
  const { document } = await outcomeOf(await newOwner(OWNER));
  const [row] = await sql<{ sealed: Buffer }>`select sealed from document_reading where document_id = ${idOf(document)}`;
  assert.ok(!row!.sealed.includes('ERICSSON'));
  const rows = async () => [
    (await sql`select 1 from document_reading where document_id = ${idOf(document)}`).length,
    (await sql`select 1 from document_trait where document_id = ${idOf(document)}`).length,
  ];
  assert.deepEqual(await rows(), [1, 18]);

  await judge(document, 'rejected', ['ScanNameMismatch']);
  const { config, database, documents } = service;
  const later = new Date(Date.now() + (config.documentRetentionDays + 1) * 24 * 3_600_000);
  await eraseDocuments({ config, database, stores: documents.stores }, later);
  assert.deepEqual(await rows(), [0, 0]);
});

test('nothing of a document is stored by a check, or a later one, that ends after its erasure', async (t) => {
  const { documents, log, metrics, ...others } = shared.service;
  let meanwhile = async (): Promise<unknown> => undefined;
  const picture = async () => {
    await meanwhile();
    return { state: 'done' as const, result: fresh() };
  };
  const reader = openReader(others, { ...readersOf(fresh)!, picture });
  const { newOwner, submitted, get, sql } = useCheckers(t, shared, [reader]);
  const erase = (url: string) => runCliJson(t, ['documents', 'erase', idOf(url), '--yes'], settingsOf(shared));
  const rows = async (url: string) => [
    (await get(`${url}/reviews`)).total,
    (await sql`select 1 from document_reading where document_id = ${idOf(url)}`).length,
    (await sql`select 1 from document_trait where document_id = ${idOf(url)}`).length,
  ];

  const { promise: url, resolve } = Promise.withResolvers<string>();
  meanwhile = async () => {
    await erase(await url);
    meanwhile = async () => undefined;
  };
  const document = await submitted(await newOwner(born(26)));
  resolve(document);
  const since = new Date();
  const next = await submitted(await newOwner(born(27)));
  await waitUntil('the next document is checked', async () => (await get(`${next}/reviews`)).total > 0);
  assert.deepEqual(await rows(document), [1, 0, 0], 'the review is that of the erasure');
  assert.deepEqual(await rows(next), [1, 1, 18]);

  meanwhile = () => erase(next);
  const tools = { ...others, stores: documents.stores, log, metrics };
  const rechecked = await Array.fromAsync(recheckDocuments(tools, [reader], { since, isDryRun: false }));
  assert.deepEqual(
    rechecked.map(({ documentId }) => documentId),
    [idOf(next)],
  );
  assert.deepEqual(await rows(next), [2, 0, 0]);
});

test('review show prints what was read beside the record, and birth dates only on demand', async (t) => {
  const { newOwner, outcomeOf } = useReadings(t, [fresh({ surname: 'ERICSSON' })]);
  const { document } = await outcomeOf(await newOwner(OWNER));
  const folder = mkdtempSync(join(tmpdir(), 'earmark-review-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: shared.databaseUrl, DATA_DIR: shared.dataDir };
  let files = 0;
  const show = async (...options: string[]) => {
    const file = join(folder, `${files++}.jpg`);
    return (await run(process.execPath, [CLI, 'review', 'show', idOf(document), '--file', file, ...options], { env })).stdout;
  };
  // Each call is a process.
  const text = await show();
  assert.match(text, /reader 5 .* proposes rejected: ScanNameMismatch/);
  assert.match(text, /surname +ERICSSON +Eriksson +different +The name differs\./);
  assert.match(text, /date of birth +\(hidden\) +\(hidden\) +same/);
  assert.ok(!text.includes('1974'));
  const { results } = JSON.parse(await show('--json', '--reveal')) as Body;
  assert.equal(results[0].proposal, 'rejected');
  assert.deepEqual(results[0].findings[1], {
    ...{ field: 'surname', result: 'different', text: 'The name differs.' },
    ...{ read: 'ERICSSON', onRecord: 'Eriksson' },
  });
  assert.ok(JSON.stringify(results).includes('1974-08-12'));
  const entries = await listAudit(shared.sql, { resourceId: idOf(document) }, 4);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['look_at_document', 'reveal_record', 'look_at_document'],
  );
});

// The last one, because the service keeps the old key.
test('a rotated key opens results, and still recognises pictures', async (t) => {
  const { config, database, clock, sealer } = shared.service;
  const reading = fresh({}, { fingerprint: '96870f0e1d2c3b4a'.repeat(4) });
  const readers = readersOf(() => reading);
  const { newOwner, submitted, get, sql } = useCheckers(t, shared, [openReader({ config, database, sealer, clock }, readers)]);
  const document = await submitted(await newOwner(OWNER));
  await waitUntil('the check is recorded', async () => (await get(`${document}/reviews`)).total > 0);
  const rotated = openSealer([Buffer.alloc(32, 7), ...(await loadKeys(shared.dataDir))]);
  const counts = await rotateKeys(database, rotated);
  assert.ok(counts.find(({ content }) => content === 'documents, readings')!.rewrapped > 0);
  const found = (await findDocument(sql, idOf(document)))!;
  const only = openSealer([Buffer.alloc(32, 7)]);
  assert.deepEqual((await listResults(sql, only, found))[0]?.reading, reading);
  const tools = { config, database, sealer: rotated, clock };
  const other = (await findDocument(sql, idOf(await submitted(await newOwner(OWNER)))))!;
  const given = {
    document: other,
    person: OWNER,
    today: '2026-11-22',
    record: async () => OWNER,
    copy: async () => Buffer.of(1),
    original: async () => Buffer.of(1),
    chip: async () => undefined,
  };
  const { result } = await openReader(tools, readers).check(given);
  assert.deepEqual(result?.likenesses?.map(({ kind, documentId }) => [kind, documentId]).sort(), [
    ['number', found.id],
    ['picture', found.id],
  ]);
});
