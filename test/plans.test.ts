// No plan depends on whether a table was analysed: on an empty database without autovacuum, the cost of a call does not grow with the tables.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFewRejected, assertFewRows, assertFlat, measureRounds } from './plans/rounds.ts';
import { startService } from './support/service.ts';
import { HANGS_MS, waitUntil } from './support/wait.ts';

// A slow machine takes longer than the limit of other tests.
test('statements cost the same while tables grow that nobody analyses', { timeout: HANGS_MS }, async (t) => {
  const rounds = await measureRounds(t, { sizes: [0, 250, 1_500] });
  assertFlat(rounds);
  assertFewRows(rounds);
});

test('no statement compares rows with rows', { timeout: HANGS_MS }, (t) => assertFewRejected(t, 150));

test('one of two services analyses a table that has grown, once', async () => {
  const service = await startService({ after });
  const { create, newLabels, reallocation, sql } = service;
  // It could come first, and then the services have nothing to do.
  await sql`alter table transfer set (autovacuum_enabled = off)`;
  await startService({ after }, { beside: service, env: { PUBLIC_URL: service.url } });
  const { from, to } = await newLabels();
  const items = Array.from({ length: 510 }, () => reallocation(from, to, '0.01'));
  await create('/label-reallocation-batches', { mode: 'atomic', items });
  const read = async (table: string) => {
    const [row] = await sql<{ times: bigint }>`select analyze_count as times from pg_stat_user_tables where relname = ${table}`;
    return Number(row!.times);
  };
  await waitUntil('transfers are analysed', async () => (await read('transfer')) > 0);
  assert.deepEqual([await read('transfer'), await read('ledger_account')], [1, 0]);
});
