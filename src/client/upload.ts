// The files of uploads, from whatever holds them.

/** A file's bytes: a Buffer is a Uint8Array, a File a Blob, and a stream of Node an AsyncIterable. For a path: `earmark/client/files`. */
export type FileContent = Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** What the service takes; a longer stream is not read to its end. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** The multipart body of an upload, in bytes: whole before anything is sent, so that it can be repeated as it was. */
export class Upload {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(contentType: string, bytes: Uint8Array<ArrayBuffer>) {
    this.contentType = contentType;
    this.bytes = bytes;
  }
}

export async function readUpload(documentType: string, content: FileContent): Promise<Upload> {
  const form = new FormData();
  form.set('documentType', documentType);
  // One byte over is enough for the service to refuse it.
  form.set('file', (await toBlob(content)).slice(0, MAX_FILE_BYTES + 1), 'file');
  const encoded = new Response(form);
  return new Upload(encoded.headers.get('content-type')!, new Uint8Array(await encoded.arrayBuffer()));
}

async function toBlob(content: FileContent): Promise<Blob> {
  if (content instanceof Blob) return content;
  if (content instanceof ArrayBuffer || ArrayBuffer.isView(content)) return new Blob([content as Uint8Array<ArrayBuffer>]);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const piece of Symbol.asyncIterator in content ? content : piecesOf(content)) {
    pieces.push(piece as Uint8Array<ArrayBuffer>);
    bytes += piece.byteLength;
    if (bytes > MAX_FILE_BYTES) break;
  }
  return new Blob(pieces);
}

/** Streams cannot be iterated in every browser. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}
