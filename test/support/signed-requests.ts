// Requests that are signed by RFC 9421, with the library http-message-signatures.
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createSigner, httpbis, type SignConfig } from 'http-message-signatures';
import type { ClientJwk } from '../../src/resources/oauth/client-key.ts';
import { HAL } from './http.ts';

export type Signer = { jwk: ClientJwk; privateKey: KeyObject; alg: string };
type Headers = Record<string, string>;

/** What is signed of a request, with the defaults of `signed`. */
export type SigningOptions = {
  by: Signer;
  method?: string;
  url: string;
  body?: string;
  headers?: Headers;
  fields?: string[];
  params?: Record<string, unknown>;
  label?: string;
};

const KINDS = {
  'ecdsa-p256-sha256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ed25519: () => generateKeyPairSync('ed25519'),
  'rsa-pss-sha512': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

export function newSigner(kid: string, alg: keyof typeof KINDS = 'ecdsa-p256-sha256'): Signer {
  const { publicKey, privateKey } = KINDS[alg]();
  return { jwk: { ...(publicKey.export({ format: 'jwk' }) as ClientJwk), kid }, privateKey, alg };
}

export function digestOf(body: string, name: 'sha-256' | 'sha-512' = 'sha-256'): string {
  return `${name}=:${createHash(name.replace('-', '')).update(body).digest('base64')}:`;
}

export const COVERED = ['@method', '@target-uri', 'content-digest'];

/** The headers of a signed POST. `params`: in place of `created` and `keyid`; undefined leaves one out. */
export async function signed(options: SigningOptions): Promise<Headers> {
  const { by, method = 'POST', url, body, headers = {}, fields = COVERED, params = {}, label = 'sig' } = options;
  const sent: Headers = { ...(body !== undefined && { 'content-type': HAL, 'content-digest': digestOf(body) }), ...headers };
  const values: Record<string, unknown> = { created: new Date(), keyid: by.jwk.kid, ...params };
  const names = Object.keys(values).filter((name) => values[name] !== undefined);
  const config: SignConfig = {
    key: createSigner(by.privateKey, by.alg, by.jwk.kid),
    fields,
    name: label,
    params: names as never,
    paramValues: values as never,
  };
  return (await httpbis.signMessage(config, { method, url, headers: sent })).headers as Headers;
}
