// Readiness of a service on a cluster whose servers become read-only: it stays ready while a worker takes writes. Run by run.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, urlsOf } from '../support/database.ts';
import { assertUnavailable, openLabels } from '../support/faults.ts';
import { startService } from '../support/service.ts';
import { waitUntil } from '../support/wait.ts';

test('stays ready while a worker takes writes, and names what does not', async (t) => {
  const { call, move, customer, databaseUrl } = await openLabels(await startService(t));
  const [coordinator, ...workers] = urlsOf(databaseUrl);
  const ready = () => call('GET', '/health/ready');
  const becomes = (away: string[]) =>
    waitUntil(`${away} away`, async () => {
      const { status, body } = await ready();
      return status === 200 && String(body.away ?? '') === String(away);
    });
  await becomes([]);

  await change([coordinator!], 'set default_transaction_read_only = on');
  await becomes(['coordinator']);
  await waitUntil('money moves without it', async () => (await move()).status === 201);
  assert.equal((await call('GET', customer)).status, 200, 'reads work');

  await change([workers[0]!], 'set default_transaction_read_only = on');
  await becomes(['coordinator', 'workers']);
  await change([workers[1]!], 'set default_transaction_read_only = on');
  await waitUntil('it is not ready', async () => (await ready()).status === 503);
  assertUnavailable(await ready());
  assertUnavailable(await move());

  await change([coordinator!, ...workers], 'reset default_transaction_read_only');
  await becomes([]);
  await waitUntil('money moves', async () => (await move()).status === 201);
});

/** Changes a setting of the database on servers, and ends the connections that have the old one. */
async function change(urls: string[], setting: string): Promise<void> {
  for (const url of urls) {
    await query(
      url,
      `set transaction_read_only = off;
       do $$ begin execute format('alter database %I ${setting}', current_database()); end $$`,
    );
    await query(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name ~ '^(earmark|citus_internal)'`,
    );
  }
}
