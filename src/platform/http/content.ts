// Response content: compression, entity tags and 304 responses.
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, brotliCompressSync, constants, gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PacedQueue } from './paced-queue.ts';
import { sourceOf } from './source.ts';

const TAG_LENGTH = 27;
/** What a tag ends with if the content is compressed. */
const CODING = /-(?:br|gzip)"$/;
/** Compressing smaller bodies does not save a packet. */
const COMPRESS_OVER_BYTES = 1000;
/** Another thread takes five to ten times the CPU time for a body of 1 kB. One of 100 kB blocks this thread for 0.2 to 0.5 ms. */
const AT_ONCE_BYTES = 100_000;
/** Documents are written in slices, as one large write to a fast reader blocks the event loop for milliseconds. */
const SLICE_BYTES = 64 * 1024;

type Content = {
  body: string | Buffer;
  /** Entity tag of the uncompressed body (RFC 9110 §8.8.3). */
  tag: string | undefined;
  encode(encoding: Encoding): Buffer | Promise<Buffer>;
};
type Done = (error: Error | null, payload?: string | Buffer | null) => void;

/** A document that rarely changes: its tag and compressed forms are cached until its body changes. */
export type Document = { mediaType: string; cached?: { body: string | Buffer; content: Content } };

declare module 'fastify' {
  interface FastifyReply {
    /** The tag that the route chose, instead of that of the body. */
    stateTag: string | undefined;
    /** Sends a document whose current body is `body`. */
    sendDocument(document: Document, body: string | Buffer): FastifyReply;
  }
}

/** Compresses text over 1 kB, and sets the ETag of GET responses except on `plain` routes that are not `tagged`. */
export function useContent(app: FastifyInstance, queue: PacedQueue): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string') {
      // Fastify sets a content type even if the response has no content.
      if (reply.statusCode === 304) reply.removeHeader('content-type');
      return done(null, payload);
    }
    const { plain, tagged } = request.routeOptions.config;
    const isTagged = isRead(request) && reply.statusCode === 200 && (!plain || tagged);
    const content: Content = {
      body: payload,
      tag: isTagged ? (reply.stateTag ?? tagOf(payload)) : undefined,
      encode: (encoding) => compressEach(Buffer.from(payload), encoding),
    };
    select(request, reply, content, done);
  });
  app.decorateReply('stateTag', undefined);
  app.decorateReply('sendDocument', function (document, body) {
    if (document.cached?.body !== body) document.cached = { body, content: makeContent(Buffer.from(body)) };
    const { request } = this.type(document.mediaType);
    select(request, this, document.cached.content, (error, payload) => {
      if (!Buffer.isBuffer(payload) || payload.length <= SLICE_BYTES || request.method === 'HEAD')
        this.send(error ?? payload ?? undefined);
      else this.header('content-length', payload.length).send(slice(payload, (start) => queue.add(sourceOf(request.ip), start)));
    });
    return this;
  });
}

/**
 * Derives the tag of the response from `state`: all that the representation depends on. Sends 304 and returns true if If-None-Match names
 * it: the representation need not be made. `*` and HEAD need it, because the request may be refused, and the length is not known.
 */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, state: string): boolean {
  const tag = tagOf(state);
  reply.stateTag = tag;
  if (request.method !== 'GET') return false;
  const known = namesOf(request.headers['if-none-match']).find((name) => name.replace(CODING, '"') === tag);
  if (known === undefined) return false;
  reply.code(304).header('etag', known).header('vary', 'Accept-Encoding').send();
  return true;
}

function makeContent(body: Buffer): Content {
  const encoded = new Map<Encoding, Promise<Buffer>>();
  return {
    body,
    tag: tagOf(body),
    encode(encoding) {
      const content = encoded.get(encoding) ?? compress(body, encoding, 'once');
      encoded.set(encoding, content);
      return content;
    },
  };
}

