// The screens Applications and Sandbox.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await startService({ after });
const HOSTILE = '"><script>alert(1)</script>';

async function tokenFor(id: string, secret: string) {
  const form = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
  return (await shared.send('POST', '/token', { form })).status;
}

test('an application is created with a secret that is shown once, gets a new one, and is disabled and enabled', async () => {
  const { load, submit, operator } = await openSession(shared, 'operator', 'finance');
  const { account_id: account } = await shared.newClient();
  const codesOf = async (location: string | undefined) =>
    [...(await load(location!)).text.matchAll(/<code>([^<]+)<\/code>/g)].map(([, code]) => code!) as [string, string];
  const made = await submit('/console/applications/new', [
    ['name', HOSTILE],
    ['account', account],
    ['scope', 'read'],
    ['scope', 'root'],
  ]);
  assert.equal(made.status, 303, made.text);
  const [id, secret] = await codesOf(made.headers.location);
  assert.equal(await tokenFor(id, secret), 200);
  const path = `/console/applications/${id}`;
  assert.match((await load(made.headers.location!)).text, /It was shown once/, 'loading the page again shows nothing');
  for (const page of [path, `${path}/secret`, '/console/applications', '/console/audit-log'])
    assert.ok(!(await load(page)).text.includes(secret) && !(await load(page)).text.includes('<script>alert'), page);
  const rotated = await submit(`${path}/secret`, { overlap: '0' });
  const [, next] = await codesOf(rotated.headers.location);
  assert.equal(await tokenFor(id, next), 200);
  await waitUntil('the former secret is refused', async () => (await tokenFor(id, secret)) === 401);
  await submit(`${path}/disable`);
  await waitUntil('the application is refused', async () => (await tokenFor(id, next)) === 401);
  await submit(`${path}/enable`);
  await waitUntil('it works again', async () => (await tokenFor(id, next)) === 200);
  const entries = await listAudit(shared.sql, { operatorId: operator.id }, 4);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['enable_application', 'disable_application', 'rotate_secret', 'create_application'],
  );
  assert.ok(!JSON.stringify(await shared.sql`select * from audit_entry`).includes(secret), 'no secret is in the audit log');
});

test('scopes are given to new tokens, and taken from tokens that are out; nobody gives what their roles do not have', async () => {
  const { load, submit, operator } = await openSession(shared, 'operator', 'finance');
  const { client_id: id, token, client_secret } = await shared.newClient(['read', 'review']);
  const path = `/console/applications/${id}/scopes`;
  const codeOf = async (bearer: string) => (await shared.call('POST', '/customers', { token: bearer, body: {} })).body.code;
  const form = (await load(path)).text;
  assert.match(form, /value="review" checked(?![^>]*disabled)/, 'it may keep or lose what the person cannot give');
  assert.match((await load(`${path}?asked=yes&scope=read&scope=review`)).text, /Nothing would change/);
  assert.match((await load(`${path}?asked=yes`)).text, /Choose at least one scope/);
  const question = (await load(`${path}?asked=yes&scope=read&scope=funds&scope=root`)).text;
  for (const text of ['funds (records deposits and withdrawals)', 'review (decides on documents)', 'value="read funds"'])
    assert.ok(question.includes(text), text);
  for (const scopes of ['', 'root', 'read root']) assert.equal((await submit(path, { scopes })).status, 400, scopes);
  const refused = await (await openSession(shared, 'operator')).submit(path, { scopes: 'read write review' });
  assert.ok(refused.status === 403 && refused.text.includes('roles lack write'), refused.text);

  const changed = await submit(path, { scopes: 'read funds' });
  assert.equal(changed.headers.location, `/console/applications/${id}?done=scopes-changed`);
  const scopeOf = async () => {
    const basic = Buffer.from(`${id}:${client_secret}`).toString('base64');
    const answer = await shared.send('POST', '/token', {
      form: 'grant_type=client_credentials',
      headers: { authorization: `Basic ${basic}` },
    });
    return answer.body.scope;
  };
  await waitUntil('a new token has what was given', async () => (await scopeOf()) === 'read funds');
  const introspect = async () => {
    const fields = new URLSearchParams({ token, client_id: id, client_secret });
    return (await shared.send('POST', '/token/introspect', { form: fields.toString() })).body;
  };
  await waitUntil('the old token has lost what was taken', async () => (await introspect()).scope === 'read');
  assert.equal(await codeOf(token), 'Forbidden');
  const [entry] = await listAudit(shared.sql, { operatorId: operator.id, action: 'change_scopes' }, 2);
  assert.deepEqual([entry!.resourceId, entry!.detail.gets, entry!.detail.loses], [id, ['funds'], ['review']]);
  const viewer = await openSession(shared, 'viewer', 'finance');
  assert.deepEqual([(await viewer.load(path)).status, (await viewer.submit(path, { scopes: 'read' })).status], [403, 403]);
});

