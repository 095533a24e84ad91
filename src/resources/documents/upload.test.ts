// Tests of uploads over HTTP: multipart bodies, refused files and stored contents.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { assertRefused, faultsOf, HAL } from '../../../test/support/http.ts';
import { contentType, filePart, type MultipartOptions, multipart, type Part, typePart } from '../../../test/support/multipart.ts';
import { animated, blankPng, picture } from '../../../test/support/pictures.ts';
import { sendRaw } from '../../../test/support/raw-http.ts';
import { withContents } from '../../../test/support/upload-contents.ts';
import { openUploads } from '../../../test/support/uploads.ts';
import { MAX_FILE_BYTES } from './upload.ts';

const bad = { status: 400, code: 'BadRequest', message: 'The request body contains bad syntax or is incomplete.' };

// Shared by all tests of the file; each creates its own owners.
const shared = withContents(await openUploads({ after }));

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
  const cases: [what: string, parts: Part[], faults: string[], written?: MultipartOptions][] = [
    ['nothing', [], ['Required /documentType', 'Required /file']],
    ['no file', [typePart()], ['Required /file']],
    ['no type', [file], ['Required /documentType']],
    ['two files', [typePart(), file, file], ['Duplicate /file']],
    ['a second file of another name', [typePart(), file, { ...file, name: 'back' }], ['NotAllowed /file']],
    ['the file under another name', [typePart(), { ...file, name: 'scan' }], ['NotAllowed /file']],
    ['two types', [typePart(), typePart(), file], ['Duplicate /documentType']],
    ['no end', [typePart(), file], [], { end: false }],
  ];
  for (const [what, parts, faults, written] of cases) {
    const answer = await submit(owner, { parts, ...written });
    assertRefused(answer, bad);
    assert.deepEqual(answer.body._embedded ? faultsOf(answer) : [], faults, what);
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
