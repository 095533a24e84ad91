// Two processes behind HAProxy (deploy/haproxy.cfg) with TLS, restarted in turn under load: no call of a retrying client fails, and each has
// one effect.
// Not part of the suite, because it needs HAProxy: `npm run long -- balancer`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Earmark } from '../packages/client/src/client.ts';
import { startEmbedded } from '../src/platform/db/embedded.ts';
import { createAuthority } from './support/certificates.ts';
import { query } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { ROOT } from './support/paths.ts';
import { sandboxOf, scratch, serve, start } from './support/process.ts';
import { waitUntil } from './support/wait.ts';

const CALLERS = 8;
const ROUNDS = 3;
const BETWEEN_MS = 1000;

try {
  execFileSync('haproxy', ['-v'], { stdio: 'ignore' });
} catch {
  process.stderr.write('No HAProxy here: install it (Debian: apt-get install haproxy), then run this again.\n');
  process.exit(1);
}

test('a rolling restart behind a load balancer', { timeout: 300_000 }, async (t) => {
  const folder = scratch(t);
  const server = await startEmbedded({ dataDir: join(folder, 'data'), settings: { max_connections: '100' } });
  t.after(server.stop);
  const [balancer, plain, ...ports] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const url = `https://localhost:${balancer}`;
  const authority = await createAuthority(folder, 'private');
  const env = { DATABASE_URL: server.url, DATA_DIR: folder, MODE: 'sandbox', HOST: '127.0.0.1', PUBLIC_URL: url };
  const open = (port: number) => serve(t, { ...env, PORT: String(port) });
  const processes = [await open(ports[0]!), await open(ports[1]!)];
  const [one, two] = ports.map((port) => `127.0.0.1:${port}`) as [string, string];
  start(t, ['haproxy', '-db', '-f', join(ROOT, 'deploy/haproxy.cfg')], {
    LISTEN: `127.0.0.1:${balancer}`,
    LISTEN_PLAIN: `127.0.0.1:${plain}`,
    CERTIFICATE: (await authority.certify('localhost')).both,
    PUBLIC_URL: url,
    SERVER_ONE: one,
    SERVER_TWO: two,
  });
  const plainUrl = `http://localhost:${plain}`;
  await waitUntil('the balancer listens', () => fetch(plainUrl, { redirect: 'manual' }).catch(() => undefined));
  await assert.rejects(fetch(url), 'its certificate is not of a known authority');
  setDefaultCACertificates([...getCACertificates(), readFileSync(authority.ca, 'utf8')]);
  await waitUntil('the balancer serves', () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

  const redirected = await fetch(`${plainUrl}/docs?q=a`, { redirect: 'manual' });
  assert.deepEqual([redirected.status, redirected.headers.get('location')], [308, `${url}/docs?q=a`]);
  assert.equal((await fetch(`${plainUrl}/token`, { method: 'POST' })).status, 403);
  assert.equal((await fetch(plainUrl, { headers: { authorization: 'Bearer x' } })).status, 403);
  assert.match((await fetch(`${url}/docs`)).headers.get('strict-transport-security')!, /^max-age=\d+/);
  for (const path of ['/metrics', '/%6detrics', '/metrics?x']) assert.equal((await fetch(`${url}${path}`)).status, 404, path);

  const { client_id: clientId, client_secret: clientSecret, labels } = sandboxOf(folder);
  const earmark = new Earmark({ url, clientId, clientSecret });
  const [from, to] = labels;
  const made = new Set<string>();
  let calling = true;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (calling) {
      const { location } = await earmark.labelReallocations.create({ from, to, amount: { value: '0.01', currency: 'USD' } });
      made.add(location);
    }
  });
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, port] of ports.entries()) {
      await sleep(BETWEEN_MS);
      const old = processes[index]!;
      old.child.kill('SIGTERM');
      assert.equal((await old.ended).code, 0);
      processes[index] = await open(port);
    }
  }
  calling = false;
  await Promise.all(callers);

  const rows = await query<{ count: number }>(
    server.url,
    `select count(*)::int as count from transfer where kind = 'reallocation'`,
  );
  assert.ok(made.size > 0);
  assert.equal(rows[0]!.count, made.size, 'as many as acknowledged');
  t.diagnostic(`${ROUNDS * ports.length} restarts, ${made.size} reallocations acknowledged and stored, no call failed`);
  for (const { child, ended } of processes) {
    child.kill('SIGTERM');
    await ended;
  }
});
