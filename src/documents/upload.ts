// Reads the upload of a document (multipart/form-data, RFC 7578): one file and one documentType in either order, as the bytes arrive.
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { invalid, type Refusal, refuse } from '../problems.ts';
import { DOCUMENT_TYPES, type DocumentType } from './reason.ts';

export type Upload = {
  documentType: DocumentType;
  file: Buffer;
  /** SHA-256 of the file, in hex. */
  digest: string;
};

export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** A body with more than this beside the file is refused by its Content-Length alone. */
const MAX_REST_BYTES = 64 * 1024;
const LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 20, files: 2, headerPairs: 20, headerSize: 8 * 1024 };

/**
 * Reads a request's body to its end, or to the first thing wrong with it: BadRequest for syntax, a missing part or a second
 * file, ValidationError for the documentType, FileTooLarge, RequestTimeout once it is `late`. Whatever the client calls the file
 * or says of its type is not read.
 */
export async function readUpload(body: IncomingMessage, late: AbortSignal): Promise<Upload> {
  const { headers } = body;
  const contentType = headers['content-type'];
  // A request without content has none; of content, Fastify lets multipart alone through.
  if (contentType === undefined) throw refuse('badRequest');
  if (Number(headers['content-length'] ?? 0) > MAX_FILE_BYTES + MAX_REST_BYTES) throw refuse('fileTooLarge');
  const parts = await readParts(contentType, body, late);
  if (parts.types.length !== 1 || parts.files.length !== 1) throw refuse('badRequest');
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

/** Feeds the parser until it is done or something is wrong. The body itself is never destroyed: the answer needs its socket. */
async function readParts(contentType: string, body: IncomingMessage, late: AbortSignal): Promise<Parts> {
  const parts: Parts = { types: [], files: [] };
  const busboy = openParser(contentType);
  const { promise, resolve, reject: stop } = Promise.withResolvers<void>();
  const malformed = () => stop(refuse('badRequest'));
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
    if (name !== 'file' || parts.files.push(file) > 1) malformed();
    collect(file, stream, stop);
  });
  for (const fault of ['error', 'partsLimit', 'filesLimit', 'fieldsLimit'] as const) busboy.on(fault, malformed);
  busboy.on('finish', resolve);
  // A connection cut before the end; afterwards every body closes.
  const cut = () => void (body.readableEnded || malformed());
  body.once('error', malformed).once('close', cut);
  // Cut before anyone listened.
  if (body.destroyed) cut();
  const expire = () => stop(refuse('requestTimeout', { headers: { connection: 'close' } }));
  late.addEventListener('abort', expire, { once: true });
  body.on('data', count).pipe(busboy);
  try {
    await promise;
  } finally {
    body.unpipe(busboy).off('data', count).off('close', cut).resume();
  }
  return parts;
}

/** A part named `file` is a file and one named `documentType` is not, whatever else is said of it. */
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

/** Collects a file as it arrives, up to its limit. */
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
