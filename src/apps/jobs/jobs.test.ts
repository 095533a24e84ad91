// Tests of the housekeeping jobs: what each deletes and keeps, run by command and by schedule.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runCli, settingsOf } from '../../../test/support/process.ts';
import { startService } from '../../../test/support/service.ts';
import { catalog } from './catalog.ts';
import { startSchedule } from './schedule.ts';

const file = { after };
const service = await startService(file);
const { sql, call, send, client, tokenOf, newCustomer } = service;
const run = async (job: string) => JSON.parse((await runCli(file, ['jobs', 'run', job, '--json'], settingsOf(service))).stdout);
const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid;
const kidsOf = async (at: typeof service) =>
  (await at.send('GET', '/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid);

test('keeps idempotency keys for a day', async () => {
  const customer = await newCustomer();
  const body = { amount: { value: '0', currency: 'USD' } };
  const create = (key: string) => call('POST', `${customer}/labels`, { body, key });
  await create('old');
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await sql`update idempotency_key set created = ${hoursAgo(24.1)}`;
  await create('new');
  await sql`update idempotency_key set created = ${hoursAgo(23)} where created > ${hoursAgo(1)}`;
  assert.deepEqual(await run('prune-idempotency-keys'), { deleted: 1 });
  assert.equal((await create('new')).headers['idempotent-replayed'], 'true');
  assert.equal((await create('old')).headers['idempotent-replayed'], undefined);
  assert.equal((await call('GET', `${customer}/labels`)).body.total, 3);
});

test('keeps revocations until a day after their token expires', async () => {
  const { client_id, client_secret } = client;
  for (const _ of [1, 2]) {
    const form = new URLSearchParams({ token: await tokenOf(client), client_id, client_secret }).toString();
    assert.equal((await send('POST', '/token/revoke', { form })).status, 200);
  }
  await sql`update revoked_token set expires = now() - interval '25 hours' where jti = (select min(jti::text) from revoked_token)::uuid`;
  assert.deepEqual(await run('prune-revoked-tokens'), { deleted: 1 });
  assert.equal((await sql`select 1 from revoked_token`).length, 1);
});

test('publishes a signing key before it signs, and keeps it until its tokens have expired', async () => {
  const [first] = await kidsOf(service);
  assert.deepEqual(await run('rotate-signing-keys'), { made: 0, removed: 0 });
  await sql`update signing_key set created = created - interval '91 days'`;
  assert.deepEqual(await run('rotate-signing-keys'), { made: 1, removed: 0 });
  assert.deepEqual(await run('rotate-signing-keys'), { made: 0, removed: 0 });

  const published = await startService(file, { beside: service, env: { PUBLIC_URL: service.url } });
  const kids = await kidsOf(published);
  assert.equal(kids.length, 2);
  assert.equal(kids[1], first);
  const before = await published.tokenOf(client);
  assert.equal(kidOf(before), first, 'other processes may not know the new key yet');

  await sql`update signing_key set created = created - interval '11 minutes'`;
  const signing = await startService(file, { beside: service, env: { PUBLIC_URL: service.url } });
  const signed = await signing.tokenOf(client);
  assert.equal(kidOf(signed), kids[0]);
  for (const token of [before, signed]) assert.equal((await signing.call('GET', '/', { token })).status, 200);

  const listed = async () => {
    const { signing_keys } = JSON.parse((await runCli(file, ['keys', 'list', '--json'], settingsOf(service))).stdout);
    return signing_keys.map(({ kid, state }: { kid: string; state: string }) => [kid, state]);
  };
  assert.deepEqual(await listed(), [
    [kids[0], 'signs'],
    [kids[1], 'verifies'],
  ]);

  await sql`update signing_key set created = created - interval '26 hours'`;
  assert.deepEqual(await run('rotate-signing-keys'), { made: 0, removed: 1 });
  const left = await startService(file, { beside: service, env: { PUBLIC_URL: service.url } });
  assert.deepEqual(await kidsOf(left), [kids[0]]);
  const { stdout } = await runCli(file, ['keys', 'rotate', '--signing', '--yes', '--json'], settingsOf(service));
  assert.deepEqual(JSON.parse(stdout), { made: 1, removed: 0 });
  await sql`update signing_key set created = now() - interval '5 minutes' where kid = ${kids[0]}`;
  const [next, signs] = await listed();
  assert.equal(next[1], 'next');
  assert.deepEqual(signs, [kids[0], 'signs'], 'the oldest signs while other processes may know no other');
});

test('a service runs each job when it is due, in one process at a time, and logs it', async (t) => {
  const { config, database, sealer, clock, documents, metrics, log } = service.service;
  const tools = { config, database, sealer, clock, stores: documents.stores, metrics, log };
  const [one, other] = [startSchedule(tools), startSchedule(tools)];
  t.after(() => Promise.all([one.stop(), other.stop()]));
  await sql`delete from job`;
  await Promise.all([one.runDue(), other.runDue()]);
  const rows = await sql<{ name: string; error: string | null; succeeded: Date; due: Date }>`select * from job order by name`;
  assert.deepEqual(
    rows.map(({ name, error }) => [name, error]),
    [...catalog].sort((one, other) => (one.name < other.name ? -1 : 1)).map(({ name }) => [name, null]),
  );
  const everyMs = new Map<string, number>(catalog.map(({ name, everySeconds }) => [name, everySeconds * 1000]));
  for (const { name, due, succeeded } of rows) assert.equal(due.getTime() - succeeded.getTime(), everyMs.get(name), name);
  const ran = async () =>
    (await sql<{ started: Date }>`select started from job where name = 'prune-events'`)[0]!.started.getTime();
  const first = await ran();
  await one.runDue();
  assert.equal(await ran(), first, 'not due');
  await sql`update job set due = now() - interval '1 second' where name = 'prune-events'`;
  await other.runDue();
  assert.ok((await ran()) > first, 'due');
  const second = await ran();
  await sql`update job set due = now(), held_until = now() + interval '1 minute' where name = 'prune-events'`;
  await one.runDue();
  assert.equal(await ran(), second, 'another process runs it');
  await sql`update job set held_until = now() - interval '1 second' where name = 'prune-events'`;
  await one.runDue();
  assert.ok((await ran()) > second, 'that process died');

  const { text } = await send('GET', '/metrics');
  assert.match(text, /^earmark_job_runs_total\{task="prune-events",outcome="done"\} 3$/m);
  assert.match(text, /^earmark_job_last_success_timestamp_seconds\{task="rotate-signing-keys"\} [0-9.]+$/m);
  const listed = JSON.parse((await runCli(file, ['jobs', 'list', '--json'], settingsOf(service))).stdout).jobs;
  assert.deepEqual([listed.length, listed[0].error, listed[0].every_seconds], [rows.length, '', 3600]);
});

test('a failed job reports its error and is retried an hour later', async (t) => {
  const { config, database, sealer, clock, documents, metrics, log } = service.service;
  const broken = {
    ...documents.stores,
    current: { ...documents.stores.current, sweep: () => Promise.reject(new Error('no store')) },
  };
  const schedule = startSchedule({ config, database, sealer, clock, stores: broken, metrics, log });
  t.after(schedule.stop);
  await sql`update job set due = now() - interval '1 second' where name = 'erase-documents'`;
  await schedule.runDue();
  const [row] = await sql<{
    error: string;
    due: Date;
    finished: Date;
    succeeded: Date;
  }>`select * from job where name = 'erase-documents'`;
  assert.equal(row!.error, 'no store');
  assert.ok(row!.succeeded < row!.finished && row!.due > row!.finished);
  assert.ok(service.logs.some((line) => line.includes('job failed') && line.includes('no store')));
  assert.match((await send('GET', '/metrics')).text, /^earmark_job_runs_total\{task="erase-documents",outcome="failed"\} 1$/m);

  // What the runbook of the alert says to do.
  await run('erase-documents');
  const [after] = await sql<{
    error: string | null;
    due: Date;
    succeeded: Date;
  }>`select * from job where name = 'erase-documents'`;
  assert.equal(after!.error, null);
  assert.ok(after!.succeeded > row!.finished && after!.due > row!.due);
  const [entry] = await sql<{ detail: object }>`select detail from audit_entry where action = 'run_job' order by id desc limit 1`;
  assert.deepEqual(entry?.detail, { job: 'erase-documents' });
});
