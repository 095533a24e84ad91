// Tests of the limits of uploads: decoders, concurrency, broken connections and time.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { assertRefused } from '../../../test/support/http.ts';
import { untilWaiting } from '../../../test/support/locks.ts';
import { contentType, filePart, multipart, typePart } from '../../../test/support/multipart.ts';
import { blankPng, picture } from '../../../test/support/pictures.ts';
import { sendRaw } from '../../../test/support/raw-http.ts';
import { withContents } from '../../../test/support/upload-contents.ts';
import { openUploads } from '../../../test/support/uploads.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import type { Service } from '../../apps/service/service.ts';
import { SCOPES } from '../oauth/scope.ts';
import type { Decoded, DecodeTask } from './decode-process.ts';
import { DECODE_PROGRAM } from './picture.ts';
import { openProcessPool } from './process-pool.ts';
import { MAX_FILE_BYTES } from './upload.ts';

// Shared by all tests of the file; each creates its own owners.
// Decoders and upload slots are of one process.
const shared = withContents(await openUploads({ after }, { processes: 1 }));

/** Counts the uploads that started and ended. */
function watchPlaces({ documents }: Service) {
  const places = { taken: 0, left: 0 };
  const { enter } = documents;
  documents.enter = (applicationId) => {
    const leave = enter(applicationId);
    places.taken++;
    return () => {
      places.left++;
      leave();
    };
  };
  return places;
}

test('decodes pictures off the main thread, with the loaders of JPEG and PNG only', async (t) => {
  const { newOwner, submit, send, service } = shared;
  const { pictures } = service.documents;
  const { clean } = pictures;
  let isDecoding = false;
  pictures.clean = async (...args) => {
    isDecoding = true;
    return clean(...args).finally(() => {
      isDecoding = false;
    });
  };
  const upload = submit(await newOwner(), { file: blankPng(8000, 5000) });
  await waitUntil('a picture is being decoded', async () => isDecoding);
  // A decoder on the main thread would leave no time for these requests.
  let answered = 0;
  for (; isDecoding; answered++) assert.equal((await send('GET', '/health/live')).status, 200);
  pictures.clean = clean;
  assert.equal((await upload).status, 201);
  assert.ok(answered >= 3, `${answered} answers while it was decoded`);

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>');
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const decoder = openProcessPool<DecodeTask, Decoded | undefined>(DECODE_PROGRAM);
  t.after(decoder.close);
  for (const file of [svg, gif]) assert.deepEqual(await decoder.run({ picture: file }), { state: 'done', result: undefined });
  const decoded = await decoder.run({ picture: await picture() });
  assert.ok(decoded.state === 'done' && decoded.result?.copy);
});

test('accounts share the decoders fairly: ten slow pictures of one do not delay another, and excess uploads get 503', async () => {
  const { newOwner, submit, newPlatform, service } = shared;
  const { token } = await newPlatform();
  const [mine, other] = [await newOwner(), await newOwner({}, { token })];
  const [slow, small] = [blankPng(8000, 5000), await picture('png', 8, 8)];
  const { pictures } = service.documents;
  const { clean } = pictures;
  let begun = 0;
  const { promise: allBegun, resolve: start } = Promise.withResolvers<void>();
  pictures.clean = async (...args) => {
    if (++begun === 10) start();
    await allBegun;
    return clean(...args);
  };
  let ended = 0;
  const uploads = Array.from({ length: 10 }, () => submit(mine, { file: slow }).finally(() => ended++));
  await waitUntil('all uploads have begun', async () => begun === 10);
  pictures.clean = clean;
  const [answer, endedBefore] = [await submit(other, { file: small, token }), ended];
  assert.equal(answer.status, 201, answer.text);
  // Two are refused immediately, and two or three may have been decoded.
  assert.ok(endedBefore <= 5, `${endedBefore} of ten came first`);
  const refused = (await Promise.all(uploads)).filter(({ status }) => status === 503);
  assert.equal(refused.length, 2);
  for (const { headers, body } of refused) assert.ok(headers['retry-after'] && body.code === 'ServiceUnavailable');
});

