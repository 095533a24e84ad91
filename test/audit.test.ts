// Tests of `earmark audit`: it holds on an honest service, and finds and names what an operator could change in the database.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { parseCheckpoint } from '../src/proof/note.ts';
import { packEntries, unpackBundle } from '../src/proof/stored-entries.ts';
import { idOf } from './support/http.ts';
import { coveredLog } from './support/logs.ts';
import { assertOneLine, runCli } from './support/process.ts';
import { openLabels, startService, type TestService } from './support/service.ts';

const shared = await startService({ after });

type Audited = { args: string[]; env: Record<string, string>; file: string };
type Account = TestService & { from: string; to: string };

/** An account with three reallocations, which its log covers, and how to audit it. */
async function openAudited(): Promise<Account & Audited> {
  const account = await openLabels(shared);
  for (const value of ['10.00', '20.00', '30.00'])
    await account.create('/label-reallocations', account.reallocation(account.from, account.to, value));
  await coveredLog(account);
  const { log } = await account.get(`${account.url}/accounts/${account.client.account_id}`);
  const file = join(shared.dataDir, `${account.client.account_id}.checkpoint`);
  const args = ['audit', '--url', account.url, '--account', account.client.account_id, '--key', log.key];
  const env = { EARMARK_CLIENT_ID: account.client.client_id, EARMARK_CLIENT_SECRET: account.client.client_secret };
  return { ...account, args, env, file };
}

async function findContradictions(t: TestContext, { args, env }: Audited): Promise<string> {
  const { code, stdout, stderr } = await runCli(t, args, env);
  assert.equal(code, 1, stdout + stderr);
  assert.match(stdout, /^BROKEN/);
  return stdout;
}

