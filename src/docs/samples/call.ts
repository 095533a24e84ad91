// A call of an operation, and the parts of its request that every language writes: its form, its token and its key.
import type { Operation } from '../reference/operation.ts';

/** A call of an operation, with the values of an example. */
export type Call = {
  operation: Operation;
  baseUrl: string;
  /** The vendor in the media type of the service. */
  vendor: string;
  /** The path with its query. */
  path: string;
  body: unknown;
};

/** The file of an upload, in the folder where the sample runs. */
export const FILE = 'license.png';
/** What an upload's documentType is in the samples. */
export const DOCUMENT_TYPE = 'license';
/** Fields that carry the credentials; the samples send them in the Basic header instead. */
const CREDENTIALS = ['client_id', 'client_secret'];

type Kind = 'none' | 'json' | 'form' | 'upload';

export function kindOf({ operation, body }: Call): Kind {
  if (operation.body?.mediaType === 'multipart/form-data') return 'upload';
  if (operation.body?.mediaType === 'application/x-www-form-urlencoded') return 'form';
  return operation.body && body !== undefined ? 'json' : 'none';
}

export function hasToken({ scope }: Operation): boolean {
  return scope !== undefined;
}

export function takesKey({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === 'Idempotency-Key');
}

/** The fields of a form. `token` stands for the token that is revoked or inspected. */
export function fieldsOf({ body }: Call): [name: string, value: string][] {
  return Object.entries((body ?? {}) as Record<string, string>).filter(([name]) => !CREDENTIALS.includes(name));
}

export function isList({ id }: Operation): boolean {
  return /^(list|search)/.test(id);
}
