// The committed openapi.json is what the service serves; `npm run openapi` writes it anew.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startService } from './harness.ts';

const FILE = join(import.meta.dirname, '..', 'openapi.json');

test('openapi.json is up to date', async (t) => {
  const { send } = await startService(t);
  const answer = await send('GET', '/openapi.json');
  const served = `${JSON.stringify(answer.body, null, 2)}\n`;
  if (process.env.OPENAPI_WRITE) writeFileSync(FILE, served);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.body.openapi, '3.1.0');
  assert.equal(readFileSync(FILE, 'utf8'), served, 'run `npm run openapi` and commit the result');
});
