// The bound of used ids: an application that proves more than are kept is refused until they expire, and no other application is.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertionForm, assertionOf, newKey, proofOf, securedClient } from '../../../test/support/client-keys.ts';
import { assertRefused } from '../../../test/support/http.ts';
import { assertIssued, GRANT, openClient } from '../../../test/support/oauth.ts';
import { startService } from '../../../test/support/service.ts';
import { Refusal } from '../../core/problems.ts';
import { openKeptIds } from './kept-ids.ts';

const MAX = 4;
const shared = await startService({ after }, { env: { USED_PROOFS_MAX: String(MAX) } });
const service = await openClient(shared);
const { url, call } = service;

async function rows(): Promise<number> {
  return Number((await shared.sql<{ n: bigint }>`select count(*) as n from used_proof`)[0]!.n);
}

test('an application that has used as many proofs and assertions as are kept is refused, and no other', async () => {
  const [key, other] = [await newKey(), await newKey()];
  const made = await securedClient(service, { keys: [key.jwk] });
  const { client_id, client_secret } = made;
  const bound = async (by: typeof key, who: { client_id: string; client_secret: string }) => {
    const dpop = await proofOf(by, { method: 'POST', url: `${url}/token` });
    return service.post('/token', { ...GRANT, client_id: who.client_id, client_secret: who.client_secret }, { dpop });
  };
  const prove = async (token: string, by = key, dpop?: string) => {
    const proof = dpop ?? (await proofOf(by, { method: 'GET', url: `${url}/customers`, token }));
    return call('GET', '/customers', { token: undefined, headers: { authorization: `DPoP ${token}`, dpop: proof } });
  };
  const withKey = async () => service.post('/token', assertionForm(await assertionOf(key, { client_id, url })));

  const token = (await bound(key, made)).body.access_token;
  assertIssued(await withKey());
  const used = await proofOf(key, { method: 'GET', url: `${url}/customers`, token });
  assert.equal((await prove(token, key, used)).status, 200);
  // A replay is refused, and takes no place.
  for (let time = 0; time < MAX; time++) assert.equal((await prove(token, key, used)).status, 401);
  assert.equal((await prove(token)).status, 200);
  assert.equal(await rows(), MAX);

  for (const answer of [await prove(token), await prove(token, key, used), await withKey(), await bound(key, made)]) {
    assertRefused(answer, { status: 429, code: 'TooManyRequests' });
    assert.match(answer.body.message, /as many proofs and assertions as are kept/);
    const waitS = Number(answer.headers['retry-after']);
    assert.ok(waitS > 100 && waitS <= 185, `Retry-After: ${waitS}`);
  }
  assert.equal(await rows(), MAX);
  const bySecret = await service.ask(client_id, client_secret);
  assertIssued(bySecret);
  assert.equal((await call('GET', '/customers', { token: bySecret.body.access_token })).status, 200);
  const another = (await bound(other, service.client)).body.access_token;
  assert.equal((await prove(another, other)).status, 200);
});

test('ids that have expired leave their places', () => {
  const [start, second] = [Date.UTC(2030), 1000];
  const kept = openKeptIds(3);
  const isFull = (nowMs: number) => {
    try {
      kept.refuseIfFull('application', nowMs);
      return false;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return Number(error.details!.headers!['retry-after']);
    }
  };
  const add = (lifeS: number, nowMs = start) =>
    kept.add({ applicationId: 'application', expiresMs: nowMs + lifeS * second }, nowMs);
  for (const lifeS of [60, 62, 300]) {
    assert.equal(isFull(start), false);
    add(lifeS);
  }
  assert.equal(isFull(start), 65);
  assert.equal(isFull(start + 64 * second), 1);
  assert.equal(isFull(start + 65 * second), false);
  for (const lifeS of [10, 20]) add(lifeS, start + 65 * second);
  assert.equal(isFull(start + 66 * second), 14);
  assert.equal(isFull(start + 80 * second), false);
  assert.equal(isFull(start + 1000 * second), false);
});