test('refuses a decompression bomb before decoding it', async () => {
  const { newOwner, submit } = shared;
  const owner = await newOwner();
  const file = blankPng(30_000, 30_000);
  const before = process.memoryUsage.rss();
  assertRefused(await submit(owner, { file }), { status: 400, code: 'BadFile' });
  assert.ok(process.memoryUsage.rss() - before < 100 * 1024 * 1024, 'the bomb was not decoded in memory');
});

test('an upload whose connection breaks leaves nothing behind', async () => {
  const { newOwner, submitted, rowCounts, port, token, service, sql, send } = shared;
  const owner = await newOwner();
  const body = multipart([typePart(), filePart(await picture('jpeg', 2000, 1500))]);
  const before = await rowCounts();
  const head = [
    `POST ${new URL(owner).pathname}/documents HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${contentType()}`,
    `Content-Length: ${body.length}`,
  ];
  const places = watchPlaces(service);
  for (const length of [0, 100, Math.floor(body.length / 2), body.length - 1]) {
    const begun = places.taken;
    const cut = waitUntil('another upload is received', async () => places.taken > begun);
    await sendRaw(port, head, [body.subarray(0, length)], { cut });
    await waitUntil('every upload has left', async () => places.left === places.taken);
  }
  // Breaks the connection during the lookup of the owner, before the body is read.
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const held = service.database.transaction(async (tx) => {
    await tx`lock table beneficial_owner in access exclusive mode`;
    lock();
    await asked;
  });
  await locked;
  const cut = untilWaiting(sql, 1);
  const begun = places.taken;
  await sendRaw(port, head, [body.subarray(0, 900)], { cut });
  for (let turn = 0; turn < 3; turn++) await send('GET', '/health/live');
  answer();
  await held;
  await waitUntil('another upload is received', async () => places.taken > begun);
  await waitUntil('every upload has left', async () => places.left === places.taken);
  assert.deepEqual(await rowCounts(), before);
  await submitted(owner);
});

test('a failed insert leaves nothing behind', async (t) => {
  const { newOwner, submit, rowCounts, sql } = shared;
  const owner = await newOwner();
  const before = await rowCounts();
  t.after(() => sql`alter table document_content drop constraint never`);
  await sql`alter table document_content add constraint never check (place < 0) not valid`;
  assertRefused(await submit(owner), { status: 500, code: 'ServerError' });
  assert.deepEqual(await rowCounts(), before);
});

test('limits concurrent uploads, and those of one application to half of the free slots; others get 429 or 503', async () => {
  const { newOwner, submit, submitted, port, token, url, client, newClient, service } = shared;
  const owner = await newOwner();
  const places = watchPlaces(service);
  const sockets: Socket[] = [];
  /** Begins uploads, and waits until so many of all have a place: one that a later request takes would leave too few. */
  const begin = async (token: string, uploads: number, held: number) => {
    for (const head = [...headOf(owner, token), 'Content-Length: 1000000', '', '--x'].join('\r\n'); uploads > 0; uploads--)
      sockets.push(
        connect({ port, host: '127.0.0.1' }, function (this: Socket) {
          this.write(head);
        }).on('error', () => {}),
      );
    await waitUntil(`${held} uploads have a place`, () => places.taken - places.left === held);
  };
  const refusedWith = (status: number, token: string) =>
    waitUntil(`an upload is refused with ${status}`, async () => {
      const answer = await submit(owner, { documentType: 'wrong', token });
      return answer.status === status && answer;
    });
  await begin(token, 20, 10);
  assert.equal((await refusedWith(429, token)).body.code, 'TooManyRequests');
  for (const [uploads, held] of [
    [5, 15],
    [3, 18],
    [1, 19],
    [1, 20],
  ] as const) {
    const other = await newClient(SCOPES, client.account_id);
    assert.equal(
      (await submit(owner, { documentType: 'wrong', token: other.token })).status,
      400,
      'another application gets a slot',
    );
    await begin(other.token, uploads, held);
    if (uploads > 1) await refusedWith(429, other.token);
  }
  const refused = await refusedWith(503, token);
  assert.equal(refused.body.code, 'ServiceUnavailable');
  assert.ok(refused.headers['retry-after']);
  assert.ok((await fetch(`${url}/health/live`)).ok, 'other requests are served');
  for (const socket of sockets) socket.destroy();
  await waitUntil('the slot is free again', async () => (await submit(owner, { documentType: 'wrong' })).status === 400);
  await submitted(owner);
});

