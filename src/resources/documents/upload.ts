// Reads the upload of a document as a stream (multipart/form-data, RFC 7578): a documentType, and one file or the files of a chip, in any order.
import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { type Fault, invalid, type Refusal, refuse } from '../../core/problems.ts';
import { CHIP_FILE_BYTES_MAX, CHIP_FILE_NAMES, type ChipFileName, type ChipFiles } from './chip/chip-files.ts';
import { DOCUMENT_TYPES, type DocumentType } from './reason.ts';

/** A picture in one file, or the files of a chip. `digest`: SHA-256 of the content, in hex. */
export type Upload = { documentType: DocumentType; digest: string } & Content;
type Content = { file: Buffer; chip?: undefined } | { file?: undefined; chip: ChipFiles };

export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Allowance for everything but the file: boundaries, headers and fields. */
const MAX_REST_BYTES = 64 * 1024;
const LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 20, files: 6, headerPairs: 20, headerSize: 8 * 1024 };

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
  const faults = faultsOf(parts);
  if (faults.length > 0) throw refuse('badRequest', { faults });
  const documentType = parts.types[0] as DocumentType;
  if (!DOCUMENT_TYPES.includes(documentType)) {
    throw invalidType(`Document type must be one of ${DOCUMENT_TYPES.join(', ')}.`);
  }
  const [first] = parts.files as [File];
  if (first.name === 'file') return { documentType, file: bytesOf(first), digest: first.hash.digest('hex') };
  if (!CHIP_TYPES.includes(documentType)) throw invalidType(`Files of a chip are of type ${CHIP_TYPES.join(' or ')}.`);
  const chip = Object.fromEntries(parts.files.map((file) => [file.name, bytesOf(file)])) as Partial<ChipFiles> as ChipFiles;
  return { documentType, chip, digest: digestOf(parts.files) };
}

type PartName = 'file' | ChipFileName;
type File = { name: PartName; hash: Hash; pieces: Buffer[] };
type Parts = { types: string[]; files: File[] };

const CHIP_TYPES: DocumentType[] = ['passport', 'idCard'];

/** What is missing or too much: an upload has either a file or the files of a chip. A part of another name is refused while the body is read. */
function faultsOf({ types, files }: Parts): Fault[] {
  const names = files.map(({ name }) => name);
  const isChip = names.some((name) => name !== 'file');
  const needed: PartName[] = isChip ? ['sod', 'dg1'] : ['file'];
  return [
    ...(types.length === 0 ? [required('documentType')] : []),
    ...(types.length > 1 ? [twice('documentType')] : []),
    ...needed.filter((name) => !names.includes(name)).map(required),
    ...(isChip && names.includes('file')
      ? [{ ...notAllowed('file'), message: 'Send a file or the files of a chip, not both.' }]
      : []),
  ];
}

function invalidType(message: string): Refusal {
  return invalid({ code: 'Invalid', message, path: '/documentType' });
}

function bytesOf({ pieces }: File): Buffer {
  return Buffer.concat(pieces);
}

/** Of files in any order. */
function digestOf(files: File[]): string {
  const named = files.map(({ name, hash }) => `${name} ${hash.digest('hex')}`).sort();
  return createHash('sha256').update(named.join('\n')).digest('hex');
}

function required(part: string): Fault {
  return { code: 'Required', message: `${part} is required.`, path: `/${part}` };
}

function twice(part: string): Fault {
  return { code: 'Duplicate', message: `${part} must be sent once.`, path: `/${part}` };
}

function notAllowed(part: string): Fault {
  return {
    code: 'NotAllowed',
    message: `A file part must be named file, or ${CHIP_FILE_NAMES.join(', ')} for a chip.`,
    path: `/${part}`,
  };
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
    const file: File = { name: name as PartName, hash: createHash('sha256'), pieces: [] };
    if (!isPartName(name)) malformed(notAllowed('file'));
    else if (parts.files.some((other) => other.name === name)) malformed(twice(name!));
    else parts.files.push(file);
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
      isPartAFile: (name, _type, fileName) => isPartName(name) || (name !== 'documentType' && fileName !== undefined),
    });
  } catch {
    throw refuse('badRequest');
  }
}

function isPartName(name: string | undefined): boolean {
  return name === 'file' || Object.hasOwn(CHIP_FILE_BYTES_MAX, name ?? '');
}

/** Buffers and hashes a file, up to the limit of its kind. */
function collect(file: File, stream: BusboyFileStream, stop: (refusal: Refusal) => void): void {
  const bytesMax = file.name === 'file' ? MAX_FILE_BYTES : (CHIP_FILE_BYTES_MAX[file.name] ?? 0);
  let bytes = 0;
  stream.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > bytesMax) {
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
