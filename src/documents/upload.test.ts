// Tests of uploads over HTTP: multipart parsing, refused files, limits, and cleanup.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { assertRefused, HAL, idOf } from '../../test/support/http.ts';
import { contentType, filePart, type MultipartOptions, multipart, type Part, typePart } from '../../test/support/multipart.ts';
import { animated, blankPng, picture } from '../../test/support/pictures.ts';
import { sendRaw } from '../../test/support/raw-http.ts';
import { openUploads } from '../../test/support/uploads.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { SCOPES } from '../oauth/application.ts';
import type { Service } from '../service.ts';
import { openDecoder } from './decoder.ts';
import { findDocument } from './document.ts';
import { contentContext } from './facts.ts';
import { MAX_FILE_BYTES } from './upload.ts';

const bad = { status: 400, code: 'BadRequest', message: 'The request body contains bad syntax or is incomplete.' };

// Shared by all tests of the file; each creates its own owners.
const shared = open(await openUploads({ after }));

/** Functions that open the stored contents of a document. */
function open(service: Awaited<ReturnType<typeof openUploads>>) {
  const { documents, database, sealer } = service.service;
  const copyOf = async (url: string) => {
    const document = (await findDocument(database.sql, idOf(url)))!;
    const content = (await documents.stores.of(document).readCopy(document.id))!;
    return sealer.openContent({ wrappedKey: document.copyKey!, content }, contentContext(document, 'copy'));
  };
  const originalOf = async (url: string) => {
    const document = (await findDocument(database.sql, idOf(url)))!;
    const [{ key } = { key: Buffer.alloc(0) }] = await service.sql<{ key: Buffer }>`
      select original_key as key from document where id = ${document.id}`;
    const pieces = await service.sql<{ content: Buffer }>`
      select content from document_content where document_id = ${document.id} and purpose = 'original' order by place`;
    const content = Buffer.concat(pieces.map((piece) => piece.content));
    return sealer.openContent({ wrappedKey: key, content }, contentContext(document, 'original'));
  };
  return { ...service, copyOf, originalOf };
}

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

test('reads every valid form of a multipart body', async () => {
  const { newOwner, submitted, get } = shared;
  const file = await picture();
  const ways: [what: string, parts: Part[], written: MultipartOptions][] = [
    ['type, file', [typePart(), filePart(file)], {}],
    ['file, type', [filePart(file), typePart()], {}],
    ['names without quotes', [typePart(), filePart(file)], { quoteNames: false }],
    ['quoted boundary', [typePart(), filePart(file)], { quoteBoundary: true, boundary: 'a boundary: with (specials)' }],
    ['boundary of dashes', [typePart(), filePart(file)], { boundary: '--------------------------1234' }],
    ['a file without a name', [typePart(), { name: 'file', value: file }], {}],
    ['a file of another type', [typePart(), filePart(file, { type: 'application/octet-stream', fileName: '../../x.exe' })], {}],
    ['a type part with a content type', [{ ...typePart(), type: 'text/plain; charset=utf-8' }, filePart(file)], {}],
    [
      'a type part that calls itself a file',
      [{ ...typePart(), fileName: 'blob', type: 'application/octet-stream' }, filePart(file)],
      {},
    ],
    ['more members', [{ name: 'note', value: 'x' }, typePart(), { name: 'type', value: 'y' }, filePart(file)], {}],
  ];
  for (const [what, parts, written] of ways) {
    const owner = await newOwner();
    const document = await get(await submitted(owner, { parts, ...written }));
    assert.equal(document.type, 'passport', what);
  }
});

test('reads a chunked body without Content-Length, split at every byte around its boundaries', async () => {
  const { newOwner, port, token, get, originalOf } = shared;
  const owner = await newOwner();
  const file = await picture('png');
  const body = multipart([typePart('license'), filePart(file)]);
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = at < 300 || at > body.length - 100 ? 1 : 4096;
    pieces.push(body.subarray(at, at + size));
    at += size;
  }
  const chunked = pieces.flatMap((piece) => [`${piece.length.toString(16)}\r\n`, piece, '\r\n']);
  const head = [
    `POST ${new URL(owner).pathname}/documents HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${contentType()}`,
    'Transfer-Encoding: chunked',
  ];
  const answer = await sendRaw(port, head, [...chunked, '0\r\n\r\n']);
  assert.match(answer, /^HTTP\/1\.1 201 /);
  const [document] = (await get(`${owner}/documents`))._embedded.documents;
  assert.equal(document.type, 'license');
  assert.deepEqual(await originalOf(document._links.self.href), file);
});

