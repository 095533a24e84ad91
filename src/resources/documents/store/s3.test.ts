// Tests of documents in an S3-compatible store, against a real S3 server.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import sharp from 'sharp';
import { makeDatabase } from '../../../../test/support/database.ts';
import { assertRefused, idOf } from '../../../../test/support/http.ts';
import { picture } from '../../../../test/support/pictures.ts';
import { assertOneLine, runCli, scratch, serve, settingsOf } from '../../../../test/support/process.ts';
import { CREDENTIALS, startS3 } from '../../../../test/support/s3.ts';
import { startService } from '../../../../test/support/service.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { ConfigError, readConfig } from '../../../platform/config/config.ts';
import { findDocument } from '../document.ts';
import { eraseDocuments } from '../erase.ts';
import { viewCopy } from '../view-copy.ts';

const BUCKET = 'documents';
const DAY_MS = 24 * 3_600_000;
const viewer = { kind: 'person', name: 'test', place: 'here' } as const;

async function startDocuments(t: TestContext) {
  const s3 = await startS3(t, BUCKET);
  return { ...s3, env: { ...CREDENTIALS, DOCUMENT_STORE: s3.address } };
}

async function open(t: TestContext, env: Record<string, string> = {}) {
  const s3 = await startDocuments(t);
  // Tests replace functions of the store of a process.
  const service = await openUploads(t, { env: { ...s3.env, ...env }, processes: 1 });
  const { database, sealer, documents, config } = service.service;
  const look = async (url: string) =>
    viewCopy({ database, sealer, stores: documents.stores }, (await findDocument(database.sql, idOf(url)))!, viewer, new Date());
  const erase = (now: Date) => eraseDocuments({ config, database, stores: documents.stores }, now);
  const objectsOf = (...urls: string[]) => urls.flatMap((url) => [`${idOf(url)}/copy`, `${idOf(url)}/original`]).sort();
  return { ...service, s3, look, erase, objectsOf };
}

test('stores both contents sealed in the bucket and none in the database, and reads them back', async (t) => {
  const { newOwner, submitted, submit, judge, look, s3, objectsOf, rowCounts, get } = await open(t);
  const file = await picture('jpeg', 900, 700);
  const owner = await newOwner();
  const document = await submitted(owner, { file });
  assert.deepEqual(s3.keys(), objectsOf(document));
  const { pieces, loose } = await rowCounts();
  assert.deepEqual([pieces, loose], [0, 0]);
  for (const key of s3.keys()) {
    const stored = s3.read(key);
    assert.ok(!stored.includes(Buffer.from('JFIF')) && !stored.includes(file.subarray(500, 516)), 'sealed');
  }
  assert.equal(s3.read(`${idOf(document)}/original`).length, file.length + 28);
  assert.equal((await sharp(await look(document)).metadata()).format, 'jpeg');
  assertRefused(await submit(owner, { file }), { status: 400, code: 'DuplicateResource' });
  assert.equal((await judge(document, 'accepted')).status, 201);
  assert.equal((await get(owner)).verificationStatus, 'verified');
  assert.deepEqual(s3.keys(), objectsOf(document), 'the refused upload left nothing');
});

test('a refusal, a repetition and a failed insert leave nothing in the bucket or in loose_content', async (t) => {
  const { newOwner, submit, submitted, s3, rowCounts, objectsOf, sql } = await open(t);
  const [owner, verified] = [await newOwner(), await newOwner({ firstName: 'Ada' })];
  const file = await picture();
  const answers = await Promise.all(Array.from({ length: 4 }, () => submit(owner, { file, key: 'once' })));
  const [document] = answers.map(({ headers }) => headers.location!);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  const nothingMore = async () => {
    assert.deepEqual(s3.keys(), objectsOf(document!));
    assert.equal((await rowCounts()).loose, 0);
  };
  await nothingMore();
  assertRefused(await submit(owner, { file }), { status: 400, code: 'DuplicateResource' });
  assertRefused(await submit(verified, { file }), { status: 403, code: 'InvalidResourceState' });
  await nothingMore();
  await sql`alter table event_outbox add constraint never check (topic not like '%_uploaded') not valid`;
  assertRefused(await submit(owner), { status: 500, code: 'ServerError' });
  await nothingMore();
  await sql`alter table event_outbox drop constraint never`;
  await submitted(owner);
});

