// Tests of `earmark audit`: it holds on an honest service, and finds and names what an operator could change in the database.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { parseCheckpoint } from '../packages/proof/src/note.ts';
import { packEntries, unpackBundle } from '../packages/proof/src/stored-entries.ts';
import { verifyLedger } from '../src/apps/service/ledger-check.ts';
import { serveForgedLog } from './support/forged-log.ts';
import { idOf } from './support/http.ts';
import { coveredLog } from './support/logs.ts';
import { assertOneLine, runCli, settingsOf } from './support/process.ts';
import { startRecordingProxy } from './support/recording-proxy.ts';
import { openLabels, startService, type TestService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

const shared = await startService({ after });

type Audited = { args: string[]; env: Record<string, string>; file: string };
type Account = TestService & { customer: string; from: string; to: string };

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
  const byUrl = [...account.args, '--account', `${account.url}/accounts/${account.client.account_id}`];
  assert.equal((await runCli(t, byUrl, account.env)).stdout, first.stdout);
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
    ...{ entries: size + 2, customers: 1, labels: 1, statements: 1, erased: 0, old: 0, late: 0, pruned: 0, contradictions: [] },
  });
});

test('waits for the checkpoint of a log that has none for a moment', async (t) => {
  const account = await openAudited();
  const { port } = new URL(account.url);
  const proxy = await startRecordingProxy(t, Number(port));
  const log = account.client.account_id;
  const [stored] = await shared.sql<{ checkpoint: string }>`select checkpoint from transparency_log where account_id = ${log}`;
  await shared.sql`update transparency_log set checkpoint = null, held = now() where account_id = ${log}`;
  const audited = runCli(t, [...account.args, '--url', proxy.url], account.env);
  await waitUntil('the audit has asked for the checkpoint', async () => proxy.take().some(({ answer }) => answer.status === 503));
  await shared.sql`update transparency_log set checkpoint = ${stored!.checkpoint}, held = null where account_id = ${log}`;
  const { code, stdout, stderr } = await audited;
  assert.equal(code, 0, stdout + stderr);
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

test('names a deposit that was changed with all balances that follow from it', async (t) => {
  const account = await openAudited();
  const { sql } = shared;
  const customer = idOf(account.customer);
  const [deposit] = await sql<{ id: string; fromId: string; toId: string }>`
    select id, from_id, to_id from transfer where customer_id = ${customer} and kind = 'deposit'`;
  const { id, fromId, toId } = deposit!;
  // 1000.00 becomes 980.00, as if it had always been so: the stored rows agree with each other.
  await sql`update transfer set amount = amount - 2000, from_balance = from_balance + 2000 where id = ${id}`;
  await sql`update transfer set to_balance = to_balance - 2000 where to_id = ${toId}`;
  await sql`update transfer set from_balance = from_balance - 2000 where from_id = ${toId}`;
  await sql`update ledger_account set balance = balance + 2000 where id = ${fromId}`;
  await sql`update ledger_account set balance = balance - 2000 where id = ${toId}`;
  const found = await findContradictions(t, account);
  assert.match(found, new RegExp(`changed row: deposit ${id} shows amount 980.00, and entry \\d+ of the log 1000.00`));
  assert.match(found, new RegExp(`customer ${customer} shows available 880.00 USD, and the log 900.00`));
  assert.match(found, new RegExp(`the statement \\d{4}-\\d{2} of customer ${customer} \\(text/csv\\) is not that of the log`));
});

test('holds after the texts of a customer were erased, and names texts that were erased by hand', async (t) => {
  const account = await openAudited();
  const { sql } = shared;
  const customer = idOf(account.customer);
  const erase = () => runCli(t, ['customer', 'erase', customer, '--yes'], settingsOf(shared));
  assertOneLine(await erase(), /is verified\. Deactivate it first\./, 1);
  await account.create('/label-reallocations', { ...account.reallocation(account.from, account.to, '1.00'), reference: 'rent' });
  await account.call('POST', account.customer, { body: { status: 'deactivated' } });
  assertOneLine(await erase(), /has money\. Withdraw it first\./, 1);
  await account.call('POST', account.customer, { body: { status: 'reactivated' } });
  await account.create(`${account.to}/ledger-entries`, { amount: { value: '-61.00', currency: 'USD' } });
  await account.create(`${account.customer}/withdrawals`, {
    _links: { from: { href: account.from } },
    amount: { value: '39.00', currency: 'USD' },
  });
  const body = { amount: { value: '961.00', currency: 'USD' }, metadata: { a: 'b' } };
  const sentBack = await account.create(`${account.customer}/withdrawals`, body);
  await account.create(`${sentBack}/returns`, { reason: 'R03 no account of Ann' });
  await account.create(`${account.customer}/withdrawals`, body);
  assert.equal((await account.call('POST', account.to, { body: { name: 'Flat of Ann' } })).status, 200);
  assert.equal((await account.call('POST', account.to, { body: { name: 'Flat' } })).status, 200);
  await account.call('POST', account.customer, { body: { status: 'deactivated' } });
  await coveredLog(account);
  const erased = await erase();
  assert.equal(erased.code, 0, erased.stderr);
  const left = [
    ...(await sql`select 1 from customer where id = ${customer} and (log_salt is not null or first_name <> '' or profile <> '{}')`),
    ...(await sql`select 1 from transfer where customer_id = ${customer} and (reference is not null or metadata is not null or reason like '%Ann%')`),
    ...(await sql`select 1 from transfer_metadata where customer_id = ${customer}`),
    ...(await sql`select 1 from ledger_account where customer_id = ${customer} and (name is not null or former_names is not null)`),
  ];
  assert.equal(left.length, 0, 'nothing is left');
  await coveredLog(account);
  const { code, stdout } = await runCli(t, account.args, account.env);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /texts: they have the hashes of the log, except those of 1 customer, which were erased/);
  const saltless = async () => (await verifyLedger(sql)).filter(({ detail }) => detail.includes('salt')).map(({ rule }) => rule);
  assert.deepEqual(await saltless(), []);

  const other = await openAudited();
  await sql`update customer set log_salt = null where id = ${idOf(other.customer)}`;
  assert.match(await findContradictions(t, other), /the salt of customer \S+ is missing, and the log has no erasure/);
  assert.deepEqual(await saltless(), ['log entries match transfers']);
});

test('names malformed entries of a log that is signed', async (t) => {
  const id = (digit: string) => `01890000-0000-7000-8000-00000000000${digit}`;
  const deposit = {
    ...{ amount: '10.00', created: '2026-01-01T00:00:00.000Z', currency: 'USD', customer: id('1'), from: id('2') },
    ...{ fromBalance: '-10.00', fromSequence: 1, id: id('3'), resourceId: id('4'), to: id('5'), toBalance: '10.00' },
    ...{ toSequence: 1, topic: 'customer_deposit_created' },
  };
  const { to: _to, ...incomplete } = deposit;
  const forged: [entry: unknown, fault: string][] = [
    [{ ...deposit, amount: '1e5' }, 'has a malformed amount: "1e5"'],
    [{ ...deposit, amount: 10 }, 'has a malformed amount: 10'],
    [{ ...deposit, amount: '' }, 'has a malformed amount: ""'],
    [{ ...deposit, amount: '1'.repeat(40) }, 'has a malformed amount: "1{40}"'],
    [{ ...deposit, fromBalance: '--1' }, 'has a malformed fromBalance: "--1"'],
    [{ ...deposit, toBalance: null }, 'has a malformed toBalance: null'],
    [{ ...deposit, toBalance: '10' }, 'has a malformed amount: its decimals are not those of the balances'],
    [{ ...deposit, toSequence: '1' }, 'has a malformed toSequence: "1"'],
    [{ ...deposit, fromSequence: 0.5 }, 'has a malformed fromSequence: 0.5'],
    [{ ...deposit, currency: 'usd' }, 'has a malformed currency: "usd"'],
    [{ ...deposit, created: '2026-13-01T00:00:00.000Z' }, 'has a malformed created'],
    [{ ...deposit, to: deposit.from }, 'has a malformed transfer: both accounts are the same'],
    [{ ...deposit, topic: 'customer_created' }, 'an event of the topic customer_created moves no money'],
    [incomplete, 'has a malformed transfer: it has no to'],
    [null, 'is not an event'],
    [[], 'is not an event'],
    ['text', 'is not an event'],
    [{}, 'is not an event: it has no id'],
  ];
  const texts = [...forged.map(([entry]) => JSON.stringify(entry)), '{'];
  const args = await serveForgedLog(t, texts);
  const { code, stdout, stderr } = await runCli(t, args, { EARMARK_CLIENT_ID: 'forged', EARMARK_CLIENT_SECRET: 'forged' });
  assert.deepEqual([code, stderr], [1, '']);
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, texts.length, stdout);
  for (const [index, fault] of [...forged.map(([, fault]) => fault), 'is not JSON'].entries())
    assert.match(lines[index]!, new RegExp(`^BROKEN {2}malformed entry ${index}: .*${fault}`));
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
  assertOneLine(await runCli(t, [...account.args, '--account', 'foo'], {}), /^--account must be the id of an account\./, 2);
  assertOneLine(await runCli(t, [...account.args, '--quorum', '2'], account.env), /^--quorum needs --witness\./, 2);
  const unknown = await runCli(t, [...account.args, '--account', idOf(account.from)], account.env);
  assertOneLine(unknown, /^http:\S+ shows this application no log of account /, 2);
  writeFileSync(account.file, 'nothing');
  assertOneLine(await runCli(t, [...account.args, '--checkpoint', account.file], account.env), /is not a checkpoint/, 2);
  const save = async (file: string) => runCli(t, [...account.args, '--save', file], account.env);
  for (const file of [join(account.file, 'file'), join(shared.dataDir, 'none', 'file')]) {
    const unwritable = await save(file);
    assertOneLine(unwritable, /\/file cannot be written: (ENOENT|ENOTDIR)\./, 2);
    assert.equal(unwritable.stdout, '', 'it is known before the audit');
  }
  assertOneLine(await save(shared.dataDir), /cannot be written: EISDIR\./, 2);
  assert.ok(existsSync(account.file));
});
