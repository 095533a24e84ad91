// Tests of the counted requests of applications: what several callers store at once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startService } from '../../../test/support/service.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { openCalls, reportCalls } from './calls.ts';

const shared = await startService({ after });

test('one write runs at a time, and callers that wait together return when it is stored', async () => {
  let writing = 0;
  let together = 0;
  const sql: Sql = async (...statement) => {
    together = Math.max(together, ++writing);
    return shared.sql(...statement).finally(() => writing--) as Promise<never>;
  };
  const calls = openCalls({ sql, log: shared.service.log });
  const { client_id: id } = await shared.newClient();
  calls.count(id, false);
  const first = calls.flush();
  await setImmediate();
  calls.count(id, true);
  const [, third] = [calls.flush(), calls.flush()];
  await first;
  await third;
  assert.deepEqual([writing, together], [0, 1]);
  calls.count(id, false);
  await calls.close();
  assert.deepEqual((await reportCalls(shared.sql)).get(id), {
    day: { calls: 3n, refusals: 1n },
    hour: { calls: 3n, refusals: 1n },
  });
});
