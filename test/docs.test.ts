// The reference at /docs without a browser: everything it is made of comes from the service, under a policy; test/browser drives it.
import assert from 'node:assert/strict';
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { readCredentials } from '../src/sandbox/credentials.ts';
import { startService } from './harness.ts';

test('the reference needs nothing from elsewhere, and a sandbox gives its client_id but not its secret', async (t) => {
  const { send, dataDir } = await startService(t);
  const { client_id, client_secret, labels } = readCredentials(join(dataDir, 'sandbox.json'))!;
  const page = await send('GET', '/docs', { headers: { accept: 'text/html' } });
  assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; script-src 'self';.* connect-src 'self';/);
  assert.equal(page.headers['cache-control'], 'no-store');
  const named = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  assert.ok(named.length >= 6, page.text);
  for (const path of named.filter((url) => !url.startsWith('data:'))) {
    const file = await send('GET', path);
    assert.deepEqual([file.status, file.text.length > 100], [200, true], path);
    if (path.startsWith('/docs/')) assert.ok(file.headers['content-security-policy'], path);
  }
  assert.ok(page.text.includes(client_id));
  assert.ok(page.text.includes(labels[1].slice(-36)), 'the examples become those of the sandbox');
  assert.ok(!page.text.includes(client_secret));
  assert.equal((await send('GET', '/docs/routes.ts')).status, 404);
  assert.equal((await send('GET', '/docs/..%2f..%2fpackage.json')).status, 404);
});

test('what is public costs no file each time, and follows the sandbox', async (t) => {
  const { send, dataDir } = await startService(t);
  const file = join(dataDir, 'sandbox.json');
  const first = await send('GET', '/docs');
  const bundle = await send('GET', '/docs/swagger-ui-bundle.js');
  const reads = t.mock.method(fs, 'readFileSync');
  const asynchronous = t.mock.method(fs.promises, 'readFile');
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.equal((await send('GET', '/docs')).text, first.text);
  assert.equal((await send('GET', '/docs/swagger-ui-bundle.js')).text, bundle.text);
  const again = await send('GET', '/docs/swagger-ui-bundle.js', { headers: { 'if-none-match': bundle.headers.etag! } });
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', bundle.headers.etag]);
  assert.deepEqual([reads.mock.callCount(), asynchronous.mock.callCount()], [0, 0]);
  const { client_id } = readCredentials(file)!;
  const other = '01890000-0000-7000-8000-00000000000f';
  writeFileSync(file, readFileSync(file, 'utf8').replace(client_id, other));
  const { text } = await send('GET', '/docs');
  assert.deepEqual([text.includes(other), text.includes(client_id)], [true, false]);
});

test('in production there is no word of a sandbox', async (t) => {
  const { send } = await startService(t, { env: { MODE: 'production' } });
  const { status, text } = await send('GET', '/docs');
  assert.equal(status, 200);
  assert.doesNotMatch(text, /sandbox/);
});
