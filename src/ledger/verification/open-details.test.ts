// The ledger check compares a log with rows that change meanwhile: their events explain the differences, wherever they are by then.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { connectBeside } from '../../../test/support/faults.ts';
import { idOf } from '../../../test/support/http.ts';
import { coveredLog } from '../../../test/support/logs.ts';
import { openLabels, startService } from '../../../test/support/service.ts';
import { verifyInSlices } from '../../apps/service/ledger-check.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { settleEvents } from '../feed/feed.ts';

/** Longer than events are kept. */
const YEAR_SECONDS = 365 * 24 * 3600;

const shared = await startService({ after }, { processes: 1 });

async function openLogged() {
  const account = await openLabels(shared);
  await coveredLog(account);
  const rename = async () => assert.equal((await account.call('POST', account.from, { body: { name: 'Taxes' } })).status, 200);
  return { ...account, rename, cover: () => coveredLog(account) };
}

/** The check with work that is done before its first statement that contains a text. */
async function checkAround(database: Database, text: string, work: () => Promise<unknown>) {
  let isDone = false;
  const around =
    (tx: Sql): Sql =>
    async (statement, ...values) => {
      if (!isDone && statement.join('').includes(text)) {
        isDone = true;
        await tx`set local idle_in_transaction_session_timeout = 0`;
        await work();
      }
      return tx(statement, ...values);
    };
  const violations = await verifyInSlices({
    ...database,
    transaction: (inside) => database.transaction((tx) => inside(around(tx))),
  });
  assert.ok(isDone, `the check has a statement with ${text}`);
  return violations;
}

/** Until the transaction of the connection ends, events stay in the outbox. */
async function stopSettling(t: TestContext, databaseUrl: string) {
  const holder = await connectBeside(t, databaseUrl);
  await holder.query('begin; lock table event_cursor in access exclusive mode');
  return holder;
}

test('an event that moves from the outbox to the feed during the check explains a change', async (t) => {
  const { service, databaseUrl, sql, rename } = await openLogged();
  const holder = await stopSettling(t, databaseUrl);
  await rename();
  const violations = await checkAround(service.database, '= any (ids)', async () => {
    await holder.query('commit');
    await settleEvents(sql);
  });
  assert.deepEqual(violations, []);
});

test('an event that retention deletes during the check explains a change', async () => {
  const { service, call, sql, client, from, rename, cover } = await openLogged();
  const violations = await checkAround(service.database, 'from log_entries', async () => {
    await rename();
    // Retention keeps what the log does not contain yet.
    await cover();
    assert.equal((await call('POST', '/sandbox/clock', { body: { advanceSeconds: YEAR_SECONDS } })).status, 200);
    // Not those of the log, which announces itself after a year.
    const left = await sql`select 1 from event where account_id = ${client.account_id} and resource_id = ${idOf(from)}`;
    assert.deepEqual(left, [], 'its event is gone');
  });
  assert.deepEqual(violations, []);
});
