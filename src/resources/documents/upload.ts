// Reads the upload of a document as a stream (multipart/form-data, RFC 7578): one file and one documentType in either order.
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { type Fault, invalid, type Refusal, refuse } from '../../core/problems.ts';
import { DOCUMENT_TYPES, type DocumentType } from './reason.ts';

export type Upload = {
  documentType: DocumentType;
  file: Buffer;
  /** SHA-256 of the file, in hex. */
  digest: string;
};

export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Allowance for everything but the file: boundaries, headers and fields. */
const MAX_REST_BYTES = 64 * 1024;
const LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 20, files: 2, headerPairs: 20, headerSize: 8 * 1024 };

/**
 * Reads the body of a request until its end or the first error. Refuses with BadRequest for bad syntax, a missing part or a second
 * file, ValidationError for a bad documentType, FileTooLarge, and RequestTimeout when `late` aborts. The file name and content
 * type sent by the client are ignored.
 */
export async function readUpload(body: IncomingMessage, late: AbortSignal): Promise<Upload> {
  const { headers } = body;
  const contentType = headers['content-type'];
  // Fastify has already refused every content type but multipart; only an empty request has none.
  if (contentType === undefined) throw refuse('badRequest', { faults: [required('documentType'), required('file')] });
  if (Number(headers['content-length'] ?? 0) > MAX_FILE_BYTES + MAX_REST_BYTES) throw refuse('fileTooLarge');
  const parts = await readParts(contentType, body, late);
  if (parts.types.length !== 1 || parts.files.length !== 1) throw refuse('badRequest', { faults: faultsOf(parts) });
  const [documentType] = parts.types;
  if (!DOCUMENT_TYPES.includes(documentType as DocumentType)) {
    const message = `Document type must be one of ${DOCUMENT_TYPES.join(', ')}.`;
    throw invalid({ code: 'Invalid', message, path: '/documentType' });
  }
  const { hash, pieces } = parts.files[0]!;
  return { documentType: documentType as DocumentType, file: Buffer.concat(pieces), digest: hash.digest('hex') };
}

type File = { hash: Hash; pieces: Buffer[] };
type Parts = { types: string[]; files: File[] };

/** A second file, and one of another name, is refused while the body is read. */
function faultsOf({ types, files }: Parts): Fault[] {
  return [
    ...(types.length === 0 ? [required('documentType')] : []),
    ...(types.length > 1 ? [twice('documentType')] : []),
    ...(files.length === 0 ? [required('file')] : []),
  ];
}

function required(part: string): Fault {
  return { code: 'Required', message: `${part} is required.`, path: `/${part}` };
}

function twice(part: string): Fault {
  return { code: 'Duplicate', message: `${part} must be sent once.`, path: `/${part}` };
}

/** Feeds the parser until it finishes or fails. The body is never destroyed, because the response needs its socket. */
async function readParts(contentType: string, body: IncomingMessage, late: AbortSignal): Promise<Parts> {
  const parts: Parts = { types: [], files: [] };
  const busboy = openParser(contentType);
  const { promise, resolve, reject: stop } = Promise.withResolvers<void>();
  const malformed = (...faults: Fault[]) => stop(refuse('badRequest', faults.length > 0 ? { faults } : {}));
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_FILE_BYTES + MAX_REST_BYTES) stop(refuse('fileTooLarge'));
  };
  busboy.on('field', (name, value) => {
    if (name === 'documentType') parts.types.push(value);
  });
  busboy.on('file', (name, stream) => {
    const file: File = { hash: createHash('sha256'), pieces: [] };
    if (name !== 'file') malformed({ code: 'NotAllowed', message: 'The name of the file part must be file.', path: '/file' });
    else if (parts.files.push(file) > 1) malformed(twice('file'));
    collect(file, stream, stop);
  });
  for (const fault of ['error', 'partsLimit', 'filesLimit', 'fieldsLimit'] as const) busboy.on(fault, () => malformed());
  busboy.on('finish', resolve);
  // A close before the end of the body means that the connection was lost.
  const onClose = () => void (body.readableEnded || malformed());
  body.once('error', () => malformed()).once('close', onClose);
  // The connection was lost before the listener was added.
  if (body.destroyed) onClose();
  const expire = () => stop(refuse('requestTimeout', { headers: { connection: 'close' } }));
  late.addEventListener('abort', expire, { once: true });
  body.on('data', count).pipe(busboy);
  try {
    await promise;
  } finally {
    body.unpipe(busboy).off('data', count).off('close', onClose).resume();
  }
  return parts;
}

/** The name of a part decides whether it is a file; its other headers do not matter. */
function openParser(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: LIMITS,
      isPartAFile: (name, _type, fileName) => name === 'file' || (name !== 'documentType' && fileName !== undefined),
    });
  } catch {
    throw refuse('badRequest');
  }
}

/** Buffers and hashes a file, up to MAX_FILE_BYTES. */
function collect(file: File, stream: BusboyFileStream, stop: (refusal: Refusal) => void): void {
  let bytes = 0;
  stream.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MAX_FILE_BYTES) {
      file.pieces = [];
      return stop(refuse('fileTooLarge'));
    }
    file.hash.update(piece);
    file.pieces.push(piece);
  });
  stream.on('error', () => stop(refuse('badRequest')));
}

export type Arrivals = {
  /** Longest time for receiving the whole body. */
  limitMs: number;
  /** Returns a signal that aborts when the body exceeds the limit. Its connection is closed shortly after, even if the request was already refused. */
  abortWhenLate(body: Readable): AbortSignal;
};

// Below the request timeout of Node.js (app.ts).
const LIMIT_MS = 25_000;
// Leaves time to send the response.
const ANSWER_MS = 500;

export function openArrivals(): Arrivals {
  return {
    limitMs: LIMIT_MS,
    abortWhenLate(body) {
      const late = new AbortController();
      const end = () => {
        late.abort();
        setTimeout(() => body.destroy(), ANSWER_MS).unref();
      };
      const timer = setTimeout(end, this.limitMs).unref();
      body.once('close', () => clearTimeout(timer));
      return late.signal;
    },
  };
}
