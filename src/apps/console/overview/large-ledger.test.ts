// The overview of a large ledger: no page waits until all balances are added up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { sampleFigures } from '../../jobs/samples.ts';

/** More than are added up at once, beside the one of the sandbox. */
const CUSTOMERS = 40_000;
/** Far fewer than a request has time for. */
const INSERTED_AT_ONCE = 5_000;
const COUNTED = /by 40,001 customers/;

test('the overview shows what was sampled while the balances of a large ledger are added up', async (t) => {
  const settings = { env: { VERIFY_EVERY_SECONDS: '0' } };
  const first = await startService(t, settings);
  const { sql, client } = first;
  for (let from = 1; from <= CUSTOMERS; from += INSERTED_AT_ONCE) {
    await sql`
      insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, balance, created)
      select number % 4096, gen_random_uuid(), ${client.account_id}, gen_random_uuid(), 'external', 'USD', -100, now()
      from generate_series(${from}::int, ${from + INSERTED_AT_ONCE - 1}::int) number`;
  }
  await sql`delete from figure_sample`;

  const { load } = await openSession(first, 'admin');
  const { text } = await load('/console');
  assert.match(text, /data-reload[\s\S]*are added up/);
  assert.doesNotMatch(text, COUNTED);
  const counted = await waitUntil('the balances are added up', async () => {
    const { text } = await load('/console');
    return COUNTED.test(text) ? text : undefined;
  });
  assert.doesNotMatch(counted, /data-reload/);

  await sampleFigures(first.service.database, new Date());
  const second = await startService(t, { ...settings, beside: first });
  const session = await openSession(second, 'admin');
  const sampled = (await session.load('/console')).text;
  assert.match(sampled, /data-reload[\s\S]*>41,250\.00 [\s\S]*as of/);
  assert.doesNotMatch(sampled, COUNTED);
  await waitUntil('the balances are added up', async () => COUNTED.test((await session.load('/console')).text));
});
