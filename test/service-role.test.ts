// The database role of a service on the embedded server: what it cannot do, and data directories from before it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { findEmbedded, startEmbedded } from '../src/platform/db/embedded.ts';
import { query } from './support/database.ts';
import { call, tokenOf } from './support/http.ts';
import { endServer, runCli, runCliJson, sandboxOf, scratch, serve } from './support/process.ts';
import type { TestScope } from './support/test-scope.ts';

const DENIED = '42501';
/** What would hide something, or reach beyond the database. */
const ATTACKS = [
  'update audit_entry set actor = $$nobody$$',
  'delete from audit_entry',
  'truncate audit_entry',
  'alter table audit_entry disable trigger all',
  'drop trigger audit_entry_append_only on audit_entry',
  'drop table audit_entry',
  'set session_replication_role = replica',
  'create or replace function refuse_change_of_audit() returns trigger language plpgsql as $$ begin return new; end $$',
  'delete from audit_chain',
  'insert into audit_chain (number, entry_id, hash) values (1000000, gen_random_uuid(), $$x$$)',
  'delete from schema_migration',
  'create table public.planted (id int)',
  'alter table transfer disable trigger all',
  'alter role earmark_service superuser',
  'create role planted login superuser',
  'set role earmark',
  `copy (select 'x') to program 'true'`,
  `select pg_read_file('postgresql.conf')`,
  `alter system set fsync = off`,
];

async function serveIn(t: TestScope, dataDir: string) {
  const service = await serve(t, { DATA_DIR: dataDir });
  t.after(() => endServer(dataDir));
  return service;
}

async function works(dataDir: string, url: string): Promise<void> {
  const token = (await tokenOf(url, sandboxOf(dataDir)))!;
  assert.equal((await call(sandboxOf(dataDir).labels[0], token)).status, 200);
}

test('a service is no superuser, and cannot change the audit log, its triggers or the schema', async (t) => {
  const dataDir = join(scratch(t), 'data');
  const service = await serveIn(t, dataDir);
  await works(dataDir, service.url);
  const { url, serviceUrl } = await startEmbedded({ dataDir });
  const sessions = await query<{ usename: string; name: string }>(
    url,
    `select distinct usename::text, application_name as name from pg_stat_activity
     where datname = 'earmark' and pid <> pg_backend_pid() and application_name <> ''`,
  );
  assert.ok(sessions.length >= 2);
  assert.deepEqual(
    sessions.filter(({ usename }) => usename !== 'earmark_service'),
    [],
  );
  assert.equal((await runCli(t, ['operator', 'create', 'Ada', '--role', 'admin'], { DATA_DIR: dataDir })).code, 0);
  const [role] = await query(
    serviceUrl,
    'select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication from pg_roles where rolname = current_user',
  );
  assert.deepEqual(Object.values(role!), [false, false, false, false, false]);
  for (const statement of ATTACKS) await assert.rejects(query(serviceUrl, statement), { code: DENIED }, statement);
  // Its own work: a table that has grown is analysed, and a sandbox is reset.
  await query(serviceUrl, 'analyze ledger_account');
  const [analysed] = await query<{ done: boolean }>(
    url,
    `select last_analyze is not null as done from pg_stat_user_tables where relname = 'ledger_account'`,
  );
  assert.equal(analysed!.done, true);
  const token = (await tokenOf(service.url, sandboxOf(dataDir)))!;
  const reset = await fetch(`${service.url}/sandbox/reset`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  assert.equal(reset.status, 200, await reset.text());
  const { operators } = await runCliJson<{ operators: unknown[] }>(t, ['operator', 'list'], { DATA_DIR: dataDir });
  assert.equal(operators.length, 1);
});

test('a data directory from before the role gets it at the next start', async (t) => {
  const dataDir = join(scratch(t), 'data');
  const first = await serveIn(t, dataDir);
  await query((await findEmbedded(dataDir))!, 'drop owned by earmark_service');
  first.child.kill('SIGTERM');
  await first.ended;
  const { url, stop } = await startEmbedded({ dataDir });
  await query(url, 'drop role earmark_service');
  await stop();
  const second = await serveIn(t, dataDir);
  await works(dataDir, second.url);
  assert.equal((await runCli(t, ['verify', '--full'], { DATA_DIR: dataDir })).code, 0);
  assert.equal((await runCli(t, ['jobs', 'run', 'prune-events'], { DATA_DIR: dataDir })).code, 0);
});