test('a start checks the store: one that refuses ends it in one line, and one that is down is logged', async (t) => {
  const s3 = await startDocuments(t);
  const settings = { DATABASE_URL: await makeDatabase(t), MODE: 'sandbox', DATA_DIR: scratch(t), PORT: '0', ...s3.env };
  const wrong: [env: Record<string, string>, reason: RegExp][] = [
    [{ AWS_ACCESS_KEY_ID: 'NOBODY' }, /bucket documents of DOCUMENT_STORE at http\S+ cannot be used: 403 InvalidAccessKeyId\./],
    [{ AWS_SECRET_ACCESS_KEY: 'hush' }, /cannot be used: 403 SignatureDoesNotMatch\. Check its name, AWS_ACCESS_KEY_ID and/],
    [{ DOCUMENT_STORE: s3.env.DOCUMENT_STORE.replace(BUCKET, 'none') }, /bucket none .* cannot be used: 404 NoSuchBucket\./],
  ];
  for (const [env, reason] of wrong) {
    const ended = await runCli(t, ['serve'], { ...settings, ...env });
    assertOneLine(ended, reason);
    assert.doesNotMatch(ended.stderr, /hush/);
  }
  assert.deepEqual(s3.keys(), [], 'the check leaves nothing');
  await s3.stop();
  const { printed } = await serve(t, settings);
  await printed(/ECONNREFUSED.*"msg":"DOCUMENT_STORE does not respond: uploads get 503 until it does"/);
});

test('while the store is down, uploads are refused with 503, other requests are served, and leftovers are swept later', async (t) => {
  const { newOwner, submit, submitted, s3, rowCounts, get, erase, objectsOf, logs } = await open(t);
  const owner = await newOwner();
  const first = await submitted(owner);
  await s3.stop();
  const refused = await submit(owner);
  assertRefused(refused, { status: 503, code: 'ServiceUnavailable' });
  assert.ok(refused.headers['retry-after']);
  assert.ok(logs.some((line) => line.includes('document store failed')));
  assert.equal((await get(`${owner}/documents`)).total, 1);
  assert.equal((await rowCounts()).loose, 1, 'listed, as it is unknown what the store has');
  await s3.start();
  assert.deepEqual(await erase(new Date()), { erased: 0, swept: 1 });
  assert.equal((await rowCounts()).loose, 0);
  assert.deepEqual(s3.keys(), objectsOf(first));
  await submitted(owner);
});

test('sweeps after an hour what a process left that died between store and row, and nothing in flight', async (t) => {
  const { newOwner, submitted, s3, service, rowCounts, erase, objectsOf } = await open(t);
  const document = await submitted(await newOwner());
  const stray = '01890000-0000-7abc-8000-000000000000';
  await service.documents.stores.current.keep(stray, { original: Buffer.from('o'), copy: Buffer.from('c') });
  assert.deepEqual(s3.keys(), objectsOf(document, stray));
  assert.deepEqual(await erase(new Date()), { erased: 0, swept: 0 });
  assert.deepEqual(await erase(new Date(Date.now() + 59 * 60_000)), { erased: 0, swept: 0 });
  assert.deepEqual(await erase(new Date(Date.now() + 61 * 60_000)), { erased: 0, swept: 1 });
  assert.deepEqual(s3.keys(), objectsOf(document));
  assert.equal((await rowCounts()).loose, 0);
});

test('does not commit an upload that was swept in the meantime', async (t) => {
  const { newOwner, submit, s3, service, erase, rowCounts, sql } = await open(t);
  const owner = await newOwner();
  const store = service.documents.stores.current;
  const { keep } = store;
  store.keep = async (...args) => {
    const made = await keep(...args);
    await erase(new Date(Date.now() + 2 * 3_600_000));
    return made;
  };
  assertRefused(await submit(owner), { status: 503, code: 'ServiceUnavailable' });
  const { documents, loose } = await rowCounts();
  assert.deepEqual([documents, loose, s3.keys()], [0, 0, []]);
  // Or is about to be swept.
  store.keep = async (...args) => {
    const made = await keep(...args);
    await sql`update loose_content set doomed = true`;
    return made;
  };
  assertRefused(await submit(owner), { status: 503, code: 'ServiceUnavailable' });
  assert.deepEqual([(await rowCounts()).documents, s3.keys()], [0, []]);
});

test('does not delete committed content when the outcome of the commit was unknown', async (t) => {
  const { newOwner, submitted, s3, service, objectsOf, look } = await open(t);
  const store = service.documents.stores.current;
  const { keep } = store;
  let release: (() => Promise<void>) | undefined;
  store.keep = async (...args) => {
    const made = await keep(...args);
    release = made.release;
    return made;
  };
  const document = await submitted(await newOwner());
  await release!();
  assert.deepEqual(s3.keys(), objectsOf(document));
  assert.ok(await look(document));
});

