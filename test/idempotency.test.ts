// Idempotency keys: one effect and one response for repeated requests, on every resource that creates something.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { bucketOf } from '../src/core/ids.ts';
import { identifier } from '../src/platform/db/sql.ts';
import { startBeside } from './support/beside.ts';
import { customerForm, personal, usd } from './support/data.ts';
import { assertRefused, idOf } from './support/http.ts';
import { runCli, settingsOf } from './support/process.ts';
import { openAccount, startService } from './support/service.ts';

const SEED = 29;
const SAMPLES = 300;

/** Each test uses its own account. */
const shared = await startService({ after });

async function withLabels(service = shared) {
  const account = await openAccount(service);
  const customer = await account.newCustomer({ available: '1000.00' });
  const [from, to] = [await account.newLabel(customer, '100.00'), await account.newLabel(customer)];
  const move = (value: string, key: string) =>
    account.call('POST', '/label-reallocations', { body: account.reallocation(from, to, value), key });
  return { ...account, customer, from, to, move };
}

test('a hundred concurrent requests with one key have one effect and one response', async (t) => {
  const first = await withLabels();
  const second = await startBeside(t, first);
  const body = first.reallocation(first.from, first.to, '1.00');
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      (n % 2 ? first : second).send('POST', '/label-reallocations', { token: first.token, body, key: 'one' }),
    ),
  );
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([201]));
  assert.equal(new Set(answers.map((answer) => answer.headers.location)).size, 1);
  assert.equal(answers.filter((answer) => answer.headers['idempotent-replayed'] === 'true').length, 99);
  assert.equal((await first.call('GET', first.to)).body.amount.value, '1.00');
});

test('concurrent requests through two processes create one customer and label, and one of two different reallocations', async (t) => {
  const first = await openAccount(shared);
  const second = await startBeside(t, first);
  const customer = await first.newCustomer({ available: '100.00' });
  const [from, to] = [await first.newLabel(customer, '100.00'), await first.newLabel(customer)];
  for (let round = 0; round < 10; round++) {
    const post = (service: Pick<typeof first, 'send'>, path: string, body: unknown) =>
      service.send('POST', path, { token: first.token, body, key: `${path} ${round}`.replaceAll(' ', '-') });
    // The external id is in the way of the second request, which must replay all the same.
    const labels = customer.slice(first.url.length).concat('/labels');
    const label = { amount: { value: '0', currency: 'USD' }, externalId: `label-${round}` };
    for (const [path, form] of [
      ['/customers', { ...customerForm(), externalId: `shop-${round}` }],
      [labels, label],
    ] as const) {
      const [one, other] = await Promise.all([post(first, path, form), post(second, path, form)]);
      assert.deepEqual([one.status, other.status, one.headers.location], [201, 201, other.headers.location]);
    }

    const moves = ['1.00', '2.00'].map((value) => first.reallocation(from, to, value));
    const answers = await Promise.all([
      post(first, '/label-reallocations', moves[0]),
      post(second, '/label-reallocations', moves[1]),
    ]);
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 409]);
    const [made, refused] = answers.sort((a, b) => a.status - b.status);
    assert.equal(refused!.body._links.about.href, made!.headers.location);
  }
});

test('refuses the key for another body or path, and links to what the key created', async () => {
  const { call, move, from, customer, newCustomer, newLabel, reallocation, snapshot } = await withLabels();
  const made = (await move('1.00', 'k')).headers.location!;
  const other = await newLabel(await newCustomer());
  const before = await snapshot();
  const conflicts = [
    await move('2.00', 'k'),
    await call('POST', `${from}/ledger-entries`, { body: { amount: { value: '1.00', currency: 'USD' } }, key: 'k' }),
    await call('POST', `${customer}/labels`, { body: { amount: { value: '1.00', currency: 'USD' } }, key: 'k' }),
    // labels of two customers
    await call('POST', '/label-reallocations', { body: reallocation(from, other, '1.00'), key: 'k' }),
  ];
  for (const answer of conflicts) {
    assertRefused(answer, { status: 409, code: 'Conflict' });
    assert.deepEqual([answer.body._links.about.href, answer.body._links.about['resource-type']], [made, 'label-reallocation']);
  }
  assert.deepEqual(await snapshot(), before);
});

test('ignores the order of members and whitespace when it compares bodies', async () => {
  const { call, from, to } = await withLabels();
  const raw = (text: string) => call('POST', '/label-reallocations', { raw: text, key: 'order' });
  const first = await raw(
    `{"_links":{"from":{"href":"${from}"},"to":{"href":"${to}"}},"amount":{"value":"1.00","currency":"USD"}}`,
  );
  const again = await raw(
    `{ "amount" : {"currency":"USD", "value":"1.00"}, "_links":{"to":{"href":"${to}"},"from":{"href":"${from}"}} }`,
  );
  assert.deepEqual(
    [again.status, again.headers.location, again.headers['idempotent-replayed']],
    [201, first.headers.location, 'true'],
  );
});

