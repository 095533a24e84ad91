// Tests of webhook signatures with the key pair of the service (Standard Webhooks, v1a), and of their keys.
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../../packages/client/src/client.ts';
import { assertRefused } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { openWorker, SECRET, subscribe } from '../../../test/support/webhook-accounts.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { rotateSigningKeys } from '../oauth/signing-key.ts';

/** One process, because the tests change the keys in its memory. */
const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false', WEBHOOK_ALLOW_PRIVATE: 'true' }, processes: 1 });
const jwks = async () => (await shared.call('GET', '/.well-known/jwks.json')).body.keys as { x: string }[];

type Delivered = { text: string; headers: Record<string, string> };

/** Delivers an event with a new worker, and returns the delivery and the keys that its subscription publishes. */
async function deliver(t: Parameters<typeof openWorker>[0]): Promise<Delivered & { publicKeys: string[] }> {
  const service = await openWorker(t, shared);
  const receiver = await startReceiver(t);
  const subscription = await subscribe(service, receiver);
  const { publicKeys } = (await service.call('GET', subscription)).body;
  await service.newCustomer();
  await waitUntil('the webhook arrives', () => receiver.received.length > 0);
  await service.worker.stop();
  const { text, headers } = receiver.received[0]!;
  return { text, headers: headers as Record<string, string>, publicKeys };
}

/** By the rules of the specification, without the client. Returns the position of the key of each v1a signature. */
function signersOf({ text, headers, publicKeys }: Delivered & { publicKeys: string[] }): number[] {
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
  const signatures = headers['webhook-signature']!.split(' ').filter((one) => one.startsWith('v1a,'));
  return signatures.map((signature) =>
    publicKeys.findIndex((key) => {
      const x = Buffer.from(key.slice('whpk_'.length), 'base64').toString('base64url');
      const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      return verify(null, signed, publicKey, Buffer.from(signature.slice('v1a,'.length), 'base64'));
    }),
  );
}

test('a delivery is signed with the key that its subscription and the JWK set publish, beside the secret', async (t) => {
  const delivered = await deliver(t);
  const { text, headers, publicKeys } = delivered;
  assert.deepEqual(
    publicKeys,
    (await jwks()).map(({ x }) => `whpk_${Buffer.from(x, 'base64url').toString('base64')}`),
  );
  assert.match(headers['webhook-signature']!, /^v1,\S{44} v1a,\S{88}$/);
  assert.deepEqual(signersOf(delivered), [0]);
  const event = await verifyWebhook({ body: text, headers, publicKeys });
  assert.deepEqual(event, new Webhook(SECRET, { format: 'raw' }).verify(text, headers));
  assert.deepEqual(signersOf({ ...delivered, text: `${text} ` }), [-1]);
});

test('a new key is published before it signs, and the one before still signs for a day', async (t) => {
  const { database, sealer } = shared.service;
  const count = (await jwks()).length;
  await rotateSigningKeys(database, sealer, 'now');
  await waitUntil('the next key is published', async () => (await jwks()).length === count + 1);
  const early = await deliver(t);
  assert.equal(early.publicKeys.length, count + 1);
  assert.deepEqual(signersOf(early), [1], 'the next key does not sign yet');

  await shared.sql`update signing_key set created = created - interval '11 minutes'`;
  const later = await deliver(t);
  assert.deepEqual(signersOf(later), [0, 1]);
  for (const key of later.publicKeys.slice(0, 2)) {
    await verifyWebhook({ body: later.text, headers: later.headers, publicKeys: [key] });
  }

  await shared.sql`delete from signing_key where created < (select max(created) from signing_key)`;
  assert.deepEqual(signersOf(await deliver(t)), [0]);
});

test('a public key cannot be the secret of a subscription', async () => {
  const { call } = shared;
  const [secret] = (await jwks()).map(({ x }) => `whpk_${Buffer.from(x, 'base64url').toString('base64')}`);
  const refused = await call('POST', '/webhook-subscriptions', { body: { url: 'https://example.com/hook', secret: secret! } });
  assertRefused(refused, {
    status: 400,
    code: 'ValidationError',
    message: 'Secret must not be a public key.',
    fault: 'InvalidFormat',
    path: '/secret',
  });
});
