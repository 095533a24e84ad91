// A rolling restart: two processes on one database are replaced in turn under load, and clients that retry see no failed call.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCustomers } from './crash/target.ts';
import { startBeside } from './support/beside.ts';
import { reallocation } from './support/data.ts';
import { freePort } from './support/free-port.ts';
import { type Answer, request } from './support/http.ts';
import { anySeed, openRandom } from './support/random.ts';
import { startService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

const CLIENTS = 8;
const RETRY_PAUSE_MS = 20;
/** Between two calls of a client: the load must be constant, not high. */
const CALL_PAUSE_MS = 10;
const GIVE_UP_MS = 60_000;
/** Calls between two replacements. */
const CALLS_BETWEEN = 50;

/** What clients observed. */
type Observed = { calls: number; retried: number; cutOff: number; doneButUnanswered: number };

test('fails no call, and answers every request that it accepted', async (t) => {
  const home = await startService(t, { env: { DELIVER_WEBHOOKS: 'false', TOKEN_TTL_SECONDS: '86400' } });
  const customers = await makeCustomers(home.url, home.token);
  const ports = [await freePort(), await freePort()];
  const processes = await Promise.all(
    ports.map((port) => startBeside(t, home, { PORT: String(port), DELIVER_WEBHOOKS: 'false' })),
  );
  const observed: Observed = { calls: 0, retried: 0, cutOff: 0, doneButUnanswered: 0 };
  let stopping = false;
  const random = openRandom(anySeed());
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());

  async function client(random = openRandom(0)): Promise<void> {
    for (let n = 0; !stopping; n++) {
      const { labels } = random.pick(customers);
      const from = random.pick(labels);
      const to = random.pick(labels.filter((label) => label !== from));
      const key = `${random.int(0, 2 ** 31)}-${n}`;
      const answer = await untilAnswered(
        { agent, ports, token: home.token, observed },
        { body: reallocation(from, to, '0.01'), key },
      );
      assert.equal(answer.status, 201, answer.text);
      observed.calls += 1;
      await sleep(CALL_PAUSE_MS);
    }
  }

  const clients = Promise.all(Array.from({ length: CLIENTS }, () => client(random.fork())));
  clients.catch(() => {
    stopping = true;
  });
  for (const [index, port] of ports.entries()) {
    const { calls } = observed;
    await waitUntil('calls continue', () => stopping || observed.calls > calls + CALLS_BETWEEN);
    const { child, ended } = processes[index]!;
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    assert.deepEqual([code, stderr], [0, '']);
    await startBeside(t, home, { PORT: String(port), DELIVER_WEBHOOKS: 'false' });
  }
  const { calls } = observed;
  await waitUntil('calls continue', () => stopping || observed.calls > calls + CALLS_BETWEEN);
  stopping = true;
  await clients;
  t.diagnostic(JSON.stringify(observed));
  assert.ok(observed.retried > 0, 'some were refused and retried at the other process');
  assert.equal(observed.doneButUnanswered, 0, 'every completed call was answered');
  const [row] = await home.sql<{ moved: bigint }>`select count(*) as moved from transfer where kind = 'reallocation'`;
  assert.equal(Number(row?.moved), observed.calls);
});

/** Calls the processes in turn until one answers other than 503, as a client with a retry policy does. */
async function untilAnswered(
  { agent, ports, token, observed }: { agent: http.Agent; ports: number[]; token: string; observed: Observed },
  { body, key }: { body: unknown; key: string },
): Promise<Answer> {
  const deadline = performance.now() + GIVE_UP_MS;
  let wasCutOff = false;
  for (let attempt = Number(key.at(-1)); performance.now() < deadline; attempt++) {
    const port = ports[attempt % ports.length]!;
    const sent = { agent, port, method: 'POST', path: '/label-reallocations', token, body, key };
    const answer = await request(sent).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNREFUSED') wasCutOff = true;
      return undefined;
    });
    if (answer && answer.status !== 503) {
      if (wasCutOff) observed.cutOff += 1;
      if (wasCutOff && answer.headers['idempotent-replayed'] === 'true') observed.doneButUnanswered += 1;
      return answer;
    }
    observed.retried += 1;
    await sleep(RETRY_PAUSE_MS);
  }
  throw new Error('no process answers');
}
