// Commands for people and applications: they ask nobody, are audited as the command line, and decide on changes that wait in the console.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { listAudit } from '../src/ledger/audit/audit.ts';
import { approveRequest } from '../src/resources/change-requests/decide-request.ts';
import { createOperator } from '../src/resources/operators/operator.ts';
import { idOf } from './support/http.ts';
import { enterBy, openSession } from './support/operators.ts';
import { assertOneLine, runCli, runCliJson, settingsOf } from './support/process.ts';
import { startService } from './support/service.ts';

type Made = { link: string; client_id: string; client_secret: string };
type Approved = { change: string; state: string; result?: string; refusal?: string };
type Listed = { changes: { change_id: string; change: string; details: string; asked_by: string; state: string }[] };

const service = await startService({ after }, { env: { FOUR_EYES: 'true' } });
const env = { ...settingsOf(service), FOUR_EYES: 'true', PUBLIC_URL: service.url };

const run = <T = Made>(t: TestContext, ...args: string[]) => runCliJson<T>(t, args, env);

/** The actions of the command line since the test began, oldest first. */
async function actionsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = (await listAudit(service.sql, {}, 1))[0]?.id;
  await work();
  const entries = (await listAudit(service.sql, {}, 50)).filter(
    ({ id, place }) => (before === undefined || id > before) && place !== '127.0.0.1',
  );
  for (const { actor, operatorId } of entries) assert.ok(operatorId === null && actor.endsWith(' (command line)'), actor);
  return entries.map(({ action }) => action).toReversed();
}

test('the command line asks nobody, and each change is in the audit log', async (t) => {
  const account = service.client.account_id;
  const name = 'Grace Hopper';
  const actions = await actionsOf(async () => {
    await enterBy(service, new URL((await run(t, 'operator', 'create', name, '--role', 'admin reviewer')).link).pathname);
    await run(t, 'operator', 'link', name);
    await run(t, 'operator', 'disable', name, '--yes');
    await run(t, 'operator', 'enable', name);
    const { client_id } = await run(t, 'application', 'create', '--account', account, '--name', 'n', '--scope', 'funds review');
    await run(t, 'application', 'rotate', client_id, '--overlap-hours', '0', '--yes');
    await run(t, 'application', 'secure', client_id, '--jwks-uri', 'https://client.example/keys');
    await run(t, 'application', 'disable', client_id, '--yes');
    await run(t, 'application', 'enable', client_id);
    await run(t, 'account', 'create', 'Second');
    await run(t, 'keys', 'rotate', '--yes');
    await run(t, 'keys', 'rotate', '--signing', '--yes');
    await run(t, 'keys', 'rotate', '--log', '--yes');
  });
  assert.deepEqual(actions, [
    ...['create_operator', 'create_link', 'create_link', 'disable_operator', 'enable_operator'],
    ...['create_application', 'rotate_secret', 'secure_application'],
    ...['disable_application', 'enable_application', 'create_account'],
    ...['rotate_encryption_keys', 'rotate_signing_keys', 'rotate_log_keys'],
  ]);
});

test('a link of the command line replaces passkeys, and is not for people of an identity provider', async (t) => {
  const { operator } = await openSession(service, 'viewer');
  await service.sql`
    insert into operator_passkey (id, operator_id, public_key, counter, transports, created) values ('lost', ${operator.id}, 'key', 0, '{}', now())`;
  await run(t, 'operator', 'link', operator.name);
  assert.equal((await service.sql`select 1 from operator_passkey where operator_id = ${operator.id}`).length, 0);
  const identity = { issuer: 'https://login.example', subject: 'ada' };
  await createOperator(service.sql, { name: 'Ada', roles: ['viewer'], identity });
  assertOneLine(await runCli(t, ['operator', 'link', 'Ada'], env), /identity provider https:\/\/login\.example/);
  assertOneLine(await runCli(t, ['operator', 'create', 'ada', '--role', 'viewer'], env), /Somebody has this name already/);
});