test('erasure deletes the key immediately, and the objects once the store is reachable', async (t) => {
  const { newOwner, submitted, judge, s3, erase, look, rowCounts, objectsOf } = await open(t, { DOCUMENT_RETENTION_DAYS: '1' });
  const owner = await newOwner();
  const [one, two, three] = [await submitted(owner), await submitted(owner), await submitted(owner)];
  await judge(one, 'rejected', ['ScanIdExpired']);
  assert.deepEqual(await erase(new Date(Date.now() + 2 * DAY_MS)), { erased: 1, swept: 1 });
  assert.deepEqual(s3.keys(), objectsOf(two, three));
  assert.equal(await look(one), undefined);

  await judge(two, 'rejected', ['ScanIdExpired']);
  await s3.stop();
  await assert.rejects(erase(new Date(Date.now() + 2 * DAY_MS)));
  assert.equal(await look(two), undefined, 'the key is deleted even while the store is down');
  await s3.start();
  assert.deepEqual(await erase(new Date()), { erased: 0, swept: 1 });
  assert.deepEqual(s3.keys(), objectsOf(three));
  assert.equal((await rowCounts()).loose, 0);
});

test('documents erase deletes the objects, and leaves them to the job while the store is down', async (t) => {
  const service = await open(t);
  const { newOwner, submitted, look, s3, erase, objectsOf } = service;
  const owner = await newOwner();
  const [first, second] = [await submitted(owner), await submitted(owner)];
  const run = (id: string) => runCli(t, ['documents', 'erase', id, '--yes'], { ...settingsOf(service), ...s3.env });
  assert.match((await run(idOf(first))).stdout, /erased +1/);
  assert.deepEqual(s3.keys(), objectsOf(second));
  await s3.stop();
  assert.match((await run(idOf(second))).stdout, /erased +1/);
  assert.equal(await look(second), undefined);
  await s3.start();
  assert.deepEqual(await erase(new Date()), { erased: 0, swept: 1 });
  assert.deepEqual(s3.keys(), []);
});

test('a service that moved to the store still reads contents in the database, and reports when the store is not configured', async (t) => {
  const before = await openUploads(t);
  const owner = await before.newOwner();
  const old = await before.submitted(owner);
  const s3 = await startDocuments(t);
  const after = await startService(t, { env: { ...s3.env, PUBLIC_URL: before.url }, beside: before });
  const { database, sealer, documents } = after.service;
  const tools = { database, sealer, stores: documents.stores };
  assert.ok(await viewCopy(tools, (await findDocument(database.sql, idOf(old)))!, viewer, new Date()));
  const show = (id: string, env: Record<string, string>) =>
    runCli(t, ['review', 'show', id, '--file', '-'], { ...settingsOf(before), ...env });
  await database.sql`update document set store = 's3' where id = ${idOf(old)}`;
  const lost = await show(idOf(old), {});
  assert.deepEqual([lost.code, lost.stderr], [1, 'This document is stored in S3. Set DOCUMENT_STORE to that bucket.\n']);
});

test('refuses an object that was changed or swapped with another', async (t) => {
  const { newOwner, submitted, look, service } = await open(t);
  const owner = await newOwner();
  const [one, two] = [await submitted(owner), await submitted(owner)];
  const store = service.documents.stores.current;
  const { read } = store;
  store.read = () => read(idOf(two), 'copy');
  await assert.rejects(look(one), /was changed, or belongs to another record/);
  assert.ok(await look(two));
});

test('answers 503 to uploads when the store refuses the secret', async (t) => {
  const s3 = await startDocuments(t);
  // A start that the store answers would be refused.
  await s3.stop();
  const env = { ...s3.env, AWS_SECRET_ACCESS_KEY: 'wrong' };
  const { newOwner, submit, logs } = await openUploads(t, { env, processes: 1 });
  await s3.start();
  assertRefused(await submit(await newOwner()), { status: 503, code: 'ServiceUnavailable' });
  await waitUntil('the failure is logged', async () => logs.some((line) => line.includes('SignatureDoesNotMatch')));
  assert.ok(!logs.some((line) => line.includes('"wrong"')));
});

test('validates the settings of the store without repeating secrets', () => {
  const read = (DOCUMENT_STORE: string, more: Record<string, string> = CREDENTIALS) =>
    readConfig({ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', ...more, DOCUMENT_STORE }).documentStore;
  assert.deepEqual(read('postgresql'), { kind: 'postgresql' });
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  assert.deepEqual(read('s3://pictures?region=eu-west-1'), {
    kind: 's3',
    bucket: 'pictures',
    region: 'eu-west-1',
    endpoint: 'https://s3.eu-west-1.amazonaws.com',
    ...credentials,
  });
  for (const wrong of ['s3', 'file:///tmp', 's3://', 's3://b/prefix', 's3://b?endpoint=host', 's3://b?endpoint=http://h/path']) {
    assert.throws(
      () => read(wrong),
      (error) => error instanceof ConfigError && error.message.startsWith('DOCUMENT_STORE must be'),
    );
  }
  assert.throws(() => read('s3://b', { AWS_ACCESS_KEY_ID: 'id' }), /needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/);
});