test('refuses missing, duplicate and malformed parts, and writes nothing', async () => {
  const { newOwner, submit, call, rowCounts } = shared;
  const owner = await newOwner();
  const file = filePart(await picture());
  const before = await rowCounts();
  const cases: [what: string, parts: Part[], written?: MultipartOptions][] = [
    ['nothing', []],
    ['no file', [typePart()]],
    ['no type', [file]],
    ['two files', [typePart(), file, file]],
    ['a second file of another name', [typePart(), file, { ...file, name: 'back' }]],
    ['the file under another name', [typePart(), { ...file, name: 'scan' }]],
    ['two types', [typePart(), typePart(), file]],
    ['no end', [typePart(), file], { end: false }],
  ];
  for (const [what, parts, written] of cases) {
    const answer = await submit(owner, { parts, ...written });
    assert.equal(answer.status, 400, `${what}: ${answer.text}`);
    assertRefused(answer, bad);
  }
  for (const value of ['visa', 'Passport', '', ' passport', 'x'.repeat(5000)]) {
    assertRefused(await submit(owner, { parts: [typePart(value), file] }), {
      status: 400,
      code: 'ValidationError',
      fault: 'Invalid',
      path: '/documentType',
      message: 'Document type must be one of passport, license, idCard, other.',
    });
  }
  const raw = multipart([typePart(), file]);
  const send = (type: string, body: Buffer | string = raw) =>
    call('POST', `${owner}/documents`, { raw: body, headers: { 'content-type': type } });
  assertRefused(await send('multipart/form-data'), bad);
  assertRefused(await send('multipart/form-data; boundary=other'), bad);
  assertRefused(await send(contentType(), 'no parts at all'), bad);
  for (const type of [
    HAL,
    'application/json',
    'multipart/mixed; boundary=x',
    'image/jpeg',
    'application/x-www-form-urlencoded',
  ]) {
    assertRefused(await send(type, '{}'), { status: 415, code: 'UnsupportedRequestContentType' });
  }
  assertRefused(await call('POST', `${owner}/documents`), bad);
  assertRefused(
    await call('POST', `${owner}/documents`, { headers: { 'content-type': 'text/plain', 'content-length': '0' } }),
    bad,
  );
  assertRefused(await call('POST', '/label-reallocations', { raw, headers: { 'content-type': contentType() } }), {
    status: 415,
    code: 'UnsupportedRequestContentType',
  });
  assert.deepEqual(await rowCounts(), before);
});

test('accepts ten mebibytes and refuses one byte more, with or without Content-Length', async () => {
  const { newOwner, submit, submitted, rowCounts, port, token, originalOf } = shared;
  const owner = await newOwner();
  const small = await picture();
  const sized = (bytes: number) => Buffer.concat([small, Buffer.alloc(bytes - small.length)]);
  const largest = sized(MAX_FILE_BYTES);
  assert.ok((await originalOf(await submitted(owner, { file: largest }))).equals(largest));
  const before = await rowCounts();
  const refused = { status: 413, code: 'FileTooLarge', message: 'The file is larger than 10 MiB.' };
  assertRefused(await submit(owner, { file: sized(MAX_FILE_BYTES + 1) }), refused);
  assertRefused(await submit(owner, { file: sized(MAX_FILE_BYTES * 2) }), refused);
  const head = [
    `POST ${new URL(owner).pathname}/documents HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${contentType()}`,
  ];
  const declared = await sendRaw(port, [...head, `Content-Length: ${100 * MAX_FILE_BYTES}`], []);
  assert.match(declared, /^HTTP\/1\.1 413 [\s\S]*"FileTooLarge"/, 'refused before the body');
  const body = multipart([typePart(), filePart(Buffer.alloc(MAX_FILE_BYTES + 1, 7))], { end: false });
  const endless = await sendRaw(port, [...head, 'Transfer-Encoding: chunked'], [`${body.length.toString(16)}\r\n`, body, '\r\n']);
  assert.match(endless, /^HTTP\/1\.1 413 [\s\S]*"FileTooLarge"/, 'refused before the end');
  assert.deepEqual(await rowCounts(), before);
});