test('holds on an honest service, and again with the checkpoint that it saved', async (t) => {
  const account = await openAudited();
  const first = await runCli(t, [...account.args, '--save', account.file], account.env);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  assert.match(first.stdout, /^holds {3}log: \d+ entries lead to the signed checkpoint of localhost:\d+\/accounts\//);
  const { size } = parseCheckpoint(readFileSync(account.file, 'utf8'))!;
  const piped = await runCli(t, [...account.args, '--save', '-'], account.env);
  assert.deepEqual([piped.code, piped.stdout, piped.stderr], [0, readFileSync(account.file, 'utf8'), first.stdout]);
  await account.create('/label-reallocations', account.reallocation(account.to, account.from, '60.00'));
  await account.call('DELETE', account.to);
  await coveredLog(account);
  const again = await runCli(t, [...account.args, '--checkpoint', account.file, '--json'], account.env);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  assert.deepEqual(JSON.parse(again.stdout), {
    ...{ log: parseCheckpoint(readFileSync(account.file, 'utf8'))!.origin, holds: true },
    ...{ entries: size + 2, labels: 1, pruned: 0, contradictions: [] },
  });
});

test('names a changed row of the ledger, of a label and of the feed', async (t) => {
  const account = await openAudited();
  const [from, to] = [idOf(account.from), idOf(account.to)];
  await shared.sql`update transfer set amount = 1900, to_balance = 2900 where to_id = ${to} and to_sequence = 2`;
  const changed = await findContradictions(t, account);
  assert.match(
    changed,
    new RegExp(`changed row: label ${to} shows 19.00 with balance 29.00 at sequence 2, and entry \\d+ of the log 20.00`),
  );
  await shared.sql`update transfer set amount = 2000, to_balance = 3000 where to_id = ${to} and to_sequence = 2`;
  await shared.sql`update ledger_account set balance = balance + 1 where id = ${from}`;
  assert.match(await findContradictions(t, account), new RegExp(`changed row: the amount of label ${from} is not the balance`));
  await shared.sql`update ledger_account set balance = balance - 1 where id = ${from}`;
  await shared.sql`update event set resource_id = ${from} where resource_id = ${to} and account_id = ${account.client.account_id}`;
  assert.match(
    await findContradictions(t, account),
    new RegExp(`changed row: event \\S+ shows resourceId ${from}, and entry \\d+`),
  );
});

test('names a removed event', async (t) => {
  const account = await openAudited();
  const [event] = await shared.sql<{ id: string }>`
    delete from event where account_id = ${account.client.account_id} and position = 3 returning id`;
  assert.match(
    await findContradictions(t, account),
    new RegExp(`removed event: event ${event!.id} of entry 2 is not in the feed`),
  );
});

test('names a reordered feed', async (t) => {
  const account = await openAudited();
  const swap = async (one: number, other: number) =>
    shared.sql`update event set position = ${other} where account_id = ${account.client.account_id} and position = ${one}`;
  for (const [one, other] of [
    [3, 0],
    [4, 3],
    [0, 4],
  ] as const)
    await swap(one, other);
  assert.match(await findContradictions(t, account), /reordered feed: event \S+ is not at the place of entry 2/);
});

test('names an entry of the log that was changed, and missing ones', async (t) => {
  const account = await openAudited();
  const { account_id } = account.client;
  const rows = await shared.sql<{
    first: bigint;
    entries: Buffer;
  }>`select first, entries from log_entries where account_id = ${account_id}`;
  for (const { first, entries } of rows) {
    const text = unpackBundle(entries)!.toString('latin1');
    const changed = packEntries(Buffer.from(text.replace('"amount":"20.00"', '"amount":"20.01"'), 'latin1'));
    await shared.sql`update log_entries set entries = ${changed} where account_id = ${account_id} and first = ${first}`;
  }
  assert.match(await findContradictions(t, account), /changed row: entry \d+ of the log \(event \S+\) is not what was hashed/);
  await shared.sql`delete from log_entries where account_id = ${account_id}`;
  assert.match(await findContradictions(t, account), /BROKEN {2}entries 0 to \d+ are (incomplete|missing) in the log/);
});

test('names a log that is not the one of the earlier checkpoint', async (t) => {
  const account = await openAudited();
  await runCli(t, [...account.args, '--save', account.file], account.env);
  const args = [...account.args, '--checkpoint', account.file];
  // A restore of an older state whose hold was removed by hand: the log goes on as if nothing had happened.
  await shared.sql`update transparency_log set size = 0, checkpoint = null, signers = null where account_id = ${account.client.account_id}`;
  await shared.sql`delete from log_entries where account_id = ${account.client.account_id}`;
  await shared.sql`delete from log_tile where account_id = ${account.client.account_id}`;
  await shared.sql`update event set created = created + interval '1 ms' where account_id = ${account.client.account_id} and position = 1`;
  await coveredLog(account);
  assert.match(await findContradictions(t, { ...account, args }), /forked: the first \d+ entries are not those of the earlier/);
  await account.create('/sandbox/reset').catch(() => {});
  await coveredLog(account);
  assert.match(await findContradictions(t, { ...account, args }), /forked: the log is now \S+\/log\/2, not \S+\/log;/);
});

test('a service that cannot be reached, and arguments that are wrong, are no contradictions', async (t) => {
  const account = await openAudited();
  assert.equal((await runCli(t, [...account.args, '--url', 'http://127.0.0.1:9'], account.env)).code, 2);
  const refused = { ...account.env, EARMARK_CLIENT_SECRET: 'wrong' };
  assertOneLine(await runCli(t, account.args, refused), /refused the credentials/, 2);
  assertOneLine(await runCli(t, account.args, {}), /Set EARMARK_CLIENT_ID and EARMARK_CLIENT_SECRET/, 2);
  writeFileSync(account.file, 'nothing');
  assertOneLine(await runCli(t, [...account.args, '--checkpoint', account.file], account.env), /is not a checkpoint/, 2);
  assert.ok(existsSync(account.file));
});
