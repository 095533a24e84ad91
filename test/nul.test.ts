// NUL characters, which PostgreSQL cannot store, in every place of a request that takes text. test/fuzz.test.ts sends them in queries of the API.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { operationsOf } from './fuzz/document.ts';
import { openSession } from './support/operators.ts';
import { assertOneLine, runCli } from './support/process.ts';
import { sendBytes } from './support/raw-http.ts';
import { startService } from './support/service.ts';

const ID = '01890000-0000-7000-8000-000000000000';
const FORM_PATHS = [
  '/console/people',
  `/console/people/${ID}/roles`,
  '/console/applications/new',
  '/console/money/move',
  '/console/sandbox/faults',
  '/console/operations/jobs',
  '/console/sign-out',
  '/console/account/remove-passkey',
  '/console/account/time-zone',
];

const service = await startService({ after });
const { send, token } = service;

test('in the path of every operation', async () => {
  const operations = operationsOf((await send('GET', '/openapi.json')).body).filter(({ path }) => path.includes('{'));
  for (const { method, path } of operations) {
    const { status } = await send(method, path.replace(/\{[^}]+\}/g, 'a%00b'), { token, body: {} });
    assert.ok(status === 400 || status === 404 || status === 415, `${status} ${method} ${path}`);
  }
  assert.ok(operations.length > 30, `${operations.length} operations`);
});

test('in addresses and forms of the console', async () => {
  const { load, submit, cookie } = await openSession(service, 'admin', 'finance', 'reviewer');
  const pages = ['/console/customers?search=', '/console/money?text=', '/console/audit-log?person=', '/console?kept='];
  for (const page of [...pages, '/console/people/', '/console/link/', '/console/sign-in?to=', '/console/openid?to=']) {
    assert.equal((await load(`${page}a%00b`)).status, 400, page);
  }
  for (const path of FORM_PATHS) {
    for (const form of ['name=a%00b&role=viewer', 'name=a\0b', '%00=1', 'a=1&b%00=']) {
      const answer = await send('POST', path, {
        form,
        headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html', cookie },
      });
      assert.equal(answer.status, 400, `${path} ${JSON.stringify(form)}`);
    }
  }
  assert.equal((await submit('/console/people', { name: 'Without NUL', role: 'viewer' })).status, 303);
});

test('in forms and headers of the OAuth endpoints, and in raw bytes of a header', async () => {
  for (const path of ['/token', '/token/revoke', '/token/introspect']) {
    for (const form of [
      'client_id=a%00b&client_secret=c',
      'client_id=a&client_secret=%00',
      'grant_type=\0',
      '%00=1',
      'token=%00',
    ]) {
      assert.equal((await send('POST', path, { form })).status, 400, `${path} ${JSON.stringify(form)}`);
    }
    for (const credentials of ['a\0b:c', 'a:\0', '%00:c', 'a:%00']) {
      const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
      const answer = await send('POST', path, { form: 'grant_type=client_credentials&token=x', headers: { authorization } });
      assert.equal(answer.status, 400, `${path} ${JSON.stringify(credentials)}`);
    }
  }
  for (const name of ['Idempotency-Key', 'X-Request-Id', 'X-Forwarded-For', 'Cookie', 'Correlation-Id']) {
    const [answer] = await sendBytes(service.port, `GET /customers HTTP/1.1\r\nHost: x\r\n${name}: a\0b\r\n\r\n`);
    assert.equal(answer!.status, 400, name);
  }
});

test('in the database URL of a command', async (t) => {
  const ended = await runCli(t, ['operator', 'list'], { DATABASE_URL: 'postgres://a%00b:secret@127.0.0.1:1/earmark' });
  assertOneLine(ended, /^DATABASE_URL must be a URL like postgres:/);
});
