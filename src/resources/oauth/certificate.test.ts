// Tests of tokens that are bound to a client certificate (RFC 8705), which a trusted proxy reports in a header.
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import { decodeJwt } from 'jose';
import { createAuthority } from '../../../test/support/certificates.ts';
import { securedClient } from '../../../test/support/client-keys.ts';
import { assertRefused } from '../../../test/support/http.ts';
import { assertError, basic, GRANT, openClient } from '../../../test/support/oauth.ts';
import { scratch } from '../../../test/support/process.ts';
import { startService } from '../../../test/support/service.ts';
import { openCertificates } from './certificate.ts';

const HEADER = 'X-Client-Cert';
const env = { CLIENT_CERTIFICATE_HEADER: HEADER, TOKEN_FAILURES_PER_MINUTE: '0' };
const shared = await startService({ after }, { env });
const service = await openClient(shared);
const authority = await createAuthority(scratch({ after }), 'clients');
const [own, other] = [await der('own'), await der('other')];

async function der(name: string): Promise<Buffer> {
  return new X509Certificate(readFileSync((await authority.certify(name)).certificate)).raw;
}

const spellings = (raw: Buffer) => [
  `:${raw.toString('base64')}:`,
  raw.toString('base64'),
  encodeURIComponent(new X509Certificate(raw).toString()),
];

test('a token is bound to the certificate that the proxy reports, however it spells it', async () => {
  const { client_id, client_secret } = await securedClient(service, { requiredBinding: 'certificate' });
  const ask = (headers: Record<string, string> = {}, to = service) =>
    to.post('/token', GRANT, { ...basic(`${client_id}:${client_secret}`), ...headers });
  assertError(await ask(), 400, 'invalid_request');
  for (const text of ['x', ':AAAA:', '-----BEGIN CERTIFICATE-----', 'x'.repeat(13_000)])
    assertError(await ask({ [HEADER]: text }), 400, 'invalid_request');
  const thumbprint = createHash('sha256').update(own).digest('base64url');
  for (const spelling of spellings(own)) {
    const { body } = await ask({ [HEADER]: spelling });
    assert.deepEqual([body.token_type, decodeJwt(body.access_token).cnf], ['Bearer', { 'x5t#S256': thumbprint }]);
    const shown = (await service.post('/token/introspect', { client_id, client_secret, token: body.access_token })).body;
    assert.deepEqual([shown.active, shown.cnf], [true, { 'x5t#S256': thumbprint }]);
    const get = (headers: Record<string, string>) => service.call('GET', '/customers', { token: body.access_token, headers });
    for (const again of spellings(own)) assert.equal((await get({ [HEADER]: again })).status, 200);
    for (const wrong of [{}, ...spellings(other).map((text) => ({ [HEADER]: text })), { 'Client-Cert': spellings(own)[0]! }]) {
      assertRefused(await get(wrong as Record<string, string>), { status: 401, code: 'InvalidAccessToken' });
    }
  }
});

test('more certificates than are kept in memory are distinguished all the same', () => {
  const certificateOf = openCertificates({ clientCertificateHeader: HEADER, trustProxy: ['127.0.0.1'] });
  const raw = { socket: { remoteAddress: '127.0.0.1' } } as IncomingMessage;
  const read = (text: string) => certificateOf({ headers: { [HEADER.toLowerCase()]: text }, raw });
  const [first, second] = [own, other].map((one) => one.toString('base64')) as [string, string];
  const known = read(first);
  assert.equal(known, createHash('sha256').update(own).digest('base64url'));
  for (let count = 0; count < 2_500; count++)
    assert.equal(read(Buffer.from(`certificate ${count}`).toString('base64')), undefined);
  assert.deepEqual([read(first), read(second) === known], [known, false]);
});

test('a header of anybody but the trusted proxy says nothing', async (t) => {
  const { client_id, client_secret } = await securedClient(service, { requiredBinding: 'certificate' });
  const cases: Record<string, string>[] = [
    { TRUST_PROXY: '192.0.2.1' },
    { TRUST_PROXY: 'none' },
    { CLIENT_CERTIFICATE_HEADER: 'X-Other' },
  ];
  for (const more of cases) {
    const beside = await startService(t, { beside: shared, env: { ...env, ...more }, processes: 1 });
    const form = new URLSearchParams({ ...GRANT, client_id, client_secret }).toString();
    const headers = { [HEADER]: spellings(own)[0]!, 'x-forwarded-for': '127.0.0.1' };
    assertError(await beside.send('POST', '/token', { form, headers }), 400, 'invalid_request');
  }
});

test('the metadata says whether certificates bind tokens', async (t) => {
  const read = async (one: typeof shared) => (await one.call('GET', '/.well-known/oauth-authorization-server')).body;
  assert.equal((await read(shared)).tls_client_certificate_bound_access_tokens, true);
  const plain = await startService(t, { beside: shared });
  assert.equal((await read(plain)).tls_client_certificate_bound_access_tokens, false);
});
