// Tests of tokens for one customer (RFC 9396): what may be asked for, and that no operation reaches another customer or the account.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { decodeJwt } from 'jose';
import { reallocation, usd } from '../../../test/support/data.ts';
import { assertRefused, idOf } from '../../../test/support/http.ts';
import { assertError, GRANT, openClient } from '../../../test/support/oauth.ts';
import { openScenario, removals, runScenario } from '../../../test/support/scenario.ts';
import { openLabels, startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { disableApplication } from './application.ts';
import { isForCustomers } from './customer-token.ts';

const shared = await startService({ after }, { env: { TOKEN_FAILURES_PER_MINUTE: '0' } });

const detailsOf = (url: string, actions: string[] = ['read', 'write']) =>
  JSON.stringify([{ type: 'customer', identifiers: [url], actions }]);

type Account = Pick<Awaited<ReturnType<typeof openClient>>, 'send'> & { client: { client_id: string; client_secret: string } };

function ask({ send, client: { client_id, client_secret } }: Account, details: string, more: Record<string, string> = {}) {
  const form = new URLSearchParams({ ...GRANT, client_id, client_secret, authorization_details: details, ...more });
  return send('POST', '/token', { form: form.toString() });
}

async function tokenFor(account: Account, url: string, actions?: string[]): Promise<string> {
  const answer = await ask(account, detailsOf(url, actions));
  assert.equal(answer.status, 200, answer.text);
  return answer.body.access_token;
}

test('a token for one customer has no more than the actions and the scopes of its application', async () => {
  const account = await openClient(shared);
  const { customer } = await account.newLabels();
  const details = [{ type: 'customer', identifiers: [customer], actions: ['read', 'write'] }];
  const { body } = await ask(account, detailsOf(customer, ['write', 'read']));
  assert.deepEqual([body.scope, body.authorization_details], ['read write', details]);
  assert.deepEqual(decodeJwt(body.access_token).authorization_details, details);
  const { credentials } = account;
  const shown = (await account.post('/token/introspect', { ...credentials, token: body.access_token })).body;
  assert.deepEqual([shown.active, shown.scope, shown.authorization_details], [true, 'read write', details]);
  assert.equal((await ask(account, detailsOf(customer, ['read']))).body.scope, 'read');
  assert.equal((await ask(account, detailsOf(customer), { scope: 'read funds' })).body.scope, 'read');
  assertError(await ask(account, detailsOf(customer, ['read']), { scope: 'write' }), 400, 'invalid_scope');
  const funds = { ...account, client: await account.newClient(['funds'], account.client.account_id) };
  assertError(await ask(funds, detailsOf(customer)), 400, 'invalid_scope');
  const reader = await tokenFor(account, customer, ['read']);
  assert.equal((await account.call('GET', customer, { token: reader })).status, 200);
  assertRefused(await account.call('POST', `${customer}/labels`, { token: reader, body: { amount: usd('0.00') } }), {
    status: 403,
    code: 'Forbidden',
  });
});

test('a token for one customer ends with the rights of its application', async () => {
  const account = await openClient(shared);
  const { customer } = await account.newLabels();
  const token = await tokenFor(account, customer);
  const read = async () => (await account.call('GET', customer, { token })).status;
  const write = async () => (await account.call('POST', `${customer}/labels`, { token, body: { amount: usd('0.00') } })).status;
  assert.deepEqual([await read(), await write()], [200, 201]);
  const { client_id: id } = account.client;
  await shared.sql`update application set scopes = '{read}', changed = now() where id = ${id}`;
  await waitUntil('it cannot write any more', async () => (await write()) === 403);
  assert.equal(await read(), 200);
  await account.change((tx) => disableApplication(tx, id));
  await waitUntil('it cannot read any more', async () => (await read()) === 401);
});

test('details that are not one customer of the account are refused', async () => {
  const account = await openClient(shared);
  const { customer } = await account.newLabels();
  const foreign = (await (await openClient(shared)).newLabels()).customer;
  const one = { type: 'customer', identifiers: [customer], actions: ['read'] };
  const wrong: unknown[] = [
    ...[[], [one, one], one, null, 7, 'x', [null], [[one]]],
    ...[
      { type: 'account' },
      { type: undefined },
      { identifiers: [] },
      { identifiers: [customer, customer] },
      { identifiers: customer },
    ].map((change) => [{ ...one, ...change }]),
    ...[foreign, shared.nowhere('customer'), shared.nowhere('label'), `${customer}/`, `${customer}?x=1`, idOf(customer), 7].map(
      (url) => [{ ...one, identifiers: [url] }],
    ),
    ...[[], ['delete'], ['read', 'read'], 'read', undefined, ['funds']].map((actions) => [{ ...one, actions }]),
    [{ ...one, locations: [shared.url] }],
  ];
  for (const details of wrong) assertError(await ask(account, JSON.stringify(details)), 400, 'invalid_authorization_details');
  assertError(await ask(account, 'not json'), 400, 'invalid_authorization_details');
});

test('no operation of the list reaches another customer or the account', async (t) => {
  const scenario = await openScenario(t, { withKeys: true });
  const removing = removals(await runScenario(t, scenario));
  const account = { ...scenario, client: scenario.sandbox };
  const form = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@partner.example', type: 'unverified' };
  const made = await scenario.send('POST', '/customers', { token: scenario.token, body: form });
  assert.equal(made.status, 201, made.text);
  const token = await tokenFor(account, made.headers.location!);
  assert.equal((await scenario.send('GET', made.headers.location!, { token })).status, 200);
  const { paths } = scenario.document as { paths: Record<string, Record<string, { operationId: string; security?: unknown[] }>> };
  const unread: string[] = [];
  let operations = 0;
  for (const [template, item] of Object.entries(paths)) {
    for (const [method, { operationId, security }] of Object.entries(item)) {
      if (!JSON.stringify(security ?? '').includes('application')) continue;
      const pattern = new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/?]+')}$`);
      const removed = removing.map(([by, path]) => ({ by, path: path.replace(scenario.url, ''), options: {} }));
      const calls = [
        ...scenario.calls.filter(({ operation, answer }) => operation === operationId && answer.status < 300),
        ...removed.filter(({ by, path }) => by === method.toUpperCase() && pattern.test(path)),
      ];
      if (calls.length === 0) unread.push(operationId);
      for (const { path, options } of calls) {
        const answer = await scenario.send(method.toUpperCase(), path, { ...options, token });
        assert.equal(answer.status, 403, `${operationId} ${path}: ${answer.status} ${answer.text}`);
        assert.equal(answer.body.code, 'Forbidden');
      }
      operations += 1;
    }
  }
  assert.deepEqual(unread, [], 'each operation was called');
  assert.ok(operations > 60, String(operations));
});

