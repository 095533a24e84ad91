// Security headers of every response: nosniff, and Strict-Transport-Security behind TLS.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendBytes } from './support/raw-http.ts';
import { startService } from './support/service.ts';

const HSTS = 'max-age=31536000';
const PATHS = [
  '/',
  '/customers',
  '/nowhere',
  '/labels/%zz',
  '/openapi.json',
  '/health/live',
  '/docs',
  '/console',
  '/console/sign-in',
];

test('browsers do not guess the type of any response, and a service with TLS is asked by TLS only', async (t) => {
  const plain = await startService(t);
  const secure = await startService(t, { env: { PUBLIC_URL: 'https://payments.example' } });
  for (const [service, hsts] of [
    [plain, undefined],
    [secure, HSTS],
  ] as const) {
    for (const path of PATHS) {
      for (const token of [service.token, undefined]) {
        const { headers } = await service.send('GET', path, { token, headers: { accept: '*/*' } });
        const found = [headers['x-content-type-options'], headers['strict-transport-security']];
        assert.deepEqual(found, ['nosniff', hsts], `${path} ${token && 'with a token'}`);
      }
    }
    const created = await service.send('POST', '/token', { form: 'grant_type=x' });
    assert.equal(created.headers['x-content-type-options'], 'nosniff');
  }
  const [malformed] = await sendBytes(plain.port, 'GET / HTTP/9\r\n\r\n');
  assert.equal(malformed!.headers['x-content-type-options'], 'nosniff');
});
