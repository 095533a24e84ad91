// Tests of webhook verification against signatures made by the service.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { webhookPublicKey } from '../../../src/resources/oauth/signing-key.ts';
import { signatureHeaders } from '../../../src/resources/webhooks/sign.ts';
import { type Delivery, verifyWebhook, WebhookVerificationError } from './client.ts';

const SECRET = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
const SENT = new Date('2026-05-06T07:08:09Z');
const BODY = JSON.stringify({ id: 'e1', topic: 'customer_created', resourceId: 'c1', note: 'ünïcode' });

test('accepts a webhook signed with either scheme, in every representation of headers and body', async () => {
  for (const secret of [SECRET, 'plain text', 'ümläut']) {
    const headers = headersOf([secret]);
    const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    for (const held of [headers, lowerCase, new Headers(headers)]) {
      for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY)]) {
        for (const scheme of [undefined, 'standard', 'sha256'] as const) {
          const event = await verifyWebhook({ body, headers: held, secret, now: SENT, ...(scheme && { scheme }) });
          assert.equal(event.topic, 'customer_created');
        }
      }
    }
  }
});

test('accepts both secrets during a rotation', async () => {
  const headers = headersOf(['new', 'old']);
  for (const secret of ['new', 'old']) await verifyWebhook({ body: BODY, headers, secret, now: SENT });
});

test('refuses changed webhooks and wrong secrets in both schemes', async () => {
  const headers = headersOf([SECRET]);
  for (const scheme of ['standard', 'sha256'] as const) {
    const name = scheme === 'standard' ? 'webhook-signature' : 'X-Request-Signature-SHA-256';
    for (const wrong of [
      { body: BODY.replace('c1', 'c2') },
      { secret: 'another' },
      { headers: { ...headers, [name]: headersOf(['another'])[name]! } },
      { headers: { ...headers, [name]: headers[name]!.slice(0, -2) } },
      { headers: { ...headers, [name]: 'v1,%%%' } },
    ]) {
      await refused({ body: BODY, headers, secret: SECRET, now: SENT, scheme, ...wrong }, /^(No s|The s)ignature /);
    }
    await refused(
      { body: BODY, headers: {}, secret: SECRET, scheme },
      /^The header (webhook-id|x-request-signature-sha-256) is missing\.$/,
    );
  }
  for (const name of ['webhook-id', 'webhook-timestamp']) {
    const moved = { ...headers, [name]: name === 'webhook-id' ? 'other' : String(SENT.getTime() / 1000 + 1) };
    await refused({ body: BODY, headers: moved, secret: SECRET, now: SENT }, /^No signature/);
  }
});

test('accepts a signature of one of the public keys, and nothing else in its place', async () => {
  const [one, two] = [newKey(), newKey()];
  const both = { body: BODY, headers: headersOf([SECRET], [two.privateKey, one.privateKey]), now: SENT };
  for (const publicKeys of [[one.publicKey], [two.publicKey], [newKey().publicKey, one.publicKey]]) {
    assert.equal((await verifyWebhook({ ...both, publicKeys })).topic, 'customer_created');
  }
  const of = (signatures: string) => ({ ...both.headers, 'webhook-signature': signatures });
  const [v1] = both.headers['webhook-signature']!.split(' ');
  const byPublicKey = headersOf([one.publicKey])['webhook-signature']!;
  for (const wrong of [
    { publicKeys: [newKey().publicKey] },
    { publicKeys: [] },
    { body: BODY.replace('c1', 'c2') },
    { headers: { ...both.headers, 'webhook-id': 'w2' } },
    { headers: of(v1!) },
    { headers: of(v1!.replace('v1,', 'v1a,')) },
    { headers: of(byPublicKey) },
    { headers: of(byPublicKey.replace('v1,', 'v1a,')) },
    { headers: of('v1a,%%%') },
  ]) {
    await refused({ ...both, publicKeys: [one.publicKey], secret: SECRET, ...wrong }, /^No signature .* these public keys\.$/);
  }
  await refused({ ...both, publicKeys: [one.publicKey], now: new Date(SENT.getTime() + 301_000) }, /^webhook-timestamp/);
});

test('refuses a public key in place of a secret, with which anybody could sign', async () => {
  const { publicKey } = newKey();
  const forged = { body: BODY, headers: headersOf([publicKey]), now: SENT };
  await assert.rejects(verifyWebhook({ ...forged, secret: publicKey }), TypeError);
  await assert.rejects(verifyWebhook(forged), TypeError);
  for (const secret of [{ secret: publicKey }, { secret: '' }, { publicKeys: [publicKey] }]) {
    await assert.rejects(verifyWebhook({ ...forged, ...secret, scheme: 'sha256' }), TypeError);
  }
  for (const wrong of ['whpk_%%%', 'whpk_AAAA', SECRET]) {
    await assert.rejects(verifyWebhook({ ...forged, publicKeys: [wrong] }), TypeError);
  }
});

test('refuses webhooks with a timestamp outside the tolerance', async () => {
  const delivery = { body: BODY, headers: headersOf([SECRET]), secret: SECRET };
  const at = (seconds: number) => new Date(SENT.getTime() + seconds * 1000);
  for (const seconds of [-300, 300]) await verifyWebhook({ ...delivery, now: at(seconds) });
  for (const seconds of [-301, 301])
    await refused({ ...delivery, now: at(seconds) }, /^webhook-timestamp 1778051289 is not within 300 seconds of /);
  await verifyWebhook({ ...delivery, now: at(900), toleranceSeconds: 900 });
  await refused(
    { ...delivery, headers: { ...delivery.headers, 'webhook-timestamp': 'now' }, now: SENT },
    /^webhook-timestamp now/,
  );
  await refused(delivery, /is not within 300 seconds/);
});

test('the receiver chooses the scheme: leaving out headers does not change it', async () => {
  const { 'X-Request-Signature-SHA-256': plain, ...standard } = headersOf([SECRET]);
  await refused(
    { body: BODY, headers: { 'X-Request-Signature-SHA-256': plain! }, secret: SECRET, now: SENT },
    /webhook-id is missing/,
  );
  await refused({ body: BODY, headers: standard, secret: SECRET, now: SENT, scheme: 'sha256' }, /is missing/);
});

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey: webhookPublicKey(publicKey.export({ format: 'jwk' }) as { x: string }) };
}

function headersOf(secrets: [string, ...string[]], privateKeys: KeyObject[] = []): Record<string, string> {
  const signed = signatureHeaders({ secrets, privateKeys }, { id: 'w1', body: BODY, sent: SENT });
  return Object.fromEntries(signed.map(({ name, value }) => [name, value]));
}

async function refused(delivery: Delivery, message: RegExp): Promise<void> {
  await assert.rejects(verifyWebhook(delivery), (error) => {
    assert.ok(error instanceof WebhookVerificationError, String(error));
    assert.match(error.message, message);
    return true;
  });
}
