// A database that hangs: its processes are stopped (SIGSTOP), so that queries get no response and connections stay open.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { countReallocations, openingBalances, openTarget, serverPids } from './crash/target.ts';
import { customerForm, reallocation } from './support/data.ts';
import { scratch } from './support/process.ts';
import { assertSoundLedger } from './support/sound-ledger.ts';
import { waitUntil } from './support/wait.ts';

/** Ten seconds, and a busy machine. */
const ANSWER_MAX_MS = 20_000;
const READY_MAX_MS = 3_000;
const WITHOUT_KEY = 20;
const DRAIN_SECONDS = 1;
/** The drain, the forced stop of the server, and a busy machine. */
const END_MAX_MS = 12_000;

// The tests are steps on one service.
const file = { after };
const dataDir = join(scratch(file), 'data');
const target = await openTarget(file, dataDir, { DRAIN_SECONDS: String(DRAIN_SECONDS) });
const { url, endpoint, database, customers } = target;
const [{ customer, labels }] = customers as [(typeof customers)[number]];
const [from, to] = labels as [string, string];
const before = await countReallocations(database);

async function ask(path: string, how: { body?: unknown; key?: string } = {}) {
  const sinceMs = performance.now();
  const answer = await fetch(path, {
    method: how.body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${endpoint.token}`,
      'content-type': 'application/json',
      ...(how.key !== undefined && { 'idempotency-key': how.key }),
    },
    ...(how.body !== undefined && { body: JSON.stringify(how.body) }),
  });
  const text = await answer.text();
  const body = (text ? JSON.parse(text) : {}) as { amount?: { value: string }; total?: number };
  return { status: answer.status, headers: answer.headers, body, ms: performance.now() - sinceMs };
}
const move = () => ask(`${url}/label-reallocations`, { body: reallocation(from, to, '1.00'), key: 'move' });
const label = () => ask(`${customer}/labels`, { body: { amount: { value: '1.00', currency: 'USD' } }, key: 'label' });
const create = () => ask(`${url}/customers`, { body: customerForm() });

/** Stops every process of the server while `work` runs. */
async function hang<T>(work: () => Promise<T>): Promise<T> {
  const pids = serverPids(dataDir);
  assert.ok(pids.length > 1, 'its processes are found');
  try {
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    return await work();
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
}

test('refuses every request in time, and turns readiness red sooner', async () => {
  await hang(async () => {
    const ready = waitUntil('it is not ready', async () => {
      const { status, ms } = await ask(`${url}/health/ready`);
      return status === 503 ? { ms } : undefined;
    });
    const asked = [
      ...Array.from({ length: 20 }, () => ask(customer)),
      // Queued behind each other: by their key, and in their queue.
      ...[move(), move(), move(), label(), label(), create()],
      ...Array.from({ length: WITHOUT_KEY }, () => ask(`${url}/label-reallocations`, { body: reallocation(to, from, '0.01') })),
    ];
    assert.ok((await ready).ms < READY_MAX_MS, 'readiness');
    assert.equal((await ask(`${url}/health/live`)).status, 200);
    for (const { status, headers, ms } of await Promise.all(asked)) {
      assert.deepEqual([status, headers.get('retry-after')], [503, '1']);
      assert.ok(ms < ANSWER_MAX_MS, `${ms} ms`);
    }
  });
});

test('settles unknown outcomes by their keys once it responds again', async () => {
  await target.ready();
  assert.deepEqual([(await move()).status, (await label()).status], [201, 201]);
  const list = await ask(`${customer}/labels`);
  assert.equal(list.body.total, labels.length + 1);
  await assertSoundLedger(database);
  // Requests without a key took effect once or not at all.
  const others = (await countReallocations(database)) - before - 1;
  assert.ok(others >= 0 && others <= WITHOUT_KEY);
  const cents = async (path: string) => Math.round(Number((await ask(path)).body.amount!.value) * 100);
  const opening = openingBalances(customers);
  assert.equal(await cents(to), opening.get(to)! + 100 - others);
  assert.equal(await cents(from), opening.get(from)! - 100 + others);
});

test('SIGTERM ends the service', async () => {
  const { child, ended } = target.service();
  await hang(async () => {
    child.kill('SIGTERM');
    const end = await Promise.race([ended, sleep(END_MAX_MS, undefined, { ref: false })]);
    assert.deepEqual([end?.code, end?.stderr], [1, 'Stopped before all requests in flight were answered.\n']);
  });
});
