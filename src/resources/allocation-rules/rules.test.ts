// Tests of allocation rules as a resource: creation, lists, changes, deletion, conflicts and refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openRules, step } from '../../../test/support/allocation-rules.ts';
import { usd } from '../../../test/support/data.ts';
import { assertPlainRefusal, assertRefused, type Body, idOf, link } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

const BAD = { status: 400, code: 'ValidationError' };
const DELETED = { status: 403, code: 'InvalidResourceState', message: 'The allocation rule is deleted.' };
const ACTIVE = { status: 409, code: 'Conflict' };

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('creates, retrieves and lists rules', async () => {
  const { get, newRule, createRule, customer, rules, taxes, rent } = await openRules(shared);
  const url = await newRule([step(taxes, { percent: '25' }), step(rent, { amount: usd('100'), until: usd('1000.0') })]);
  const { created, ...rule } = await get(url);
  const self = link(url, 'allocation-rule');
  assert.deepEqual(rule, {
    _links: { self, customer: link(customer, 'customer'), edit: self, remove: self },
    id: idOf(url),
    name: 'Set aside',
    currency: 'USD',
    steps: [
      { label: link(taxes, 'label'), percent: '25.00' },
      { label: link(rent, 'label'), amount: usd('100.00'), until: usd('1000.00') },
    ],
    paused: false,
  });
  assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const yen = await shared.send('POST', `${customer}/labels`, {});
  assert.equal(yen.status, 401);
  const list = await get(rules);
  assert.deepEqual([list.total, list._embedded['allocation-rules']], [1, [{ created, ...rule }]]);
  const sent = { key: 'once' };
  const [first, second] = [await createRule(rule.steps, sent), await createRule(rule.steps, sent)];
  for (const answer of [first, second]) assertRefused(answer, ACTIVE);
  assert.equal(first.body._links.about.href, url);
});

test('a customer has one active rule per currency', async () => {
  const { call, get, create, newRule, createRule, newLabel, customer, taxes, rules } = await openRules(shared);
  const first = await newRule([step(taxes, { percent: '10' })]);
  assertRefused(await createRule([step(taxes, { percent: '20' })]), {
    ...ACTIVE,
    message: 'The customer has another active allocation rule for deposits in this currency.',
  });
  const yen = await newLabel(customer, '0', { currency: 'JPY' });
  const inYen = await newRule([step(yen, { percent: '10' })]);
  assert.equal((await call('POST', first, { body: { paused: true } })).body.paused, true);
  const second = await create(rules, { name: 'Second', steps: [step(taxes, { percent: '20' })] });
  const resumed = await call('POST', first, { body: { paused: false } });
  assertRefused(resumed, ACTIVE);
  assert.equal(resumed.body._links.about.href, second);
  // A rule may move to a currency, unless that has a rule.
  const moved = await call('POST', inYen, { body: { name: 'Dollars', steps: [step(taxes, { percent: '5' })] } });
  assertRefused(moved, ACTIVE);
  assert.equal((await call('DELETE', second)).status, 200);
  assert.equal((await call('POST', first, { body: { paused: false } })).status, 200);
  assert.equal((await get(rules)).total, 2);
});

test('concurrent creations leave one active rule', async () => {
  const { createRule, taxes, get, rules } = await openRules(shared);
  const answers = await Promise.all(Array.from({ length: 8 }, () => createRule([step(taxes, { percent: '10' })])));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 7 }, () => 409)]);
  assert.equal((await get(rules)).total, 1);
});

test('replaces the steps, and keeps a deleted rule readable', async () => {
  const { call, get, newRule, taxes, rent, rules } = await openRules(shared);
  const url = await newRule([step(taxes, { percent: '10' })]);
  const { steps } = await get(url);
  const answer = await call('POST', url, { body: { name: 'More', steps: [...steps, step(rent, { percent: '0.5' })] } });
  assert.deepEqual(
    [answer.status, answer.body.name, answer.body.steps.map(({ percent }: Body) => percent)],
    [200, 'More', ['10.00', '0.50']],
  );
  assert.deepEqual((await get(url)).steps, answer.body.steps);
  const removed = await call('DELETE', url);
  const { deleted, _links, ...rest } = removed.body;
  assert.ok(Date.parse(deleted) >= Date.parse(rest.created));
  assert.deepEqual(Object.keys(_links), ['self', 'customer']);
  assert.deepEqual(await get(url), removed.body);
  assert.equal((await get(rules)).total, 0);
  assertRefused(await call('POST', url, { body: { paused: true } }), DELETED);
  assertRefused(await call('DELETE', url), DELETED);
});

