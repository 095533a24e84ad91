// Tests that neither the text nor the time of a refused assertion tells whether its client exists.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import {
  assertionForm,
  assertionOf,
  newKey,
  securedClient,
  sendJson,
  startKeyServer,
} from '../../../test/support/client-keys.ts';
import { assertError, openClient } from '../../../test/support/oauth.ts';
import { startService } from '../../../test/support/service.ts';
import { disableApplication } from './application.ts';

const env = { WEBHOOK_ALLOW_PRIVATE: 'true', TOKEN_FAILURES_PER_MINUTE: '0' };
const service = await openClient(await startService({ after }, { env }));
const key = await newKey();
const stranger = await newKey();

const ROUNDS = 5;
/** Longer than a signature takes to verify, and than a key set in the same city takes to read. */
const KEY_SET_MS = 150;
/** The timers of a busy machine. */
const SPREAD_MAX_MS = 100;

test('a refused assertion of an unknown client and of a known one get the same answer after the same time', async (t) => {
  const keyServer = await startKeyServer(t, (_request, response) => {
    setTimeout(() => sendJson(response, { keys: [key.jwk] }), KEY_SET_MS);
  });
  const disabled = await securedClient(service, { keys: [key.jwk] });
  await service.change((tx) => disableApplication(tx, disabled.client_id));
  const known = (await securedClient(service, { keys: [key.jwk, (await newKey('EdDSA')).jwk] })).client_id;
  const onlySecret = (await securedClient(service, {})).client_id;
  const kinds: Record<string, () => Promise<string>> = {
    unknown: async () => randomUUID(),
    known: async () => known,
    'known by a secret only': async () => onlySecret,
    disabled: async () => disabled.client_id,
    // A new one each time, so that its keys are read from its address.
    'known, with keys at an address': async () =>
      (await securedClient(service, { jwksUri: `${keyServer.url}/${randomUUID()}` })).client_id,
  };
  const fastest: Record<string, number> = {};
  const texts = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, make] of Object.entries(kinds)) {
      const assertion = await assertionOf(stranger, { client_id: await make(), url: service.url });
      const startMs = performance.now();
      const answer = await service.post('/token', assertionForm(assertion));
      fastest[name] = Math.min(fastest[name] ?? Number.POSITIVE_INFINITY, performance.now() - startMs);
      assertError(answer, 401, 'invalid_client');
      texts.add(answer.text);
    }
  }
  assert.equal(keyServer.counted.requests, ROUNDS);
  assert.equal(texts.size, 1, [...texts].join());
  const times = Object.values(fastest);
  assert.ok(Math.max(...times) - Math.min(...times) < SPREAD_MAX_MS, JSON.stringify(fastest));
});
