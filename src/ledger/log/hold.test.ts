// Tests of logs whose database server changes: nothing is signed that could contradict what was signed.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseCheckpoint } from '../../../packages/proof/src/note.ts';
import { usd } from '../../../test/support/data.ts';
import { coveredLog } from '../../../test/support/logs.ts';
import { assertOneLine, runCli, runCliJson, scratch, settingsOf } from '../../../test/support/process.ts';
import { readExposition } from '../../../test/support/prometheus.ts';
import { openLabels, startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { type Fragment, identifier } from '../../platform/db/sql.ts';

const marks = join(scratch({ after }), 'marks');
mkdirSync(marks);
const service = await startService({ after }, { env: { CHECKPOINT_DIR: marks } });
const { sql } = service;

type Account = Awaited<ReturnType<typeof openLabels>>;

const idOf = ({ client }: Account) => client.account_id;
const markOf = (account: Account) => join(marks, `${idOf(account)}.checkpoint`);
const spend = (account: Account) =>
  account.create('/label-reallocations', account.reallocation(account.from, account.to, '1.00'));
const served = async (account: Account) => (await account.call('GET', `/accounts/${idOf(account)}/log/checkpoint`)).text;
const errors = (account: Account) => service.logs.filter((line) => line.includes('"level":50') && line.includes(idOf(account)));

/** Waits until the log is held, and returns what the operator reads. */
function held(account: Account): Promise<string> {
  return waitUntil('the log is held', async () => {
    const [row] = await sql<{ held: boolean }>`
      select held is not null as held from transparency_log where account_id = ${idOf(account)}`;
    const [line] = errors(account);
    return row!.held && line !== undefined && JSON.parse(line).msg;
  });
}

test('the mark is the newest checkpoint, and what another server has lost or not decides whether the log goes on', async () => {
  const account = await openLabels(service);
  const { note } = await coveredLog(account);
  assert.equal(readFileSync(markOf(account), 'utf8'), note);
  await sql`update transparency_log set server = 'other/00000001' where account_id = ${idOf(account)}`;
  await waitUntil('the log is signed on this server', async () => {
    const [row] = await sql<{ server: string }>`select server from transparency_log where account_id = ${idOf(account)}`;
    return /^\d+\/[0-9A-F]{8}$/.test(row!.server);
  });
  await spend(account);
  await coveredLog(account);
  assert.deepEqual(errors(account), []);
});

test('a log whose server changed is held if no mark was kept, and continues after a checkpoint that it contains', async (t) => {
  const account = await openLabels(service);
  const before = await coveredLog(account);
  rmSync(markOf(account));
  await sql`update transparency_log set server = 'other/00000001' where account_id = ${idOf(account)}`;
  assert.match(
    await held(account),
    /is held, and nothing is signed: another database server has signed it, and CHECKPOINT_DIR has no/,
  );
  await spend(account);
  assert.equal(await served(account), before.note, 'the newest checkpoint is still served');
  await waitUntil('the metric counts it', async () => {
    const { value } = readExposition((await service.send('GET', '/metrics')).text);
    return value('earmark_transparency_logs_held') === 1;
  });
  const file = join(scratch(t), 'checkpoint');
  writeFileSync(file, before.note);
  await runCliJson(t, ['log', 'continue', '--checkpoint', file], settingsOf(service));
  const { origin, size } = await coveredLog(account);
  assert.equal(origin, before.origin);
  assert.ok(size > before.size);
});

test('a log that lost entries is held whatever server it is on, until it is forked', async (t) => {
  const account = await openLabels(service);
  await coveredLog(account);
  const restore = await snapshot(account);
  await spend(account);
  const lost = await coveredLog(account);
  await restore();
  await spend(account);
  await spend(account);
  const reason = await held(account);
  assert.match(reason, /it differs from the checkpoint in CHECKPOINT_DIR\. See earmark log continue --help\.$/);
  const [before] = await sql<{ size: bigint }>`select size from transparency_log where account_id = ${idOf(account)}`;
  assert.ok(before!.size < lost.size);
  assert.notEqual(await served(account), lost.note);
  assertOneLine(
    await runCli(t, ['log', 'continue', '--checkpoint', markOf(account)], settingsOf(service)),
    /differs from the checkpoint/,
  );
  await runCliJson(t, ['log', 'continue', '--fork-log', '--yes'], settingsOf(service));
  const forked = await coveredLog(account);
  assert.match(forked.origin, new RegExp(`^${lost.origin}/\\d{10}$`));
  assert.equal(readFileSync(markOf(account), 'utf8'), lost.note, 'the mark of the lost past stays');
});

test('a log that is behind its mark only because a commit failed goes on', async () => {
  const account = await openLabels(service);
  await coveredLog(account);
  const restore = await snapshot(account, ['transparency_log', 'log_tile', 'log_entries']);
  await spend(account);
  const signed = await coveredLog(account);
  await restore();
  await waitUntil('the log is signed again', async () => parseCheckpoint(await served(account))!.size >= signed.size);
  assert.deepEqual(errors(account), []);
});

test('entries stay as they are when the commit of their checkpoint fails, whatever changes meanwhile', async () => {
  const account = await openLabels(service);
  await coveredLog(account);
  const { label, signAgain } = await failToSign(account);
  assert.equal((await account.call('POST', label, { body: { name: 'Renamed' } })).status, 200);
  await signAgain();
  const { note } = await coveredLog(account);
  assert.equal(readFileSync(markOf(account), 'utf8'), note);
  assert.deepEqual(errors(account), []);
});

test('a log that went back to entries which were not signed yet is held if more were signed since', async (t) => {
  const account = await openLabels(service);
  await coveredLog(account);
  const { signAgain } = await failToSign(account);
  const restore = await snapshot(account);
  await signAgain();
  await spend(account);
  const lost = await coveredLog(account);
  await restore();
  assert.match(
    await held(account),
    new RegExp(`it has ${lost.size - 1} entries, and the checkpoint in CHECKPOINT_DIR ${lost.size}`),
  );
  assert.ok(parseCheckpoint(await served(account))!.size < lost.size);
  await runCliJson(t, ['log', 'continue', '--fork-log', '--yes'], settingsOf(service));
});

test('a mark that is no checkpoint stops the log with a clear message, and nothing else', async () => {
  const account = await openLabels(service);
  const before = await coveredLog(account);
  writeFileSync(markOf(account), 'nothing');
  await spend(account);
  await waitUntil('it is logged', () =>
    service.logs.some((line) => line.includes(`${idOf(account)}.checkpoint is not a checkpoint of`)),
  );
  assert.equal(await served(account), before.note);
  writeFileSync(markOf(account), before.note);
  await coveredLog(account);
});

/** Creates a label, and lets the commit of its checkpoint fail until `signAgain`: the mark is newer than what is served. */
async function failToSign(account: Account): Promise<{ label: string; signAgain(): Promise<void> }> {
  await sql`create function fail() returns trigger language plpgsql as 'begin raise exception $$The disk is full.$$; end'`;
  await sql`
    create constraint trigger fail after update on transparency_log deferrable initially deferred
    for each row when (new.checkpoint is distinct from old.checkpoint) execute function fail()`;
  const before = await served(account);
  const label = await account.create(`${account.customer}/labels`, { name: 'Rent', amount: usd('1.00') });
  await waitUntil('a commit fails', () => readFileSync(markOf(account), 'utf8') !== before);
  assert.equal(await served(account), before);
  return {
    label,
    async signAgain() {
      await sql`drop trigger fail on transparency_log`;
      await sql`drop function fail`;
    },
  };
}

let copies = 0;
const FEED = ['event', 'event_head', 'event_topic', 'transparency_log', 'log_tile', 'log_entries'];

/** Keeps the feed and the log of an account. Returns a function that takes them back, as a restore to this moment does. */
async function snapshot(account: Account, tables = FEED): Promise<() => Promise<void>> {
  const id = idOf(account);
  const kept = new Map<Fragment, Fragment>();
  for (const table of tables) {
    const copy = identifier(`kept_${table}_${++copies}`);
    await sql`create table ${copy} as select * from ${identifier(table)}`;
    kept.set(identifier(table), copy);
  }
  return () =>
    service.service.database.transaction(async (tx) => {
      await tx`select 1 from event_cursor for update`;
      await tx`select 1 from transparency_log where account_id = ${id} for update`;
      for (const [table, name] of kept) {
        await tx`delete from ${table} where account_id = ${id}`;
        await tx`insert into ${table} select * from ${name} where account_id = ${id}`;
      }
    });
}
