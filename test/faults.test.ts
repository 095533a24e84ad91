// Internal errors: responses while the database is broken, unavailable or not writable.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { test } from 'node:test';
import type pg from 'pg';
import { buildApp } from '../src/apps/api/app.ts';
import { clusterPorts } from './cluster/databases.ts';
import { onServer, query, urlsOf } from './support/database.ts';
import { assertUnavailable, connectBeside, openLabels } from './support/faults.ts';
import { type Answer, assertPlainRefusal } from './support/http.ts';
import { ACTIVITY, lockCustomer, lockLabel } from './support/locks.ts';
import { startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

// Callers must never see these: SQL, table names and source locations.
const INSIDE = /select|insert|update|relation|ledger|label_|pg_|postgres|\bat \/|\.ts:|node_modules|error: /i;

/** Closes the database to the service, and opens it again. */
function gate({ databaseUrl }: TestService) {
  const name = /test_[0-9a-f]+/.exec(databaseUrl)![0];
  return {
    async close() {
      await onServer(`alter database ${name} allow_connections false`);
      await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    },
    open: () => onServer(`alter database ${name} allow_connections true`),
  };
}

/** Terminates the service's connections, either those that wait for a lock or the others; returns how many. */
async function cut(holder: pg.Client, { waiting }: { waiting: boolean }): Promise<number | null> {
  const [pid, own] = clusterPorts ? ['global_pid', 'citus_backend_gpid()'] : ['pid', 'pg_backend_pid()'];
  const { rowCount } = await holder.query(
    `select pg_terminate_backend(${pid}) from ${ACTIVITY}
     where datname = current_database() and application_name ~ '^(earmark|citus_internal)' and ${pid} <> ${own} and $1 = (wait_event_type is not distinct from 'Lock')`,
    [waiting],
  );
  return rowCount;
}

function assertServerError(answer: Answer, logs: string[]): void {
  const id = String(answer.headers['x-request-id']);
  assertPlainRefusal(answer, 'serverError', `A server error occurred. Error ID: ${id}`);
  assert.doesNotMatch(answer.text.replace('server error', ''), INSIDE);
  const messages = logs.filter((line) => line.includes(id) && line.includes('"level":50'));
  assert.equal(messages.length, 1, 'logged once');
  assert.match(messages[0]!, /relation .* does not exist/);
}

test('answers an internal error with 500 and the id of its log line, without internal details', async (t) => {
  const { sql, call, from, to, customer, move, label, logs } = await openLabels(await startService(t));
  await sql`alter table ledger_account rename to lost`;
  const faulty = [
    await call('GET', from),
    await call('GET', `${customer}/labels`),
    await call('GET', `${customer}/balance`),
    await call('GET', `${from}/ledger-entries`),
    await call('DELETE', to),
    await move('k'),
    await label('l'),
  ];
  for (const answer of faulty) assertServerError(answer, logs);
  const id = '01234567-89ab-4cde-8f01-23456789abcd';
  const named = await call('GET', from, { headers: { 'x-request-id': id } });
  assert.equal(named.body.message, `A server error occurred. Error ID: ${id}`);
  await sql`alter table lost rename to ledger_account`;
  for (const answer of [await move('k'), await label('l')]) {
    assert.deepEqual([answer.status, answer.headers['idempotent-replayed']], [201, undefined], 'an error leaves the key free');
  }
  assert.equal((await call('GET', to)).body.amount.value, '1.00');
});

test('treats a missing file as an internal error and a missing socket as an unavailable database', async (t) => {
  const { service } = await startService(t);
  const app = await buildApp(service);
  t.after(() => app.close());
  app.get('/file', { config: { public: true } }, () => readFile('/nowhere/at-all'));
  app.get('/socket', { config: { public: true } }, () => once(connect('/nowhere/at-all'), 'connect'));
  assert.equal((await app.inject('/file')).statusCode, 500);
  assert.equal((await app.inject('/socket')).statusCode, 503);
});

test('confines an error to its own request within a batch', async (t) => {
  const { sql, call, reallocation, from, to, newCustomer, newLabel } = await openLabels(await startService(t));
  const other = await newCustomer({ available: '5.00' });
  const [one, two] = [await newLabel(other, '5.00'), await newLabel(other)];
  await sql`alter table transfer add constraint fault check (reference <> 'fault')`;
  const send = (a: string, b: string, reference: string) =>
    call('POST', '/label-reallocations', { body: { ...reallocation(a, b, '1.00'), reference } });
  const answers = await Promise.all([
    ...['a', 'fault', 'b'].map((reference) => send(from, to, reference)),
    ...['c', 'fault', 'd'].map((reference) => send(one, two, reference)),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [201, 500, 201, 201, 500, 201],
  );
  for (const label of [to, two]) assert.equal((await call('GET', label)).body.amount.value, '2.00');
});

test('answers 503 with Retry-After while the database is unavailable, and recovers by itself', async (t) => {
  const service = await openLabels(await startService(t));
  const { call, from, to, customer, move, label, logs } = service;
  assert.equal((await call('GET', '/health/ready')).body.status, 'ok');
  const database = gate(service);
  await database.close();
  const moved = move('k');
  const ready = () => call('GET', '/health/ready');
  // A cluster notices it within two seconds, a single server at once.
  if (clusterPorts) await waitUntil('the service is not ready', async () => (await ready()).status === 503);
  for (const answer of [
    await call('GET', from),
    await call('GET', `${customer}/balance`),
    await call('DELETE', to),
    await label('l'),
    await ready(),
  ]) {
    assertUnavailable(answer);
    assert.doesNotMatch(answer.text, INSIDE);
  }
  assert.deepEqual((await call('GET', '/health/live')).body, { status: 'ok' });
  assert.equal((await call('GET', '/')).status, 200, 'a request that needs no database is answered');
  assert.equal(logs.filter((line) => /"level":[56]0/.test(line)).length, 0, 'an outage is logged as a warning');
  await database.open();
  await waitUntil('the service is ready', async () => (await ready()).status === 200);

  const first = await moved;
  if (first.status !== 201) assertUnavailable(first);
  const again = await move('k');
  assert.equal(again.status, 201);
  assert.equal((await label('l')).status, 201);
  assert.equal((await call('GET', to)).body.amount.value, '1.00', 'moved once');
});

/** Databases that can be read but not written: a full disk, by the error it causes, and a read-only server. */
const UNWRITABLE: Record<string, [begin: string, end: string]> = {
  'a disk is full': [
    `create function refuse_row() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
     create function refuse_table() returns event_trigger language plpgsql as
       $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
     create trigger refuse_row before insert on transfer execute function refuse_row();
     create trigger refuse_row before insert on customer execute function refuse_row();
     create event trigger refuse_table on ddl_command_start when tag in ('CREATE TABLE AS') execute function refuse_table()`,
    `drop event trigger refuse_table; drop function refuse_row() cascade`,
  ],
  'a server is read-only': [
    `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
    `set transaction_read_only = off;
     do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$`,
  ],
};

const noTriggers = clusterPorts && 'distributed tables have no triggers';

for (const [what, [begin, end]] of Object.entries(UNWRITABLE)) {
  test(`${what}: writes answer 503, readiness stays red, and the log reports it once`, {
    skip: what === 'a disk is full' && noTriggers,
  }, async (t) => {
    const { call, customer, move, newCustomer, databaseUrl, logs, ports } = await openLabels(await startService(t));
    const ready = async () => (await call('GET', '/health/ready')).status;
    const operator = await connectBeside(t, databaseUrl);
    const change = async (statements: string) => {
      for (const url of urlsOf(databaseUrl)) await query(url, statements);
      await cut(operator, { waiting: false });
    };
    await change(begin);
    await waitUntil('the customer is readable', async () => (await call('GET', customer)).status === 200);
    const before = logs.length;
    for (let n = 0; n < 5; n++) {
      assertUnavailable(await move());
      await assert.rejects(newCustomer(), /ServiceUnavailable/);
    }
    assert.equal((await call('GET', customer)).status, 200, 'reads work');
    const messages = logs
      .slice(before)
      .filter((line) => line.includes('"stack"'))
      .map((line) => JSON.parse(line).msg);
    assert.ok(messages.includes('database is unavailable'));
    const times = (message: string) => messages.filter((one) => one === message).length;
    assert.ok(
      messages.every((one) => times(one) <= ports.length),
      `each message once in a process: ${messages.join(', ')}`,
    );
    if (clusterPorts) await waitUntil('the service is not ready', async () => (await ready()) === 503);
    // Also while nothing is written.
    for (let n = 0; n < 5; n++) assert.equal(await ready(), 503);
    await change(end);
    await waitUntil('the service is ready', async () => (await ready()) === 200);
    assert.equal((await move()).status, 201);
  });
}

test('replaces broken connections, and posts a transfer again that was cut in its commit', async (t) => {
  const service = await openLabels(await startService(t));
  const { call, customer, move, from, to, databaseUrl, ports } = service;
  const holder = await connectBeside(t, databaseUrl);
  await cut(holder, { waiting: false });
  // Each process notices it with the first request.
  for (const _ of ports) assert.ok([200, 503].includes((await call('GET', customer)).status));
  for (const _ of ports) assert.equal((await move()).status, 201);

  await holder.query('begin');
  await lockLabel(holder, from);
  const moving = move('m');
  await waitUntil('a connection that waits is cut', async () => (await cut(holder, { waiting: true })) === 1);
  await holder.query('rollback');
  assert.equal((await moving).status, 201);
  assert.equal((await call('GET', to)).body.amount.value, `${ports.length + 1}.00`);
});

test('answers 503 when a connection breaks in a transaction, without other effects', async (t) => {
  const { call, customer, label, databaseUrl } = await openLabels(await startService(t));
  const holder = await connectBeside(t, databaseUrl);
  await holder.query('begin');
  await lockCustomer(holder, customer);
  const waiting = label('k');
  await waitUntil('a connection that waits is cut', async () => (await cut(holder, { waiting: true })) === 1);
  assertUnavailable(await waiting);
  await holder.query('rollback');
  assert.equal((await label('k')).status, 201);
  assert.equal((await call('GET', `${customer}/labels`)).body.total, 3);
});
