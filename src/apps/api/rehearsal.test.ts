// The rehearsal of a start: it runs, and nothing of it stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectBeside } from '../../../test/support/faults.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { rehearse } from './rehearsal.ts';

test('a start rehearses a reallocation and the read of a label, which leave nothing behind', async (t) => {
  const { logs, sql, send, service } = await startService(t, { processes: 1 });
  assert.ok(logs.some((line) => line.includes('the first requests')));
  // The rehearsal of the start may have given up on a busy machine.
  await waitUntil('a rehearsal succeeds', async () => {
    await rehearse(service);
    return logs.some((line) => line.includes('rehearsed the first requests'));
  });
  assert.deepEqual(
    logs.filter((line) => line.includes('"route":"/label')),
    [],
  );
  const { text } = await send('GET', '/metrics');
  assert.doesNotMatch(text, /route="\/label|kind="reallocation"/);
  const [stored] = await sql`
    select (select count(*)::int from ledger_account a where not exists (select 1 from customer c where c.bucket = a.bucket and c.id = a.customer_id)) as labels,
      (select count(*)::int from transfer where kind = 'reallocation' or key is not null) as transfers,
      (select count(*)::int from idempotency_key) as keys,
      (select count(*)::int from event_outbox where topic like '%reallocation%') + (select count(*)::int from event_topic where topic like '%reallocation%') as events`;
  assert.deepEqual(stored, { labels: 0, transfers: 0, keys: 0, events: 0 });
});

test('a start does not wait for a table that is locked, and does not fail', async (t) => {
  const first = await startService(t, { processes: 1 });
  const holder = await connectBeside(t, first.databaseUrl);
  await holder.query('begin; lock table ledger_account in share mode');
  const second = await startService(t, { processes: 1, beside: first });
  assert.ok(second.logs.some((line) => line.includes('could not rehearse')));
  await holder.query('rollback');
  const { from, to } = await second.newLabels();
  await second.create('/label-reallocations', second.reallocation(from, to, '1.00'));
});
