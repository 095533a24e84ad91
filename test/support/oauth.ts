// Applications that ask for tokens, and assertions on the answers of the token endpoints.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import type { Sql } from '../../src/platform/db/sql.ts';
import { type Authority, openAuthority } from '../../src/resources/oauth/authority.ts';
import { type Answer, assertRefused } from './http.ts';
import { openAccount, type TestService } from './service.ts';

export const GRANT = { grant_type: 'client_credentials' };

export type Fields = Record<string, string>;

/** Opens a new account of a service, whose application asks for tokens. */
export async function openClient(service: TestService) {
  const account = await openAccount(service);
  const { client_id, client_secret } = account.client;
  const post = (path: string, fields: Fields | string, headers: Record<string, string> = {}) =>
    account.call('POST', path, { token: undefined, form: new URLSearchParams(fields).toString(), headers });
  return {
    ...account,
    credentials: { client_id, client_secret },
    post,
    /** Asks for a token with a Basic header made of the two texts without encoding. */
    ask: (id: string, secret: string, fields: Fields | string = GRANT) => post('/token', fields, basic(`${id}:${secret}`)),
    /** Runs a change of an application in a transaction, as a command does. */
    change: <T>(work: (tx: Sql) => Promise<T>) => service.service.database.transaction(work),
  };
}

export function basic(credentials: string): Record<string, string> {
  return { authorization: `Basic ${base64(credentials)}` };
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Token issuing and verification as in another process on the same database. */
export async function openAuthorityBeside(
  t: TestContext,
  service: Parameters<typeof openAuthority>[0],
  clock: Clock = systemClock,
): Promise<Authority> {
  const { config, database, sealer, log } = service;
  const authority = await openAuthority({ config, database, sealer, log, clock });
  t.after(() => authority.close());
  return authority;
}

export function assertKeptNowhere(answer: Answer): void {
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers.pragma, 'no-cache');
}

export function assertIssued(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.token_type, 'Bearer');
  assertKeptNowhere(answer);
}

export function assertError(answer: Answer, status: number, error: string): void {
  assert.equal(answer.status, status, answer.text);
  const { body } = answer;
  assert.deepEqual(Object.keys(body), ['error', 'error_description', 'code', 'message']);
  assert.equal(body.error, error, answer.text);
  assert.equal(body.code.toLowerCase(), error.replaceAll('_', ''));
  assert.equal(body.message, body.error_description);
  assert.equal(answer.headers['www-authenticate'], status === 401 ? 'Basic realm="earmark"' : undefined);
  assert.match(answer.headers['content-type']!, /^application\/json/);
  assertKeptNowhere(answer);
}

export function assertChallenged(answer: Answer, code: string, error: string): void {
  assertRefused(answer, { status: 401, code });
  const challenge = `Bearer realm="earmark", error="${error}", error_description="${answer.body.message}"`;
  assert.equal(answer.headers['www-authenticate'], challenge);
}