function slice(body: Buffer, queue: (start: () => void) => void): Readable {
  let sent = 0;
  return new Readable({
    highWaterMark: SLICE_BYTES,
    read() {
      queue(() => {
        const part = body.subarray(sent, sent + SLICE_BYTES);
        sent += part.length;
        this.push(part);
        if (sent === body.length) this.push(null);
      });
    },
  });
}

/** Chooses the content coding or a 304, and sets the headers. Each coding has a different tag, as its bytes differ. */
function select(request: FastifyRequest, reply: FastifyReply, { body, tag, encode }: Content, done: Done): void {
  const encoding = negotiate(request, reply, body);
  const isKnown = tag !== undefined && isCurrent(request, reply, encoding ? `${tag.slice(0, -1)}-${encoding}"` : tag);
  // Fastify computes the Content-Length of a HEAD response from the payload.
  if (isKnown && request.method !== 'HEAD') done(null, null);
  else if (!encoding) done(null, body);
  else {
    Promise.resolve(encode(encoding)).then((encoded) => {
      if (!isKnown) reply.header('content-encoding', encoding);
      done(null, encoded);
    }, done);
  }
}

/** Sets the ETag, and the status 304 if If-None-Match names it. */
function isCurrent(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header('etag', tag);
  if (!matches(request.headers['if-none-match'], tag)) return false;
  reply.code(304).removeHeader('content-type');
  return true;
}

function negotiate(request: FastifyRequest, reply: FastifyReply, body: string | Buffer): Encoding | undefined {
  if (Buffer.byteLength(body) <= COMPRESS_OVER_BYTES) return undefined;
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  return chooseEncoding(request.headers['accept-encoding'] as string | undefined);
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function tagOf(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, TAG_LENGTH)}"`;
}

/** Returns whether an If-None-Match names a tag (RFC 9110 §13.1.2). */
function matches(ifNoneMatch: string | undefined, tag: string): boolean {
  return namesOf(ifNoneMatch).some((name) => name === '*' || name === tag);
}

function namesOf(ifNoneMatch: string | undefined): string[] {
  return (ifNoneMatch?.split(',') ?? []).map((item) => item.trim().replace(/^W\/"/, '"'));
}

type Encoding = 'br' | 'gzip';
/** Compression effort: for cached content (`once`) or for each response. Brotli above 9 takes seconds for a megabyte. */
type Effort = 'once' | 'each';

/** In order of preference. */
const ENCODINGS: Encoding[] = ['br', 'gzip'];
/** Above 2, Brotli takes up to three times as long for a page and makes it 5 to 10 % smaller. */
const BROTLI_QUALITY: Record<Effort, number> = { once: 9, each: 2 };
const GZIP_LEVEL: Record<Effort, number> = { once: 9, each: 6 };

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** Returns the supported coding with the highest weight in Accept-Encoding (RFC 9110 §12.5.3), or undefined for none. */
function chooseEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (!acceptEncoding) return undefined;
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(readWeight));
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const best = ENCODINGS.reduce((first, second) => (weightOf(second) > weightOf(first) ? second : first));
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

function readWeight(part: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}

/** For one response. */
function compressEach(bytes: Buffer, encoding: Encoding): Buffer | Promise<Buffer> {
  if (bytes.length > AT_ONCE_BYTES) return compress(bytes, encoding, 'each');
  return encoding === 'br' ? brotliCompressSync(bytes, brotliOf(bytes, 'each')) : gzipSync(bytes, gzipOf('each'));
}

/** In another thread. */
function compress(bytes: Buffer, encoding: Encoding, effort: Effort): Promise<Buffer> {
  return encoding === 'br' ? compressors.br(bytes, brotliOf(bytes, effort)) : compressors.gzip(bytes, gzipOf(effort));
}

/** Brotli reserves less memory if it knows the length. */
function brotliOf({ length }: Buffer, effort: Effort): BrotliOptions {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort], [constants.BROTLI_PARAM_SIZE_HINT]: length } };
}

function gzipOf(effort: Effort): ZlibOptions {
  return { level: GZIP_LEVEL[effort] };
}