test('an application shows its calls and refusals of the last day', async () => {
  const { load } = await openSession(shared, 'operator');
  const { client_id: id, token } = await shared.newClient();
  const flush = () => Promise.all(shared.services.map(({ calls }) => calls.flush()));
  const path = `/console/applications/${id}`;
  const count = async () =>
    [...(await load(path)).text.matchAll(/([\d,]+) calls, (\d+) of them refused/g)].flatMap(([, calls, refused]) => [
      Number(calls),
      Number(refused),
    ]);
  await flush();
  const [calls, refusals] = await count();
  for (const resource of ['/customers', '/customers', '/labels/none']) await shared.call('GET', resource, { token });
  // The end of a response is counted after the client has it.
  await waitUntil('the calls are counted', async () => {
    await flush();
    return (await count())[0] === calls! + 3;
  });
  const [, refused] = await count();
  assert.equal(refused, refusals! + 1);
  const question = (await load(`${path}/disable`)).text;
  assert.ok(question.includes(`>${calls! + 3} calls, ${refused} of them refused<`), 'asked before it is disabled');
  await shared.sql`update application_calls set period = period - interval '61 minutes' where application_id = ${id}`;
  assert.deepEqual(await count(), [0, 0, calls! + 3, refused], 'the last hour, and the last day');
  await shared.sql`update application_calls set period = period - interval '1 day' where application_id = ${id}`;
  assert.deepEqual(await count(), [0, 0, 0, 0]);
  await shared.sql`update application_calls set period = period - interval '1 day' where application_id = ${id}`;
  await shared.call('GET', '/customers', { token });
  await waitUntil('hours before the last two days are deleted', async () => {
    await flush();
    return (await shared.sql`select 1 from application_calls where application_id = ${id}`).length === 1;
  });
});

test('wrong forms of applications are refused, and only operators manage them', async () => {
  const { submit, load } = await openSession(shared, 'operator');
  const { account_id: account, client_id: id } = await shared.newClient();
  for (const form of [
    { name: '', account, scope: 'read' },
    { name: 'a\u0007', account, scope: 'read' },
    { name: 'x', account, scope: 'root' },
    { name: 'x', account: id, scope: 'read' },
  ])
    assert.equal((await submit('/console/applications/new', form)).status, 400, JSON.stringify(form));
  assert.equal((await submit(`/console/applications/${id}/secret`, { overlap: '9' })).status, 400);
  assert.equal((await load(`/console/applications/${account}`)).status, 404);
  for (const role of ['viewer', 'reviewer', 'finance'] as const) {
    const person = await openSession(shared, role);
    for (const action of ['disable', 'enable', 'secret'])
      assert.equal((await person.submit(`/console/applications/${id}/${action}`, { overlap: '0' })).status, 403, role);
    assert.equal((await person.load('/console/applications')).status, 403, role);
  }
});

test('the screen Sandbox advances the clock, plans and removes faults, adds scripted customers and resets an account', async () => {
  const { load, submit, operator } = await openSession(shared, 'operator');
  const { account_id: account, token } = await shared.newClient();
  const path = '/console/sandbox';
  assert.equal((await submit(`${path}/faults`, { account, operation: 'listCustomers', fault: '503', times: '1' })).status, 303);
  assert.equal((await shared.call('GET', '/customers', { token })).status, 503);
  assert.equal((await shared.call('GET', '/customers', { token })).status, 200);
  await submit(`${path}/faults`, { account, operation: 'listCustomers', fault: 'slow', times: '9' });
  const fault = /faults\/([0-9a-f-]{36})\/remove/.exec((await load(`${path}?account=${account}`)).text)![1]!;
  await submit(`${path}/faults/${fault}/remove`);
  assert.match((await load(`${path}?account=${account}`)).text, /No planned faults/);
  const added = await submit(`${path}/customers`, { account, script: 'document' });
  assert.match((await load(added.headers.location!)).text, />document</);
  for (const wrong of [
    { script: 'none', count: '1' },
    { script: 'waiting', count: '21' },
    { script: 'waiting', count: 'x' },
  ])
    assert.equal((await submit(`${path}/documents`, { account, ...wrong })).status, 400, JSON.stringify(wrong));
  await submit(`${path}/documents`, { account, script: 'waiting', count: '2' });
  const documents = await shared.sql`
    select 1 from document d join customer c on c.bucket = d.bucket and c.id = d.customer_id
    where d.account_id = ${account} and c.status = 'document' and d.status = 'pending'`;
  assert.equal(documents.length, 2);
  await submit(`${path}/clock`, { account, seconds: '900' });
  assert.match((await load(`${path}?account=${account}`)).text, /15 minutes[^<]* ahead/);
  assert.equal((await submit(`${path}/reset`, { account })).status, 400, 'the box is not ticked');
  await submit(`${path}/reset`, { account, sure: 'yes' });
  assert.match((await load(`${path}?account=${account}`)).text, /at real time/);
  assert.equal((await load(added.headers.location!)).status, 404);
  const actions = (await listAudit(shared.sql, { operatorId: operator.id }, 20)).map(({ action }) => action);
  assert.deepEqual(actions.slice(0, -1).toReversed(), [
    'plan_fault',
    'plan_fault',
    'remove_fault',
    'add_customer',
    'add_document',
    'add_document',
    'advance_clock',
    'reset_account',
  ]);
  for (const wrong of [{ operation: 'nothing' }, { fault: 'x' }, { times: '0' }, { times: '1.5' }]) {
    const form = { account, operation: 'listCustomers', fault: '503', times: '1', ...wrong };
    assert.equal((await submit(`${path}/faults`, form)).status, 400, JSON.stringify(wrong));
  }
  assert.equal((await submit(`${path}/reset`, { account: 'none', sure: 'yes' })).status, 404);
  const viewer = await openSession(shared, 'viewer');
  assert.equal((await viewer.submit(`${path}/reset`, { account, sure: 'yes' })).status, 403);
});

test('production has no screen Sandbox', async (t) => {
  const production = await startService(t, { env: { MODE: 'production' } });
  const { load } = await openSession(production, 'admin');
  assert.ok(!(await load('/console')).text.includes('/console/sandbox'));
  assert.equal((await load('/console/sandbox')).status, 404);
});