test('replays a key after a restart', async (t) => {
  const first = await withLabels(await startService(t));
  const made = (await first.move('1.00', 'k')).headers.location!;
  await first.stop();
  const second = await startService(t, { beside: first, env: { PUBLIC_URL: first.url } });
  const answer = await second.send('POST', '/label-reallocations', {
    token: first.token,
    body: first.reallocation(first.from, first.to, '1.00'),
    key: 'k',
  });
  assert.deepEqual([answer.status, answer.headers.location, answer.headers['idempotent-replayed']], [201, made, 'true']);
});

test('leaves the key free after a refusal', async () => {
  const { move, call, customer } = await withLabels();
  assertRefused(await move('100.01', 'k'), { status: 400, code: 'ValidationError', fault: 'InsufficientFunds' });
  const label = { amount: { value: '9999.00', currency: 'USD' } };
  assertRefused(await call('POST', `${customer}/labels`, { body: label, key: 'k' }), {
    status: 400,
    code: 'ValidationError',
    fault: 'InsufficientFunds',
  });
  const answer = await move('1.00', 'k');
  assert.deepEqual([answer.status, answer.headers['idempotent-replayed']], [201, undefined]);
});

test('keeps the keys of two accounts apart', async () => {
  const { call, newClient, newCustomer, newLabel, reallocation, move, from, to } = await withLabels();
  const { token } = await newClient();
  const theirs = await newCustomer({ available: '5.00', token });
  const [one, other] = [await newLabel(theirs, '5.00', { token }), await newLabel(theirs, '0', { token })];
  await move('1.00', 'k');
  const answer = await call('POST', '/label-reallocations', { body: reallocation(one, other, '5.00'), key: 'k', token });
  assert.deepEqual([answer.status, answer.headers['idempotent-replayed']], [201, undefined]);
  // and reveals nothing of the other account
  assertRefused(await call('POST', '/label-reallocations', { body: reallocation(from, to, '1.00'), key: 'k', token }), {
    status: 403,
    code: 'Forbidden',
  });
});

test('keeps the keys of two customers apart, and those of requests without a customer in the account', async () => {
  const { call, move, from, newCustomer, newLabel, reallocation } = await withLabels();
  await move('1.00', 'k');
  let customer: string;
  do customer = await newCustomer({ available: '5.00' });
  while (bucketOf(idOf(customer)) === bucketOf(idOf(from)));
  const body = reallocation(await newLabel(customer, '5.00'), await newLabel(customer), '5.00');
  const answer = await call('POST', '/label-reallocations', { body, key: 'k' });
  assert.deepEqual([answer.status, answer.headers['idempotent-replayed']], [201, undefined]);

  const form = customerForm();
  const [created, again] = [
    await call('POST', '/customers', { body: form, key: 'c' }),
    await call('POST', '/customers', { body: form, key: 'c' }),
  ];
  assert.deepEqual([again.headers.location, again.headers['idempotent-replayed']], [created.headers.location, 'true']);
  assertRefused(await call('POST', '/customers', { body: customerForm(), key: 'c' }), { status: 409, code: 'Conflict' });
});

test('replays the Location of every POST that creates', async () => {
  const { call, customer, from, to, reallocation } = await withLabels();
  const amount = { value: '1.00', currency: 'USD' };
  const requests: [string, unknown][] = [
    ['/customers', customerForm()],
    [`${customer}/labels`, { amount }],
    [`${customer}/deposits`, { amount }],
    [`${customer}/withdrawals`, { amount }],
    [`${from}/ledger-entries`, { amount }],
    ['/label-reallocations', reallocation(from, to, '1.00')],
  ];
  for (const [path, body] of requests) {
    const key = `key of ${path}`.replaceAll(' ', '-');
    const first = await call('POST', path, { body, key });
    const again = await call('POST', path, { body, key });
    assert.deepEqual(
      [first.status, again.status, again.headers.location, again.headers['idempotent-replayed']],
      [201, 201, first.headers.location, 'true'],
      path,
    );
    assert.equal((await call('GET', first.headers.location!)).status, 200);
  }
});

test('replays the body of a POST that changes', async () => {
  const { call, customer } = await withLabels();
  const first = await call('POST', customer, { body: { city: 'Shelbyville' }, key: 'k' });
  await call('POST', customer, { body: { city: 'Ogdenville' } });
  const again = await call('POST', customer, { body: { city: 'Shelbyville' }, key: 'k' });
  assert.equal(first.status, 200);
  assert.deepEqual([again.status, again.body, again.headers['idempotent-replayed']], [200, first.body, 'true']);
  assert.equal((await call('GET', customer)).body.city, 'Ogdenville');
});