test('answers 408 to an upload that stalls or trickles, and closes its connection', async (t) => {
  const { newOwner, submitted, rowCounts, port, token, service } = shared;
  const { arrivals } = service.documents;
  const owner = await newOwner();
  const before = await rowCounts();
  const places = watchPlaces(service);
  const head = headOf(owner, token);
  const usualMs = arrivals.limitMs;
  arrivals.limitMs = 200;
  const late =
    /^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*\{"code":"RequestTimeout","message":"The request did not arrive in time\."\}$/;
  const stalled = openSocket(t, port, [...head, 'Content-Length: 1000000'], '--x');
  assert.match(await stalled.closed, late);
  const trickling = openSocket(t, port, [...head, 'Transfer-Encoding: chunked'], '1\r\n-\r\n');
  const timer = setInterval(() => trickling.socket.write('1\r\n-\r\n'), 10);
  t.after(() => clearInterval(timer));
  assert.match(await trickling.closed, late);
  const refused = openSocket(t, port, [...head, `Content-Length: ${100 * MAX_FILE_BYTES}`], '--x');
  assert.match(await refused.closed, /^HTTP\/1\.1 413 /, 'a refused upload does not keep its connection open either');
  await waitUntil('all three uploads have left', async () => places.taken === 3 && places.left === 3);
  assert.deepEqual(await rowCounts(), before);
  arrivals.limitMs = usualMs;
  await submitted(owner);
});

test('a stalled upload does not delay a stop of the service', async (t) => {
  const { newOwner, nowhere, port, token, service, stop } = await openUploads(t, { env: { DRAIN_SECONDS: '1' } });
  service.documents.arrivals.limitMs = 86_400_000;
  const places = watchPlaces(service);
  const owner = await newOwner();
  const { closed } = openSocket(t, port, [...headOf(owner, token), 'Content-Length: 1000000'], '--x');
  const stranger = openSocket(t, port, [...headOf(owner, 'wrong'), 'Content-Length: 1000000'], '--x');
  const lost = openSocket(t, port, [...headOf(nowhere('customer'), token), 'Content-Length: 1000000'], '--x');
  await waitUntil(
    'one upload is received and the other two are refused',
    async () => places.taken === 1 && stranger.came() !== '' && lost.came() !== '',
  );
  await stop();
  assert.match(await closed, /^HTTP\/1\.1 408 /);
  assert.match(await stranger.closed, /^HTTP\/1\.1 401 /);
  assert.match(await lost.closed, /^HTTP\/1\.1 404 /);
  assert.equal(places.left, 1);
});

const headOf = (whose: string, token: string) => [
  `POST ${new URL(whose).pathname}/documents HTTP/1.1`,
  'Host: localhost',
  `Authorization: Bearer ${token}`,
  `Content-Type: ${contentType()}`,
];

/** A connection that sends the start of a request and stays open; `closed` gives the answer once the service closes it. */
function openSocket(t: TestContext, port: number, head: string[], begin: string) {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  socket.setEncoding('latin1').on('data', (data) => {
    text += data;
  });
  socket.on('error', () => {}).write(`${head.join('\r\n')}\r\n\r\n${begin}`);
  t.after(() => void socket.destroy());
  return { socket, closed, came: () => text };
}