test('refuses faulty steps with their pointers', async () => {
  const { createRule, newLabel, newCustomer, customer, taxes, rent, snapshot } = await openRules(shared);
  const yen = await newLabel(customer, '0', { currency: 'JPY' });
  const foreign = await newLabel(await newCustomer());
  const before = await snapshot();
  for (const percent of ['0', '0.00', '100.01', '101', '1000', '25.001', '-1', '+1', '1e1', '', '.5', '5.', '１']) {
    assertRefused(await createRule([step(taxes, { percent })]), {
      ...BAD,
      fault: 'InvalidFormat',
      path: '/steps/0/percent',
      message: 'Percent must be above 0 and at most 100.00, with at most two decimals.',
    });
  }
  for (const [steps, fault, path] of [
    [[step(taxes, { percent: '60' }), step(rent, { percent: '40.01' })], 'Invalid', '/steps'],
    [[step(taxes, {})], 'Required', '/steps/0/percent'],
    [[step(taxes, { percent: '1', amount: usd('1') })], 'NotAllowed', '/steps/0/amount'],
    [[step(taxes, { percent: '1' }), step(yen, { percent: '1' })], 'Invalid', '/steps/1/label/href'],
    [[step(taxes, { percent: '1' }), step(foreign, { percent: '1' })], 'Invalid', '/steps/1/label/href'],
    [[step(taxes, { amount: usd('0') })], 'Invalid', '/steps/0/amount/value'],
    [[step(taxes, { amount: usd('1.001') })], 'InvalidFormat', '/steps/0/amount/value'],
    [[step(taxes, { amount: { value: '1', currency: 'JPY' } })], 'Invalid', '/steps/0/amount/currency'],
    [[step(taxes, { percent: '1', until: usd('-1') })], 'InvalidFormat', '/steps/0/until/value'],
    [[step(taxes, { percent: '1', until: { value: '1', currency: 'XXX' } })], 'Invalid', '/steps/0/until/currency'],
    [[], 'Required', '/steps'],
    [Array.from({ length: 21 }, () => step(taxes, { percent: '1' })), 'Invalid', '/steps'],
  ] as const) {
    assertRefused(await createRule(steps), { ...BAD, fault, path });
  }
  assertRefused(await createRule([step(taxes, { percent: '1' })], { name: '' }), { ...BAD, fault: 'Required', path: '/name' });
  for (const steps of [undefined, 'x', [1], [{ percent: '1' }], [step(taxes, { percent: 1 as never })], [step('x', {})]])
    assertRefused(await createRule(steps), { status: 400, code: 'BadRequest' });
  assert.deepEqual(await snapshot(), before);
});

test('checks labels, accounts and scopes', async () => {
  const { call, get, create, createRule, newRule, newClient, client, nowhere, taxes, rules, newCustomer } =
    await openRules(shared);
  const url = await newRule([step(taxes, { percent: '100.00' })]);
  const stranger = (await newClient()).token;
  const reader = (await newClient(['read'], client.account_id)).token;
  const writer = (await newClient(['write'], client.account_id)).token;
  const body = { name: 'Mine', steps: [step(taxes, { percent: '1' })] };
  const forbidden = { status: 403, code: 'Forbidden' };
  assertRefused(await call('POST', rules, { body, token: reader }), forbidden);
  assertRefused(await call('POST', url, { body, token: reader }), forbidden);
  assertRefused(await call('GET', url, { token: writer }), forbidden);
  for (const [method, path] of [
    ['POST', rules],
    ['GET', rules],
    ['POST', url],
    ['GET', url],
    ['DELETE', url],
  ] as const)
    assertRefused(await call(method, path, { token: stranger, ...(method === 'POST' && { body }) }), forbidden);
  assertPlainRefusal(await call('GET', nowhere('allocation-rule')), 'notFound');
  assertPlainRefusal(await createRule([step(nowhere('label'), { percent: '1' })]), 'labelNotFound');
  assertPlainRefusal(await createRule(body.steps, { of: `${nowhere('customer')}/allocation-rules` }), 'customerNotFound');
  const { token } = await newClient();
  const theirs = await newCustomer({ token });
  const label = await create(`${theirs}/labels`, { amount: usd('0') }, { token });
  assertRefused(await createRule([step(label, { percent: '1' })]), forbidden);
  for (const change of [{}, { name: 'x' }, { steps: body.steps }, { paused: 'no' }])
    assertRefused(await call('POST', url, { body: change }), { status: 400, code: 'BadRequest' });
  assertRefused(await call('POST', url, { body: { ...body, paused: true } }), { ...BAD, fault: 'NotAllowed', path: '/paused' });
  assert.equal((await get(url)).name, 'Set aside');
});

test('an idempotency key creates and changes once', async () => {
  const { call, createRule, taxes, rules, get } = await openRules(shared);
  const steps = [step(taxes, { percent: '1' })];
  const [first, second] = [await createRule(steps, { key: 'rule' }), await createRule(steps, { key: 'rule' })];
  assert.deepEqual([second.status, second.headers.location], [201, first.headers.location]);
  assert.equal(second.headers['idempotent-replayed'], 'true');
  const url = first.headers.location!;
  const paused = await call('POST', url, { body: { paused: true }, key: 'pause' });
  await call('POST', url, { body: { paused: false } });
  assert.deepEqual((await call('POST', url, { body: { paused: true }, key: 'pause' })).body, paused.body);
  assert.equal((await get(url)).paused, false);
  assert.equal((await get(rules)).total, 1);
});