test('the erasure of a customer leaves none of its texts, and its keys answer without a second effect', async (t) => {
  const { call, create, get, reallocation, sql } = await openAccount(shared);
  const word = 'Xylotheque';
  const texts = { reference: word, correlationId: word, metadata: { [word]: word } };
  const customer = await create('/customers', {
    ...{ ...personal, firstName: word, lastName: word, email: `${word}@example.com`, address1: word, address2: word, city: word },
    ...{ correlationId: word, externalId: word, metadata: texts.metadata },
  });
  const post = (url: string, body: object) => call('POST', url, { body, key: `${url.split('/').at(-1)}-1` });
  await create(`${customer}/deposits`, { amount: usd('10.00'), ...texts, externalId: `${word}-1` });
  const label = await create(`${customer}/labels`, {
    name: word,
    amount: usd('2.00'),
    correlationId: word,
    externalId: `${word}-2`,
  });
  const other = await create(`${customer}/labels`, { amount: usd('0') });
  const between = { from: { href: label }, to: { href: other } };
  const hold = await create(`${customer}/holds`, { amount: usd('1.00'), ...texts, externalId: `${word}-3` });
  const daily = { rule: 'FREQ=DAILY', start: '2100-01-01T00:00:00', timeZone: 'UTC' };
  const schedule = await create(`${customer}/schedules`, { _links: between, amount: usd('1.00'), ...daily, reference: word });
  const steps = [{ label: { href: label }, percent: '10' }];
  const rule = await create(`${customer}/allocation-rules`, { name: word, steps });
  await create('/label-reallocations', { ...reallocation(label, other, '2.00'), ...texts });
  const requests: [string, object][] = [
    [label, { name: `${word} 2` }],
    [`${hold}/releases`, {}],
    [schedule, { paused: true }],
    [rule, { paused: true }],
  ];
  for (const [url, body] of requests) assert.equal((await post(url, body)).status, 200, url);
  await create(`${other}/ledger-entries`, { amount: usd('-2.00') });
  const withdrawal = { amount: usd('10.00'), ...texts };
  const withdrawn = await post(`${customer}/withdrawals`, withdrawal);
  requests.push([customer, { status: 'deactivated' }]);
  const deactivated = await post(...requests.at(-1)!);
  assert.equal(deactivated.body.firstName, word);
  const found = async () => {
    const rows: string[] = [];
    const hex = Buffer.from(word).toString('hex');
    const tables = await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`;
    for (const { name } of tables)
      for (const { row } of await sql<{ row: string }>`select x::text as row from ${identifier(name)} x`)
        if ([word.toLowerCase(), hex].some((text) => row.toLowerCase().includes(text))) rows.push(`${name} ${row}`);
    return rows;
  };
  assert.ok((await found()).length > requests.length);

  const erased = await runCli(t, ['customer', 'erase', idOf(customer), '--yes'], settingsOf(shared));
  assert.equal(erased.code, 0, erased.stderr);
  assert.deepEqual(await found(), []);
  for (const [url, body] of requests) {
    const again = await post(url, body);
    const shown = await get(url.replace('/releases', ''));
    assert.deepEqual([again.status, again.headers['idempotent-replayed'], again.body], [200, 'true', shown]);
  }
  assert.equal((await post(`${customer}/withdrawals`, withdrawal)).headers.location, withdrawn.headers.location);
  assert.equal((await get(`${customer}/withdrawals`)).total, 1);
});

test('accepts valid keys and refuses others', async () => {
  const { move } = await withLabels();
  assert.equal((await move('1.00', '!'.repeat(255))).status, 201);
  for (const key of ['', ' ', 'a b', 'x'.repeat(256), 'é'])
    assertRefused(await move('1.00', key), { status: 400, code: 'BadRequest' });
});

test('the OpenAPI document allows exactly the keys that are accepted', async () => {
  const { move } = await withLabels();
  const { paths } = (await shared.send('GET', '/openapi.json')).body;
  type Parameter = { name: string; schema: { pattern: string; minLength: number; maxLength: number } };
  const parameters: Parameter[] = paths['/label-reallocations'].post.parameters;
  const { pattern, minLength, maxLength } = parameters.find(({ name }) => name === 'Idempotency-Key')!.schema;
  const allowed = new RegExp(pattern);
  const visible = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 3,
  });
  const near = fc
    .tuple(fc.constantFrom('', '"'), visible, fc.constantFrom(0, 1, 252, 253, 254, 255, 256), fc.constantFrom('', '"', ' "', 'é'))
    .map(([open, some, length, close]) => `${open}${some.padEnd(length, 'x').slice(0, length)}${close}`);
  const keys = fc.sample(fc.oneof(fc.stringMatching(allowed), near, visible), { seed: SEED, numRuns: SAMPLES });
  const counts = { true: 0, false: 0 };
  // Whitespace around a header is not part of it.
  for (const key of new Set([
    '',
    '"',
    '""',
    '"""',
    '"a',
    'a"',
    `"${'x'.repeat(255)}"`,
    `"${'x'.repeat(256)}"`,
    ...keys.map((one) => one.trim()),
  ])) {
    const isAllowed = allowed.test(key) && key.length >= minLength && key.length <= maxLength;
    const { status, text } = await move('0.01', key);
    // The same key with and without quotes is one key, whose repetition is answered alike.
    assert.equal(status, isAllowed ? 201 : 400, `${JSON.stringify(key)}: ${text}`);
    counts[`${isAllowed}`]++;
  }
  assert.ok(counts.true > SAMPLES / 10 && counts.false > SAMPLES / 10, JSON.stringify(counts));
});
