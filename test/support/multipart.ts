// Multipart bodies (RFC 7578), also malformed ones.

export type Part = { name: string; value: string | Buffer; fileName?: string; type?: string };
export type MultipartOptions = { boundary?: string; quoteBoundary?: boolean; quoteNames?: boolean; end?: boolean };

const BOUNDARY = 'between-the-parts';

/** Returns a multipart body; the options make it deviate from RFC 7578. */
export function multipart(parts: Part[], { boundary = BOUNDARY, quoteNames = true, end = true }: MultipartOptions = {}): Buffer {
  const named = (value: string) => (quoteNames ? `"${value}"` : value);
  const pieces = parts.flatMap(({ name, value, fileName, type }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name=${named(name)}${fileName === undefined ? '' : `; filename=${named(fileName)}`}\r\n`,
    `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    value,
    '\r\n',
  ]);
  return Buffer.concat([...pieces, ...(end ? [`--${boundary}--\r\n`] : [])].map((piece) => Buffer.from(piece)));
}

export const contentType = ({ boundary = BOUNDARY, quoteBoundary = false }: MultipartOptions = {}) =>
  `multipart/form-data; boundary=${quoteBoundary ? `"${boundary}"` : boundary}`;

export const typePart = (value = 'passport'): Part => ({ name: 'documentType', value });
export const filePart = (value: Buffer, more: Partial<Part> = {}): Part => ({
  name: 'file',
  value,
  fileName: 'scan.jpg',
  type: 'image/jpeg',
  ...more,
});