test('a token for one customer does with this customer what its actions say', async () => {
  const account = { ...(await openLabels(shared)) };
  const { customer, from, to, call } = account;
  const token = await tokenFor(account, customer);
  const posted = await call('POST', '/label-reallocations', { token, body: reallocation(from, to, '1.00') });
  assert.equal(posted.status, 201, posted.text);
  for (const path of [
    ...[customer, `${customer}/labels`, `${customer}/balance`, `${customer}/transfers`, `${customer}/label-reallocations`],
    ...[from, `${from}/ledger-entries`, posted.headers.location!, `${customer}/holds`, `${customer}/deposits`],
  ])
    assert.equal((await call('GET', path, { token })).status, 200, path);
  const [entry] = (await call('GET', `${from}/ledger-entries`, { token })).body._embedded['ledger-entries'];
  assert.equal((await call('GET', entry._links.self.href, { token })).status, 200);
  assert.equal((await call('POST', `${posted.headers.location!}/reversals`, { token, body: {} })).status, 201);
  const other = await account.newLabels();
  for (const [one, two] of [
    [other.from, other.to],
    [from, other.to],
    [other.from, to],
  ] as const) {
    const answer = await call('POST', '/label-reallocations', { token, body: reallocation(one, two, '1.00') });
    assertRefused(answer, { status: 403, code: 'Forbidden', message: 'Not authorized to create label reallocation' });
  }
  for (const path of ['/', '/customers', '/events', '/webhook-subscriptions', `/transfers?reference=x`, other.customer]) {
    assertRefused(await account.send('GET', path, { token }), { status: 403, code: 'Forbidden' });
  }
});

test('only operations of the list are for customers', async () => {
  const { paths } = (await shared.send('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const all = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  const allowed = all.filter(isForCustomers);
  assert.equal(allowed.length, 62, 'a renamed operation is missing in the list, or a new one is in it');
  for (const name of [
    'listCustomers',
    'searchTransfers',
    'listEvents',
    'createDeposit',
    'createLabelReallocationBatch',
    'reviewDocument',
  ]) {
    assert.ok(all.includes(name) && !isForCustomers(name), name);
  }
});
