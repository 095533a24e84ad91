// Representation on creation (RFC 7240): every creating operation, repeated keys, missing scopes and the spellings of the header.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { amountOf } from './support/data.ts';
import type { Answer, Options } from './support/http.ts';
import { openScenario, runScenario } from './support/scenario.ts';
import { openAccount, startService } from './support/service.ts';

const PREFER = { prefer: 'return=representation' };
const APPLIED = 'preference-applied';

const shared = await startService({ after });

async function withCustomer() {
  const account = await openAccount(shared);
  const customer = await account.newCustomer({ available: '100.00' });
  const create = (options: Options = {}) =>
    account.call('POST', `${customer}/labels`, { body: { ...amountOf('10.00'), name: 'Tax' }, headers: PREFER, ...options });
  return { ...account, customer, create };
}

test('every creating operation answers what GET shows, if the request prefers it', async (t) => {
  const seen = new Set<string>();
  const scenario = await openScenario(t, {
    sendBy:
      async (service) =>
      async (method, path, options = {}) => {
        const headers = { ...options.headers, ...PREFER };
        const answer: Answer = await service.send(method, path, method === 'POST' ? { ...options, headers } : options);
        if (answer.status !== 201) return answer;
        assert.equal(answer.headers[APPLIED], 'return=representation', path);
        const shown = await service.send('GET', answer.headers.location!, { token: options.token });
        // A webhook can be delivered between the two.
        if (path.endsWith('/pings') || path.endsWith('/retries')) assert.equal(answer.body.id, shown.body.id);
        else assert.deepEqual(answer.body, shown.body, path);
        assert.equal(answer.headers['content-type'], shown.headers['content-type']);
        return answer;
      },
  });
  await runScenario(t, scenario);
  for (const { operation, answer } of scenario.calls) if (answer.status === 201) seen.add(operation);
  const creating = Object.values(scenario.document.paths)
    .flatMap((path) => Object.values(path))
    .filter(({ responses }) => responses[201])
    .map(({ operationId }) => operationId);
  assert.deepEqual([...seen].sort(), creating.sort());
});

test('without the preference the body is empty', async () => {
  const { create } = await withCustomer();
  for (const prefer of ['', 'return=minimal', 'respond-async, wait=10', 'return=representations']) {
    const made = await create({ headers: { prefer } });
    assert.deepEqual([made.status, made.text, made.headers[APPLIED]], [201, '', undefined]);
  }
});

test('reads the header as RFC 7240 says', async () => {
  const { create } = await withCustomer();
  const applied = async (prefer: string | string[]) => (await create({ headers: { prefer } })).headers[APPLIED] !== undefined;
  assert.ok(await applied('Return="representation"'));
  assert.ok(await applied('respond-async, return = representation; foo=bar'));
  assert.ok(await applied(['respond-async', 'return=representation']));
  assert.ok(!(await applied('return=minimal, return=representation')), 'the first counts');
});

test('a repeated key answers what GET shows now', async () => {
  const { create, call, get } = await withCustomer();
  const first = await create({ key: 'label' });
  const url = first.headers.location!;
  await call('POST', url, { body: { metadata: { color: 'green' } } });
  const again = await create({ key: 'label' });
  assert.equal(again.headers['idempotent-replayed'], 'true');
  assert.deepEqual(again.body, await get(url));
  assert.deepEqual(again.body.metadata, { color: 'green' });
  await call('POST', `${url}/ledger-entries`, { body: amountOf('-10.00') });
  await call('DELETE', url);
  const gone = await create({ key: 'label' });
  assert.deepEqual([gone.status, gone.text, gone.headers[APPLIED], gone.headers.location], [201, '', undefined, url]);
});

test('an application that may not read gets an empty body', async () => {
  const { create, newClient, client } = await withCustomer();
  const { token } = await newClient(['write'], client.account_id);
  const made = await create({ token });
  assert.deepEqual([made.status, made.text, made.headers[APPLIED]], [201, '', undefined]);
});
