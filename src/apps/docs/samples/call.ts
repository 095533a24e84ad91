// The calls of a sample, and the parts of a request that every language writes: its URL, its form, its token and its key.
import type { Operation } from '../operation.ts';

/** Values that a sample takes from a response: the URL of a new resource, of the first element of a list, or a token. */
export type Result = { name: string; take: 'location' | 'first' | 'access_token' };

export type Call = {
  operation: Operation;
  /** The variable whose URL the path begins with: of a resource, or BASE_URL. */
  on: string;
  /** What follows it: the rest of the path, and the query. */
  rest: string;
  /** A text such as `$FROM` in it is a variable. */
  body: unknown;
  /** The main call shows its response; those before it store a result for later ones, and those after it remove what was made. */
  role: 'before' | 'main' | 'after';
  result?: Result | undefined;
  /** It is refused with 503 for a moment after the calls before it. */
  isAwaited?: boolean | undefined;
};

/** A sample in no language yet. */
export type Program = {
  calls: Call[];
  /** The vendor in the media type of the service. */
  vendor: string;
  /** The variables whose values the page knows. The others are read from the environment, or are results. */
  values: Readonly<Record<string, string>>;
  /** The URL of pictures to upload. Without it, samples upload a file of the reader. */
  specimen: string | undefined;
};

/** The file of an upload, in the folder where the sample runs. */
export const FILE = 'passport.png';
/** What an upload's documentType is in the samples. */
export const DOCUMENT_TYPE = 'passport';
/** Fields that carry the credentials; the samples send them in the Basic header instead. */
const CREDENTIALS = ['client_id', 'client_secret'];
const VARIABLE = /^\$([A-Z_]+)$/;

type Kind = 'none' | 'json' | 'form' | 'upload';

export function kindOf({ operation, body }: Call): Kind {
  if (operation.body?.mediaType === 'multipart/form-data') return 'upload';
  if (operation.body?.mediaType === 'application/x-www-form-urlencoded') return 'form';
  return operation.body && body !== undefined ? 'json' : 'none';
}

export function hasToken({ scope }: Operation): boolean {
  return scope !== undefined;
}

/** Only the main call shows the header: the others need no repetition. */
export function takesKey({ operation: { parameters }, role }: Call): boolean {
  return role === 'main' && parameters.some(({ name }) => name === 'Idempotency-Key');
}

/** The fields of a form. */
export function fieldsOf({ body }: Call): [name: string, value: string][] {
  return Object.entries((body ?? {}) as Record<string, string>).filter(([name]) => !CREDENTIALS.includes(name));
}

export function isList({ id }: Operation): boolean {
  return /^(list|search)/.test(id);
}

/** The name of a variable in a body, such as FROM for `$FROM`; undefined for another value. */
export function variableIn(value: unknown): string | undefined {
  return typeof value === 'string' ? VARIABLE.exec(value)?.[1] : undefined;
}

/** The variables that a program reads from the environment, besides the credentials and the token of its requests. */
export function givenTo({ calls, values }: Program): string[] {
  const results = calls.flatMap(({ result }) => (result ? [result.name] : []));
  const used = calls.flatMap(({ on, body }) => [on, ...variablesIn(body)]);
  return [...new Set(used)].filter((name) => !(name in values) && !results.includes(name));
}

function variablesIn(value: unknown): string[] {
  const name = variableIn(value);
  if (name !== undefined) return [name];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(variablesIn) : [];
}