test('detects the type from the first bytes, and refuses a file that does not decode completely', async () => {
  const { newOwner, submit, submitted, rowCounts } = shared;
  const owner = await newOwner();
  const [jpeg, png] = [await picture('jpeg', 1000, 800), await picture('png', 1000, 800)];
  const before = await rowCounts();
  const type = { status: 400, code: 'InvalidFileType' };
  const damaged = { status: 400, code: 'BadFile' };
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>');
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const cases: [what: string, file: Buffer, refused: { status: number; code: string }, documentType?: string][] = [
    ['empty', Buffer.alloc(0), type],
    ['SVG', svg, type],
    ['SVG as other', svg, type, 'other'],
    ['GIF', gif, type],
    ['text', Buffer.from('hello'), type],
    ['PDF as passport', Buffer.from('%PDF-1.7\n1 0 obj\n%%EOF\n'), type],
    ['something before the picture', Buffer.concat([Buffer.from(' '), jpeg]), type],
    ['JPEG cut in the middle', jpeg.subarray(0, jpeg.length / 2), damaged],
    ['JPEG cut near its end', jpeg.subarray(0, jpeg.length - 500), damaged],
    ['PNG cut in the middle', png.subarray(0, png.length / 2), damaged],
    ['the signature only', jpeg.subarray(0, 3), damaged],
    ['a signature with nonsense behind it', Buffer.concat([png.subarray(0, 8), Buffer.alloc(1000, 1)]), damaged],
    ['decompression bomb', blankPng(20_000, 20_000), damaged],
    ['just too many pixels', blankPng(8000, 5001), damaged],
    ['a side too long', blankPng(12_001, 1), damaged],
    ['the other side too long', blankPng(1, 12_001), damaged],
    ['animated PNG', animated(png), damaged],
    ['PDF cut', Buffer.from('%PDF-1.7\n1 0 obj\n'), damaged, 'other'],
  ];
  for (const [what, file, refused, documentType = 'passport'] of cases) {
    const answer = await submit(owner, { file, documentType });
    assert.equal(answer.status, 400, `${what}: ${answer.text}`);
    assert.equal(answer.body.code, refused.code, what);
  }
  assert.deepEqual(await rowCounts(), before);
  await submitted(owner, { file: png });
  await submitted(owner, { file: blankPng(8000, 5000) });
  await submitted(owner, { file: blankPng(1, 12_000) });
  await submitted(owner, { documentType: 'other', file: Buffer.from('%PDF-1.7\n1 0 obj\n%%EOF\n') });
});

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
  const decoder = openDecoder();
  t.after(decoder.close);
  for (const file of [svg, gif]) assert.equal(await decoder.decode(file), undefined);
  assert.ok(await decoder.decode(await picture()));
});

test('kills a decoder that does not answer in time, and decodes the next picture in another', async () => {
  const { newOwner, submit, submitted, rowCounts } = shared;
  const owner = await newOwner();
  await submitted(owner);
  const before = await rowCounts();
  const stuck = await decoders();
  assert.ok(stuck.length > 0);
  // As in the middle of a picture: only killing the process stops it.
  for (const pid of stuck) process.kill(pid, 'SIGSTOP');
  const answers = await Promise.all(stuck.map(() => submit(owner)));
  for (const answer of answers) assertRefused(answer, { status: 400, code: 'BadFile' });
  await waitUntil('the stuck processes are gone', async () => !(await decoders()).some((pid) => stuck.includes(pid)));
  assert.deepEqual(await rowCounts(), before);
  await submitted(owner);
});

