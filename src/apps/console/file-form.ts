// Reads a form with files (multipart/form-data, RFC 7578), whose size the route has limited.
import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { refuse } from '../../core/problems.ts';
import type { Files } from './screen.ts';
import { parseForm } from './visit.ts';

const LIMITS = { fieldNameSize: 100, fieldSize: 4 * 1024, fields: 20, files: 2, headerPairs: 20 };

/** The fields, with the name of each file in its field, and the files by their fields: empty if none was chosen. */
export async function readFileForm({ headers, body }: FastifyRequest): Promise<{ form: URLSearchParams; files: Files }> {
  const type = headers['content-type'];
  if (!type || !Buffer.isBuffer(body)) throw refuse('badRequest', { message: 'Choose a file.' });
  const fields: [string, string][] = [];
  const pieces = new Map<string, Buffer[]>();
  await new Promise<void>((resolve, reject) => {
    const malformed = () => reject(refuse('badRequest', { message: 'The form cannot be read. Choose the files again.' }));
    try {
      const busboy = new Busboy({ headers: { ...headers, 'content-type': type }, limits: LIMITS });
      busboy.on('field', (name, value) => fields.push([name, value]));
      busboy.on('file', (name, stream, fileName) => {
        fields.push([name, fileName ?? '']);
        const own: Buffer[] = [];
        pieces.set(name, own);
        stream.on('data', (piece: Buffer) => own.push(piece));
      });
      for (const fault of ['error', 'filesLimit', 'fieldsLimit'] as const) busboy.on(fault, malformed);
      busboy.on('finish', resolve);
      busboy.end(body);
    } catch {
      malformed();
    }
  });
  return {
    form: parseForm(new URLSearchParams(fields).toString()),
    files: new Map([...pieces].map(([name, own]) => [name, Buffer.concat(own)])),
  };
}
