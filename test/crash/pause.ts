// A service that is paused (SIGSTOP), as by a machine that is migrated or out of memory, and resumed beside a second one on its
// database.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startBeside } from '../support/beside.ts';
import { call, idOf } from '../support/http.ts';
import type { Random } from '../support/random.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import { applyToBalances, assertLedger, compare, repeatAcknowledged, settleUnknown } from './ledger-check.ts';
import { openCaller, startLoad } from './load.ts';
import { countReallocations, type Target } from './target.ts';

type PauseFigures = { pausedMs: number; acknowledged: number; unknown: number; lost: number; wrong: number };

const CLIENTS = 6;
const CLIENT_TIMEOUT_MS = 500;
const BESIDE_MS = 300;
const REPEATED = 20;

/** Pauses the first service under load, repeats its unanswered requests at the second, and resumes it. */
export async function pause(
  t: TestScope,
  target: Target,
  balances: Map<string, number>,
  { pauseMs, random }: { pauseMs: number; random: Random },
): Promise<PauseFigures> {
  const { database, accountId, customers, endpoint } = target;
  const before = await countReallocations(database);
  const { port } = await startBeside(t, target, { LOG_LEVEL: 'fatal' });
  const callers = [endpoint.port, port].map((port) => openCaller({ port, token: endpoint.token }, CLIENT_TIMEOUT_MS));
  const patientCaller = openCaller({ port, token: endpoint.token });
  const load = startLoad(callers, customers, random, CLIENTS, `pause-${before}`);
  await sleep(BESIDE_MS);
  const { child } = target.service();
  child.kill('SIGSTOP');
  const begin = performance.now();
  await sleep(pauseMs / 2);
  const early = await settleUnknown(patientCaller, [...load.attempts]);
  await sleep(Math.max(0, begin + pauseMs - performance.now()));
  child.kill('SIGCONT');
  const pausedMs = Math.round(performance.now() - begin);
  await target.ready();
  await sleep(BESIDE_MS);
  const attempts = await load.stop();
  const late = await settleUnknown(target.caller, attempts);
  const acknowledged = attempts.filter(({ outcome }) => outcome === 'acknowledged');
  await repeatAcknowledged(target.caller, acknowledged.slice(0, REPEATED));
  const { lost, wrong } = await compare(database, accountId, attempts);
  assert.deepEqual({ lost, wrong }, { lost: 0, wrong: 0 });
  applyToBalances(balances, attempts);
  await assertLedger(database, balances, before + acknowledged.length);
  for (const caller of [...callers, patientCaller]) caller.close();
  return { pausedMs, acknowledged: acknowledged.length, unknown: early.unknown + late.unknown, lost, wrong };
}

/**
 * Pauses the first service in a transaction that locks a customer. The second service gets the lock within the time limit of idle
 * transactions, and the first transaction is rolled back. Returns how long the second waited.
 */
export async function pauseInTransaction(t: TestScope, target: Target): Promise<{ waitedMs: number }> {
  const { database, databaseUrl, endpoint, url } = target;
  const { port } = await startBeside(t, target, { LOG_LEVEL: 'fatal' });
  const customer = target.customers[0]!.customer;
  const lockHolder = new pg.Client({ connectionString: databaseUrl });
  await lockHolder.connect();
  await lockHolder.query('begin');
  // The creation of a label waits here after it has locked the customer.
  await lockHolder.query(`select 1 from ledger_account where customer_id = $1 and kind = 'available' for update`, [
    idOf(customer),
  ]);
  const body = { amount: { value: '0.01', currency: 'USD' }, name: 'Paused' };
  const paused = call(`${customer}/labels`, endpoint.token, body).catch(() => undefined);
  await waitUntil('it waits', async () => {
    const waiting = await database.sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length > 0;
  });
  const { child } = target.service();
  child.kill('SIGSTOP');
  await lockHolder.query('rollback');
  await lockHolder.end();
  const begin = performance.now();
  const beside = customer.replace(url, `http://127.0.0.1:${port}`);
  assert.equal((await call(beside, endpoint.token, { city: 'Ogdenville' })).status, 200);
  const waitedMs = Math.round(performance.now() - begin);
  child.kill('SIGCONT');
  assert.equal((await paused)?.status, 503);
  const made = await database.sql`select 1 from ledger_account where name = 'Paused'`;
  assert.equal(made.length, 0);
  return { waitedMs };
}
