// The order of a customer's events when the coordinator's clock differs from that of the workers. Run by run.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, customerForm } from '../support/data.ts';
import { makeDatabase, query } from '../support/database.ts';
import { eventsOf } from '../support/events.ts';
import { scratch } from '../support/process.ts';
import { startService } from '../support/service.ts';

for (const ahead of ['1 hour', '-1 hour']) {
  test(`the events of a customer are in order with the coordinator's clock off by ${ahead}`, async (t) => {
    const databaseUrl = await makeDatabase(t);
    await setAhead(databaseUrl, ahead);
    // Without deliveries nothing settles the events before they are read.
    const home = { databaseUrl, dataDir: scratch(t), besides: [] };
    const { create, call, get } = await startService(t, { beside: home, env: { DELIVER_WEBHOOKS: 'false' } });
    const customer = await create('/customers', customerForm());
    await create(`${customer}/deposits`, amountOf('10.00'));
    const label = await create(`${customer}/labels`, amountOf('4.00'));
    await create(`${label}/ledger-entries`, amountOf('1.00'));
    assert.equal((await call('POST', customer, { body: { status: 'suspended' } })).status, 200);
    await create(`${customer}/deposits`, amountOf('2.00'));
    const topics = eventsOf(await get('/events?order=oldest')).map(({ topic }) => topic);
    assert.deepEqual(topics, [
      'customer_created',
      'customer_verified',
      'customer_deposit_created',
      'customer_label_created',
      'customer_label_ledger_entry_created',
      'customer_label_ledger_entry_created',
      'customer_suspended',
      'customer_deposit_created',
    ]);
  });
}

/** Sets the clock of the coordinator as far as statements see it. */
async function setAhead(databaseUrl: string, ahead: string): Promise<void> {
  await query(
    databaseUrl,
    `create schema skewed;
    create function skewed.clock_timestamp() returns timestamptz language plpgsql as $$
    begin
      return pg_catalog.clock_timestamp() + case when citus_is_coordinator() then interval '${ahead}' else '0' end;
    end
    $$`,
  );
  await query(databaseUrl, `alter table event_outbox alter written set default skewed.clock_timestamp()`);
  await query(
    databaseUrl,
    `alter database ${new URL(databaseUrl).pathname.slice(1)} set search_path = public, skewed, pg_catalog`,
  );
}
