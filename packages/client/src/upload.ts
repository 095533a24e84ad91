// Multipart bodies of uploads, from the supported kinds of file content.

/** The content of a file. Buffers (Uint8Array), Files (Blob) and Node.js streams (AsyncIterable) qualify. For a path, see `@earmark/client/files`. */
export type FileContent = Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** The files of the chip of a passport or an identity card, as an app has read them (ICAO Doc 9303 part 10). */
export type ChipContent = { sod: FileContent; dg1: FileContent; dg2?: FileContent; dg11?: FileContent; dg14?: FileContent };

/** The limit of the service. A longer stream is not read to its end. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** The multipart body of an upload, complete in memory so that a retry can send the same bytes. */
export class Upload {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(contentType: string, bytes: Uint8Array<ArrayBuffer>) {
    this.contentType = contentType;
    this.bytes = bytes;
  }
}

/** Each content becomes a part with its name. */
export async function readUpload(documentType: string, contents: { file: FileContent } | ChipContent): Promise<Upload> {
  const form = new FormData();
  form.set('documentType', documentType);
  for (const [name, content] of Object.entries(contents) as [string, FileContent | undefined][]) {
    // One byte over the limit is enough for the service to refuse the file.
    if (content !== undefined) form.set(name, (await toBlob(content)).slice(0, MAX_FILE_BYTES + 1), name);
  }
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

/** Reads a stream; not every browser can iterate one. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}
