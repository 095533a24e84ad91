// Key sets at addresses: of applications (jwks_uri), and of issuers of workload identities by their discovery document.
import type { FastifyBaseLogger } from 'fastify';
import { ANSWER_MAX_BYTES, type Sender } from '../../platform/http/send.ts';
import { type ClientKey, readRemoteKeys } from './client-key.ts';

/** Where keys are: a key set, or the discovery document of an issuer, which names one. */
export type KeySource = { jwksUri: string } | { issuer: string };

export type RemoteKeys = {
  /** The keys of a source, from memory for up to 20 minutes. `isUnknown`: they lack the key that is looked for. Throws a KeysError. */
  keysOf(source: KeySource, options?: { isUnknown: true }): Promise<ClientKey[]>;
};

/** The keys of an address cannot be read. The message says why. */
export class KeysError extends Error {}

type Cached = { keys: Promise<ClientKey[]>; readMs: number };

const CACHED_MS = 20 * 60_000;
/** Assertions with invented key ids, and addresses that fail, cause at most one request in this time. */
const READ_AGAIN_AFTER_MS = 30_000;
const SOURCES_MAX = 1_000;
const OK = 200;

/** `sender`: follows no redirects, bounds time and size, and checks each address when it connects. */
export function openRemoteKeys(sender: Sender, log: Pick<FastifyBaseLogger, 'warn'>): RemoteKeys {
  const cached = new Map<string, Cached>();

  function readNow(id: string, source: KeySource): Promise<ClientKey[]> {
    const keys = 'issuer' in source ? readIssuer(sender, source.issuer) : readSet(sender, source.jwksUri);
    if (cached.size >= SOURCES_MAX) cached.delete(cached.keys().next().value!);
    cached.set(id, { keys, readMs: performance.now() });
    // A failure is remembered as long as an unknown key. Whoever waits for the keys gets it too.
    keys.catch((error: Error) => log.warn({ err: error }, 'cannot read the keys of an application'));
    return keys;
  }

  return {
    async keysOf(source, options) {
      const id = JSON.stringify(source);
      const found = cached.get(id);
      const ageMs = found ? performance.now() - found.readMs : Number.POSITIVE_INFINITY;
      if (!found || ageMs > CACHED_MS) return readNow(id, source);
      if (ageMs < READ_AGAIN_AFTER_MS) return found.keys;
      return options ? readNow(id, source) : found.keys.catch(() => readNow(id, source));
    },
  };
}

async function readIssuer(sender: Sender, issuer: string): Promise<ClientKey[]> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri } = (await readJson(sender, url)) as { issuer?: unknown; jwks_uri?: unknown };
  if (named !== issuer) throw new KeysError(`${url} is of another issuer`);
  if (typeof jwks_uri !== 'string') throw new KeysError(`${url} has no jwks_uri`);
  return readSet(sender, jwks_uri);
}

async function readSet(sender: Sender, url: string): Promise<ClientKey[]> {
  const keys = readRemoteKeys(await readJson(sender, url));
  if (typeof keys === 'string') throw new KeysError(`${url} ${keys}`);
  return keys;
}

async function readJson(sender: Sender, url: string): Promise<object> {
  const { answer, error } = await sender.send({ url, headers: [{ name: 'Accept', value: 'application/json' }] });
  if (error !== undefined || !answer) throw new KeysError(`${url} cannot be read: ${error}`);
  if (answer.status !== OK) throw new KeysError(`${url} answers with status ${answer.status}`);
  if (answer.body.length >= ANSWER_MAX_BYTES) throw new KeysError(`${url} has more than ${ANSWER_MAX_BYTES / 1024} KiB`);
  const value = parse(answer.body);
  if (typeof value !== 'object' || value === null) throw new KeysError(`${url} does not have JSON`);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
