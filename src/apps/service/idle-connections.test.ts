// Connections to the database that stay open while nobody asks for anything: the first request after a pause waits for none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';

/** After it, `pg` closes idle connections. */
const IDLE_MS = 10_500;

test('a lane is connected from the start, and stays connected while it is idle', async (t) => {
  const { groups } = (await startService(t, { processes: 1 })).service;
  const connected = async () => {
    const asked = Array.from(
      { length: groups.count },
      (_, group) => groups.database(group).sql<{ pid: number }>`
      select pg_backend_pid() as pid`,
    );
    return (await Promise.all(asked)).map(([row]) => row!.pid).sort();
  };
  await waitUntil('every lane is connected', () => groups.connections().total === groups.count);
  const before = await connected();
  await sleep(IDLE_MS);
  assert.deepEqual(await connected(), before);
});
