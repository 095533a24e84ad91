// Keys of clients: key pairs, assertions, proofs of possession, and servers of key sets.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { createApplication } from '../../src/resources/oauth/application.ts';
import { changeTerms, type NewTerms } from '../../src/resources/oauth/application-key.ts';
import type { ClientJwk } from '../../src/resources/oauth/client-key.ts';
import { SCOPES } from '../../src/resources/oauth/scope.ts';
import type { openClient } from './oauth.ts';
import type { TestScope } from './test-scope.ts';

export type KeyPair = Awaited<ReturnType<typeof newKey>>;
type Client = Awaited<ReturnType<typeof openClient>>;
type Change = { header?: Record<string, unknown>; claims?: Record<string, unknown> };

export const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export async function newKey(alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = (await exportJWK(publicKey)) as ClientJwk;
  return { alg, privateKey, publicKey, jwk, thumbprint: await calculateJwkThumbprint(jwk as JWK) };
}

/** A new application of the account, with these terms and a secret. */
export async function securedClient({ service, client, change }: Client, terms: NewTerms) {
  const { account_id: accountId } = client;
  return change(async (tx) => {
    const made = await createApplication(tx, service.sealer, { accountId, name: 'Test', scopes: [...SCOPES] });
    await changeTerms(tx, made.client_id, terms);
    return { ...made, account_id: accountId };
  });
}

/** A valid assertion, except for what is changed. */
export function assertionOf(
  key: KeyPair,
  client: { client_id: string; url: string },
  { header, claims }: Change = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const { client_id: iss, url: aud } = client;
  return new SignJWT({ iss, sub: iss, aud, jti: randomUUID(), iat: now, exp: now + 60, ...claims })
    .setProtectedHeader({ alg: key.alg, ...header })
    .sign(key.privateKey);
}

export function assertionForm(assertion: string, more: Record<string, string> = {}): Record<string, string> {
  return { grant_type: 'client_credentials', client_assertion_type: ASSERTION, client_assertion: assertion, ...more };
}

/** A valid proof of possession (RFC 9449), except for what is changed. */
export function proofOf(
  key: KeyPair,
  { method, url, token, nonce }: { method: string; url: string; token?: string | undefined; nonce?: string | undefined },
  { header, claims }: Change = {},
): Promise<string> {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
  const iat = Math.floor(Date.now() / 1000);
  return new SignJWT({ htm: method, htu: url, jti: randomUUID(), iat, ...(nonce !== undefined && { nonce }), ...ath, ...claims })
    .setProtectedHeader({ alg: key.alg, typ: 'dpop+jwt', jwk: key.jwk as JWK, ...header })
    .sign(key.privateKey);
}

/** A server on loopback that answers with the handler; `requests` counts. */
export async function startKeyServer(t: TestScope, handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const counted = { requests: 0 };
  const server = createServer((request, response) => {
    counted.requests += 1;
    handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, counted };
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
}