test('the command line approves and refuses what waits in the console, and the one who asked gets the secret', async (t) => {
  const admin = await openSession(service, 'admin');
  const ask = async (form: [string, string][], path = '/console/people') =>
    /[0-9a-f-]{36}/.exec(String((await admin.submit(path, form)).headers.location))![0];
  const person = await ask([
    ['name', 'Carol'],
    ['role', 'reviewer'],
  ]);
  const application = await ask(
    [
      ['name', 'Payouts'],
      ['account', service.client.account_id],
      ['scope', 'funds'],
    ],
    '/console/applications/new',
  );
  const { changes } = await run<Listed>(t, 'change', 'list');
  assert.deepEqual(
    changes.map(({ change_id, change, asked_by, state }) => [change_id, change, asked_by, state]),
    [
      [person, 'Add Carol', admin.operator.name, 'waits'],
      [application, 'Create the application Payouts', admin.operator.name, 'waits'],
    ],
  );
  assert.match(changes[0]!.details, /Roles: reviewer/);
  const actions = await actionsOf(async () => {
    assert.deepEqual(await run(t, 'change', 'approve', person), { change_id: person, change: 'Add Carol', state: 'done' });
    assert.equal((await run<{ state: string }>(t, 'change', 'approve', application)).state, 'approved');
  });
  assert.deepEqual(actions, ['approve_change', 'create_operator', 'approve_change']);
  const collected = await admin.submit(`/console/people/requests/${application}/collect`);
  assert.match((await admin.load(collected.headers.location!)).text, /Client secret/);
  const refused = await ask([
    ['name', 'Mallory'],
    ['role', 'admin'],
  ]);
  await run(t, 'change', 'refuse', refused);
  assertOneLine(await runCli(t, ['change', 'approve', refused], env), /The change was refused/);
  assertOneLine(await runCli(t, ['change', 'approve', 'none'], env), /There is no change none/);
  assert.match((await runCli(t, ['change', 'list'], env)).stdout, /No change waits/);
});

test('an approved move of money is carried out by the command line, once, or says what the ledger refused', async (t) => {
  const [admin, asker] = [await openSession(service, 'admin'), await openSession(service, 'finance')];
  await admin.submit(`/console/policies/${service.client.account_id}/limits`, { currency: 'USD', amount: '100.00' });
  const customer = await service.newCustomer({ available: '500.00' });
  const available = async () => (await service.get(`${customer}/balance`)).balances[0].available.value;
  const ask = async (path: string, fields: Record<string, string>) => {
    const { text } = await asker.load(`${path}?${new URLSearchParams(fields)}`);
    const key = /name="key" value="([^"]+)"/.exec(text)![1]!;
    return /requests\/([0-9a-f-]{36})/.exec(String((await asker.submit(path, { ...fields, key })).headers.location))![1]!;
  };
  const payout = (amount: string) =>
    ask('/console/money/move', {
      ...{ customer: idOf(customer), from: 'available', to: 'outside', amount, currency: 'USD', reference: 'supplier 7' },
    });
  const first = await payout('200.00');
  const actions = await actionsOf(async () => {
    const { state, result, change } = await run<Approved>(t, 'change', 'approve', first);
    assert.deepEqual([state, change, await available()], ['done', 'Record a withdrawal: 200.00 USD', '300.00']);
    assert.equal((await service.get(`/withdrawals/${result}`)).amount.value, '200.00');
  });
  assert.deepEqual(actions, ['approve_change', 'move_money']);
  assertOneLine(await runCli(t, ['change', 'approve', first], env), /The change has been made already/);

  // A service that stopped after the approval.
  const { result: withdrawal } = await run<Approved>(t, 'change', 'approve', await payout('150.00'));
  const path = `/console/money/transfers/${withdrawal}/return`;
  const stopped = await ask(path, { amount: '150', reason: 'R02', reference: '', externalId: '' });
  await approveRequest(service.service, { operatorId: admin.operator.id, name: admin.operator.name, place: '' }, stopped);
  assert.equal(await available(), '150.00');
  assert.equal((await run<Approved>(t, 'change', 'approve', stopped)).state, 'done');
  assert.equal(await available(), '300.00');

  const late = await payout('250.00');
  await service.create(`${customer}/withdrawals`, { amount: { value: '299.00', currency: 'USD' } });
  const { code, stdout } = await runCli(t, ['change', 'approve', late, '--json'], env);
  const { state, refusal } = JSON.parse(stdout) as Approved;
  assert.deepEqual([code, state, await available()], [1, 'failed', '1.00']);
  assert.match(refusal!, /Insufficient funds: 1\.00 USD available/);
});
