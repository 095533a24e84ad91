// The example of README.md runs as printed, and prints what README.md says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { start } from '../../../test/support/process.ts';
import { startService } from '../../../test/support/service.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const TYPESCRIPT = [process.execPath, '--conditions=earmark-source', '--input-type=module-typescript', '-e'];

/** The blocks whose fence names this language. */
function blocksOf(fence: string): string[] {
  return [...README.matchAll(/^```(.*)\n([^`]*?)^```$/gm)].filter(([, name]) => name === fence).map(([, , block]) => block!);
}

test('the example runs and prints what README.md says', async (t) => {
  const { url, client, newCustomer } = await startService(t);
  const CUSTOMER = await newCustomer({ available: '500.00' });
  const [program, ...others] = blocksOf('ts');
  assert.equal(others.length, 0);
  const env = { BASE_URL: url, CLIENT_ID: client.client_id, CLIENT_SECRET: client.client_secret, CUSTOMER };
  const run = await start(t, [...TYPESCRIPT, program!], env).ended;
  assert.deepEqual([run.code, run.stderr, run.stdout], [0, '', blocksOf('')[0]]);
});

test('the example for browsers calls with the tokens of a function', async (t) => {
  const { url, client } = await startService(t);
  const program = blocksOf('ts browser')[0]!.replace('https://payments.example.com', url);
  assert.ok(program.includes(url));
  // A page that asks its server: fetch of a relative URL exists only there.
  const page = `import { Earmark } from '@earmark/client';
    const request = globalThis.fetch;
    globalThis.fetch = (url, init) => (url === '/token' ? new Response('${client.token}') : request(url, init));
    ${program}
    console.log((await earmark.follow(await earmark.root(), 'account'))._links.self.href);`;
  const run = await start(t, [...TYPESCRIPT, page], {}).ended;
  assert.deepEqual([run.code, run.stderr, run.stdout.trim()], [0, '', `${url}/accounts/${client.account_id}`]);
});