test('accounts share the decoders fairly: ten slow pictures of one do not delay another, and excess uploads get 503', async () => {
  const { newOwner, submit, newPlatform, service } = shared;
  const { token } = await newPlatform();
  const [mine, other] = [await newOwner(), await newOwner({}, { token })];
  const [slow, small] = [blankPng(8000, 5000), await picture('png', 8, 8)];
  const { pictures } = service.documents;
  const { clean } = pictures;
  let begun = 0;
  pictures.clean = (...args) => {
    begun++;
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

test('keeps the original unchanged; the copy is upright, small, and without metadata or trailing bytes', async () => {
  const { newOwner, submitted, copyOf, originalOf } = shared;
  const tail = '<script>alert("polyglot")</script>PK\x03\x04';
  const place = '52/1 31/1 12/1';
  // The left half is red and the orientation is a 90 degree turn, so upright has red on top.
  const left = await sharp({ create: { width: 100, height: 100, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const picture = await sharp({ create: { width: 200, height: 100, channels: 3, background: 'blue' } })
    .composite([{ input: left, left: 0, top: 0 }])
    .withExif({ IFD0: { Copyright: 'Ada Example', Orientation: '6' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: place } })
    .jpeg()
    .toBuffer();
  const file = Buffer.concat([
    await sharp(picture).keepExif().withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    Buffer.from(tail),
  ]);
  assert.ok(
    file.includes('Ada Example') && (await sharp(file).metadata()).orientation === 6,
    'the picture says what it should lose',
  );

  const document = await submitted(await newOwner(), {
    file,
    parts: [typePart('idCard'), filePart(file, { fileName: 'Ada.png' })],
  });
  assert.deepEqual(await originalOf(document), file);
  const copy = await copyOf(document);
  const { exif, iptc, xmp, icc, orientation, format, width, height } = await sharp(copy).metadata();
  assert.deepEqual(
    { exif, iptc, xmp, icc, orientation },
    { exif: undefined, iptc: undefined, xmp: undefined, icc: undefined, orientation: undefined },
  );
  assert.deepEqual({ format, width, height }, { format: 'jpeg', width: 100, height: 200 });
  for (const lost of ['Ada', 'Exif', 'script', 'PK\x03\x04']) assert.ok(!copy.includes(lost), lost);
  const colourAt = async (left: number, top: number) =>
    [...(await sharp(copy).extract({ left, top, width: 1, height: 1 }).raw().toBuffer())].map((value) => Math.round(value / 255));
  assert.deepEqual(
    [await colourAt(50, 20), await colourAt(50, 180)],
    [
      [1, 0, 0],
      [0, 0, 1],
    ],
  );

  const large = await submitted(await newOwner(), { file: blankPng(6000, 3000) });
  const { width: least, height: less } = await sharp(await copyOf(large)).metadata();
  assert.deepEqual([least, less], [2400, 1200]);

  const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n%%EOF');
  const other = await submitted(await newOwner(), { documentType: 'other', file: Buffer.concat([pdf, Buffer.from(tail)]) });
  assert.deepEqual(await copyOf(other), pdf);
});

test('treats a PNG named .jpg as a PNG', async () => {
  const { newOwner, submitted, originalOf } = shared;
  const file = await picture('png');
  const document = await submitted(await newOwner(), {
    parts: [typePart(), filePart(file, { fileName: 'scan.jpg', type: 'image/jpeg' })],
  });
  assert.deepEqual(await originalOf(document), file);
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
  const cut = waitUntil('the request waits for the lock', async () => {
    const waiting = await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length > 0;
  });
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
  const { newOwner, submit, submitted, port, token, url, client, newClient } = shared;
  const owner = await newOwner();
  const sockets: Socket[] = [];
  const begin = (token: string, uploads: number) => {
    for (const head = [...headOf(owner, token), 'Content-Length: 1000000', '', '--x'].join('\r\n'); uploads > 0; uploads--)
      sockets.push(
        connect({ port, host: '127.0.0.1' }, function (this: Socket) {
          this.write(head);
        }).on('error', () => {}),
      );
  };
  const refusedWith = (status: number, token: string) =>
    waitUntil(`an upload is refused with ${status}`, async () => {
      const answer = await submit(owner, { documentType: 'wrong', token });
      return answer.status === status && answer;
    });
  begin(token, 20);
  assert.equal((await refusedWith(429, token)).body.code, 'TooManyRequests');
  for (const uploads of [5, 3, 1, 1]) {
    const other = await newClient(SCOPES, client.account_id);
    assert.equal(
      (await submit(owner, { documentType: 'wrong', token: other.token })).status,
      400,
      'another application gets a slot',
    );
    begin(other.token, uploads);
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

/** The processes that decode pictures for this one. */
async function decoders(): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]);
  return [...stdout.matchAll(/^ *(\d+) .*decode-process/gm)].map(([, pid]) => Number(pid));
}

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
