// Pictures made with sharp, multipart bodies made by hand, and a service with owners and customers that need documents.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { type Answer, type Body, customerForm, type Ending, startService } from './harness.ts';
import { assertNothingSealed } from './sealed-values.ts';

export type Part = { name: string; value: string | Buffer; fileName?: string; type?: string };
export type Parted = { boundary?: string; quoteBoundary?: boolean; quoteNames?: boolean; end?: boolean };
type Upload = { documentType?: string; file?: Buffer; parts?: Part[]; key?: string; token?: string } & Parted;

const BOUNDARY = 'between-the-parts';

/** A new picture each time, so that no two are the same content. */
export async function picture(format: 'jpeg' | 'png' = 'jpeg', width = 320, height = 200): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 };
  const image = sharp({ create: { width, height, channels: 3, background: 'white', noise } });
  return format === 'jpeg' ? image.jpeg().toBuffer() : image.png().toBuffer();
}

/** A PNG of one colour of which only the header tells the size: a decompression bomb when it is large. */
export function blankPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const row = Math.ceil(width / 8) + 1;
  return Buffer.concat([PNG, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(row * height))), chunk('IEND')]);
}

/** A PNG that takes longer to decode than any other of its size: 16 bits for each of four channels, in seven passes (Adam7). */
export function slowPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([16, 6, 0, 0, 1], 8);
  const passes = [
    [0, 8, 0, 8],
    [4, 8, 0, 8],
    [0, 4, 4, 8],
    [2, 4, 0, 4],
    [0, 2, 2, 4],
    [1, 2, 0, 2],
    [0, 1, 1, 2],
  ] as const;
  const sizes = passes.map(([left, right, top, down]) => {
    const [columns, rows] = [Math.ceil((width - left) / right), Math.ceil((height - top) / down)];
    return columns === 0 ? 0 : rows * (1 + columns * 8);
  });
  const data = deflateSync(Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0)));
  return Buffer.concat([PNG, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND')]);
}

/** The same PNG with an animation control chunk, which makes it an APNG. */
export function animated(png: Buffer): Buffer {
  const control = Buffer.alloc(8);
  control.writeUInt32BE(2);
  const afterHeader = 8 + 25;
  return Buffer.concat([png.subarray(0, afterHeader), chunk('acTL', control), png.subarray(afterHeader)]);
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

/** A multipart body, as RFC 7578 has it or a little beside it. */
export function multipart(parts: Part[], { boundary = BOUNDARY, quoteNames = true, end = true }: Parted = {}): Buffer {
  const named = (value: string) => (quoteNames ? `"${value}"` : value);
  const pieces = parts.flatMap(({ name, value, fileName, type }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name=${named(name)}${fileName === undefined ? '' : `; filename=${named(fileName)}`}\r\n`,
    `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    value,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, ...(end ? [`--${boundary}--\r\n`] : [])].map((piece) => Buffer.from(piece)));
}

export const contentType = ({ boundary = BOUNDARY, quoteBoundary = false }: Parted = {}) =>
  `multipart/form-data; boundary=${quoteBoundary ? `"${boundary}"` : boundary}`;

export const typePart = (value = 'passport'): Part => ({ name: 'documentType', value });
export const filePart = (value: Buffer, more: Partial<Part> = {}): Part => ({
  name: 'file',
  value,
  fileName: 'scan.jpg',
  type: 'image/jpeg',
  ...more,
});

export const idOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);

/** A service with makers of what needs a document. */
export async function openUploads(t: Ending, settings: Parameters<typeof startService>[1] = {}) {
  // The scripted checker stays out of the way unless a test is about it.
  const service = await startService(t, { ...settings, env: { SANDBOX_REVIEW_DELAY_MS: '86400000', ...settings.env } });
  const { call } = service;
  const post = async (path: string, body: unknown, token?: string): Promise<string> => {
    const answer = await call('POST', path, { body, ...(token && { token }) });
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.location!;
  };
  const newCustomer = (form: Record<string, unknown> = {}, token?: string) =>
    post('/customers', { ...customerForm(), ...form }, token);
  const business = await newCustomer();
  const address = {
    address1: '1 Main Street',
    city: 'Springfield',
    stateProvinceRegion: 'IL',
    country: 'US',
    postalCode: '62701',
  };
  const ownerForm = { lastName: 'Example', dateOfBirth: '1979-11-30', ssn: '912-65-4329', address };

  /** An owner that needs a document, of a business of its own unless one is named. */
  const newOwner = async (form: Record<string, unknown> = {}, options: { customer?: string; token?: string } = {}) =>
    post(
      `${options.customer ?? (await newCustomer({}, options.token))}/beneficial-owners`,
      { firstName: 'document', ...ownerForm, ...form },
      options.token,
    );
  const submit = async (whose: string, upload: Upload = {}): Promise<Answer> => {
    const {
      documentType = 'passport',
      file = await picture(),
      parts = [typePart(documentType), filePart(file)],
      key,
      token,
    } = upload;
    return call('POST', `${whose}/documents`, {
      raw: multipart(parts, upload),
      headers: { 'content-type': contentType(upload) },
      ...(key !== undefined && { key }),
      ...(token !== undefined && { token }),
    });
  };
  const submitted = async (whose: string, upload: Upload = {}): Promise<string> => {
    const answer = await submit(whose, upload);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.text, '');
    return answer.headers.location!;
  };
  const get = async (path: string): Promise<Body> => {
    const answer = await call('GET', path);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const judge = (
    document: string,
    decision: string,
    reasons?: string[],
    options: { note?: string; token?: string; key?: string } = {},
  ) => {
    const { note, ...rest } = options;
    return call('POST', `${document}/reviews`, {
      body: { decision, ...(reasons && { reasons }), ...(note && { note }) },
      ...rest,
    });
  };
  /** Everything of documents that was written down; an upload that is refused leaves it as it was. */
  const kept = async () => {
    const [row] = await service.sql<Body>`
      select (select count(*)::int from document) as documents, (select count(*)::int from document_content) as pieces,
        (select count(*)::int from loose_content) as loose, (select count(*)::int from document_review) as reviews,
        (select count(*)::int from event) as events, (select count(*)::int from idempotency_key) as keys`;
    return row;
  };
  const topics = async (resource: string): Promise<string[]> => {
    const rows = await service.sql<{ topic: string }>`select topic from event where resource_id = ${idOf(resource)} order by id`;
    return rows.map((row) => row.topic);
  };
  return { ...service, business, newCustomer, newOwner, submit, submitted, get, judge, kept, topics };
}

/** Waits until something is so; fails after a while. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  const begin = performance.now();
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    assert.ok(performance.now() - begin < 15_000, 'it never came to be');
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

/** Sends raw bytes over a socket of its own and gives all that came back; `cut` breaks the connection when it says so. */
export async function sendRaw(
  port: number,
  head: string[],
  pieces: (Buffer | string)[],
  options: { cut?: Promise<unknown> } = {},
): Promise<string> {
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' }, async () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      for (const piece of pieces) await new Promise<void>((sent) => socket.write(piece, () => sent()));
      await options.cut?.then(() => socket.resetAndDestroy());
    });
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data;
      if (/\r\n\r\n[\s\S]*\}$|content-length: 0\r\n[\s\S]*\r\n\r\n$/i.test(text)) socket.destroy();
    });
    socket.on('close', () => resolve(text)).on('error', (error) => (options.cut || text ? resolve(text) : reject(error)));
  });
  assertNothingSealed(answer);
  return answer;
}
