// Tests of independent batches: results by item, several customers, and repetitions.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openBatches } from '../../../test/support/batches.ts';
import { startBeside } from '../../../test/support/beside.ts';
import { customerForm } from '../../../test/support/data.ts';
import { type Answer, assertRefused, type Body, idOf } from '../../../test/support/http.ts';
import { untilWaiting } from '../../../test/support/locks.ts';
import { runCli, settingsOf } from '../../../test/support/process.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { hoursBefore } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

/** The code and pointer of each refused result, and `made` for the others. */
const outcomes = (body: Body) =>
  body._embedded.results.map(({ code, path }: Body) => (code === undefined ? 'made' : `${code} ${path}`));

test('makes what can be made, in order within a customer, and reports the rest', async () => {
  const { call, from, to, third, item, send, amountOf, nowhere, newClient, newCustomer, newLabel, newLabels } =
    await openBatches(shared);
  const stranger = await newClient();
  const theirs = await newLabel(await newCustomer({ token: stranger.token }), '0', { token: stranger.token });
  const second = await newLabels();
  const made = await send('independent', [
    item(from, to, '60.00'),
    item(from, to, '60.00'),
    item(second.from, second.to, 'all', { reference: 'everything' }),
    item(to, third, '55.00', { externalId: 'one' }),
    item(third, from, '1.00', { externalId: 'one' }),
    item(from, nowhere('label'), '1.00'),
    item(theirs, to, '1.00'),
    item(second.to, to, '1.00'),
    item(from, from, '1.00'),
    item(from, to, '1.00', { metadata: { 'a b': '' } }),
    item(from, third, 'all'),
    item(from, third, 'all'),
  ]);
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(outcomes(made.body), [
    'made',
    'InsufficientFunds /items/1/amount/value',
    'made',
    'made',
    'Duplicate /items/4/externalId',
    'NotFound /items/5/_links',
    'Forbidden /items/6/_links',
    'Invalid /items/7/_links/to/href',
    'Invalid /items/8/_links/to/href',
    'InvalidFormat /items/9/metadata/a b',
    'made',
    'InsufficientFunds /items/11/amount/value',
  ]);
  const { total, succeeded, refused, _embedded } = made.body;
  assert.deepEqual([total, succeeded, refused], [12, 4, 8]);
  assert.equal(_embedded.results[1].message, 'Insufficient funds: 40.00 USD available.');
  assert.equal(_embedded.results[5].message, 'Label not found');
  assert.deepEqual(await Promise.all([from, to, third, second.to].map(amountOf)), ['0.00', '5.00', '95.00', '100.00']);
  assert.deepEqual((await call('GET', made.headers.location!)).body, made.body);
  assertRefused(await call('GET', made.headers.location!, { token: stranger.token }), { status: 403, code: 'Forbidden' });
  assertRefused(await call('GET', nowhere('label-reallocation-batch')), { status: 404, code: 'NotFound' });
});

test('is created also when every item is refused', async () => {
  const { from, to, item, send, snapshot } = await openBatches(shared);
  const before = await snapshot();
  const made = await send('independent', [item(from, to, '100.01'), item(from, to, '0')]);
  assert.deepEqual([made.status, made.body.succeeded, made.body.refused], [201, 0, 2]);
  assert.deepEqual(await snapshot(), before);
});

test('a repeated key gives the first results, and finds what an attempt that crashed had posted', async () => {
  const { call, sql, from, to, item, send, amountOf, newLabels, customer, snapshot } = await openBatches(shared);
  const second = await newLabels();
  const items = [item(from, to, '2.00'), item(second.from, second.to, 'all'), item(to, from, '3.00')];
  const first = await send('independent', items, { key: 'a' });
  assert.deepEqual(outcomes(first.body), ['made', 'made', 'InsufficientFunds /items/2/amount/value']);
  await call('POST', `${customer}/deposits`, { body: { amount: { value: '5.00', currency: 'USD' } } });
  await call('POST', `${to}/ledger-entries`, { body: { amount: { value: '5.00', currency: 'USD' } } });
  const again = await send('independent', items, { key: 'a' });
  assert.deepEqual([again.status, again.body, again.headers['idempotent-replayed']], [201, first.body, 'true']);
  assertRefused(await send('independent', items.slice(1), { key: 'a' }), { status: 409, code: 'Conflict' });
  // As after a crash between the items and the batch.
  await sql`delete from label_reallocation_batch where id = ${idOf(first.headers.location!)}`;
  await sql`update idempotency_key set status = null where resource_id = ${idOf(first.headers.location!)}`;
  const before = await snapshot();
  const other = await send('independent', [item(to, from, '1.00'), item(from, to, '1.00')], { key: 'a' });
  assertRefused(other, { status: 409, code: 'Conflict' });
  assert.equal(other.body._links.about.href, first.headers.location);
  assert.deepEqual(await snapshot(), before);
  const resumed = await send('independent', items, { key: 'a' });
  assert.deepEqual(outcomes(resumed.body), ['made', 'made', 'made']);
  assert.deepEqual(resumed.body._embedded.results.slice(0, 2), first.body._embedded.results.slice(0, 2));
  assert.equal(await amountOf(to), '4.00');
});

test('concurrent requests with one key get one batch', async () => {
  const { sql, client, from, to, item, send } = await openBatches(shared);
  const items = Array.from({ length: 20 }, () => item(from, to, '6.00'));
  const answers = await Promise.all(Array.from({ length: 8 }, () => send('independent', items, { key: 'b' })));
  for (const { status, body } of answers) assert.deepEqual([status, body], [201, answers[0]!.body]);
  assert.equal(answers[0]!.body.succeeded, 16);
  const [count] = await sql`select count(*) from label_reallocation_batch where account_id = ${client.account_id}`;
  assert.deepEqual(count, { count: 1n });
});

/** Sends a batch that moves money of a label, and ends the transaction that has the lock of its key while the items are posted. */
async function loseLock(label: string, send: () => Promise<Answer>): Promise<void> {
  const { sql } = shared;
  const cut = await shared.service.database.transaction(async (tx) => {
    await tx`select 1 from ledger_account where bucket = ${bucketOf(idOf(label))} and id = ${idOf(label)} for update`;
    const first = send();
    await untilWaiting(sql, 1);
    const lost = await sql`
      select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where a.datname = current_database() and a.state = 'idle in transaction'
        and l.locktype = 'advisory' and l.mode = 'ExclusiveLock' and l.objsubid = 1`;
    assert.equal(lost.length, 1);
    return [first];
  });
  assertRefused(await cut[0]!, { status: 503, code: 'ServiceUnavailable' });
}

for (const mode of ['independent', 'atomic'])
  test(`an ${mode} batch that loses its lock is completed once by a repetition, and by no other request`, async () => {
    const { from, to, item, send, amountOf, newLabels, snapshot } = await openBatches(shared);
    const others = await newLabels();
    const items = [item(from, to, '60.00'), item(to, from, '10.00'), ...(mode === 'atomic' ? [] : [item(from, to, '60.00')])];
    await loseLock(from, () => send(mode, items, { key: 'lost' }));
    assert.deepEqual([await amountOf(from), await amountOf(to)], ['50.00', '50.00'], 'its items were made');
    const before = await snapshot();
    for (const other of [items.slice(1), [item(others.from, others.to, '1.00')]])
      assertRefused(await send(mode, other, { key: 'lost' }), { status: 409, code: 'Conflict' });
    assert.deepEqual(await snapshot(), before);
    const [again, once] = await Promise.all([1, 2].map(() => send(mode, items, { key: 'lost' })));
    assert.deepEqual([again!.status, once!.status, once!.body], [201, 201, again!.body]);
    const refused = ['InsufficientFunds /items/2/amount/value'].slice(mode === 'atomic' ? 1 : 0);
    assert.deepEqual(outcomes(again!.body), ['made', 'made', ...refused]);
    assert.deepEqual([await amountOf(from), await amountOf(to)], ['50.00', '50.00']);
  });

test('the key of a batch whose process died is that of its request', async (t) => {
  const { call, sql, token, from, to, item, send, amountOf, newLabels, snapshot } = await openBatches(shared);
  const { groups, database } = shared.service;
  const groupOf = (label: string) => groups.of(bucketOf(idOf(label)));
  let second: Awaited<ReturnType<typeof newLabels>>;
  do second = await newLabels();
  while (groupOf(second.from) === groupOf(from));
  const others = await newLabels();
  const [amounts, key] = [[from, to, second.from, second.to, others.from, others.to], 'died'];
  const items = [item(from, to, '1.00'), item(second.from, second.to, '2.00'), item(to, from, '0.25')];
  const other = [item(others.from, others.to, '3.00')];
  const dying = await startBeside(t, shared);
  const { about } = await database.transaction(async (tx) => {
    await tx`select 1 from ledger_account where bucket = ${bucketOf(idOf(second.from))} and id = ${idOf(second.from)} for update`;
    const body = { mode: 'independent', items };
    const cut = dying.send('POST', '/label-reallocation-batches', { token, body, key }).catch(() => 'cut off');
    await waitUntil('the first customer has its items', async () => (await amountOf(from)) === '99.25');
    await untilWaiting(sql, 1);
    dying.child.kill('SIGKILL');
    assert.equal(await cut, 'cut off');

    const before = await snapshot();
    for (const mode of ['independent', 'atomic']) {
      const refused = await send(mode, other, { key });
      assertRefused(refused, { status: 409, code: 'Conflict' });
      assertRefused(await call('GET', refused.body._links.about.href), { status: 404, code: 'NotFound' });
    }
    assertRefused(await call('POST', '/customers', { body: customerForm(), key }), { status: 409, code: 'Conflict' });
    assert.deepEqual(await snapshot(), before);
    return (await send('independent', other, { key })).body._links;
  });
  const again = await send('independent', items, { key });
  assert.deepEqual([again.status, again.body.succeeded, again.headers.location], [201, 3, about.href], again.text);
  assertRefused(await send('independent', other, { key }), { status: 409, code: 'Conflict' });
  const replayed = await send('independent', items, { key });
  assert.deepEqual([replayed.body, replayed.headers['idempotent-replayed']], [again.body, 'true']);
  assert.deepEqual(await Promise.all(amounts.map(amountOf)), ['99.25', '0.75', '98.00', '2.00', '100.00', '0.00']);
});

test('the key of a batch that was cut off expires as others do', async () => {
  const { sql, client, from, to, item, send, amountOf, newLabels } = await openBatches(shared);
  const others = await newLabels();
  const other = [item(others.from, others.to, '3.00')];
  const cutOff = () => loseLock(from, () => send('independent', [item(from, to, '1.00')], { key: 'old' }));
  const age = async (hours: number) => {
    const [key] = await sql<{ created: Date }>`select created from idempotency_key where account_id = ${client.account_id}`;
    const created = hoursBefore(key!.created, hours);
    await sql`update idempotency_key set created = ${created} where account_id = ${client.account_id}`;
    await runCli({ after }, ['jobs', 'run', 'prune-idempotency-keys'], settingsOf(shared));
  };
  await cutOff();
  await age(23);
  await cutOff();
  await age(23);
  assertRefused(await send('independent', other, { key: 'old' }), { status: 409, code: 'Conflict' });
  await age(2);
  assert.equal((await send('independent', other, { key: 'old' })).status, 201);
  assert.deepEqual(await Promise.all([from, others.from].map(amountOf)), ['99.00', '97.00']);
});

test('an account that batches much leaves the connections to others', async () => {
  const { call, from, to, item, send } = await openBatches(shared);
  const items = Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? item(from, to, '1.00') : item(to, from, '1.00')));
  const batches = Promise.all(Array.from({ length: 24 }, () => send('independent', items)));
  const reads = await Promise.all(Array.from({ length: 24 }, () => call('GET', from)));
  assert.deepEqual(new Set(reads.map(({ status }) => status)), new Set([200]));
  for (const { status, body } of await batches) assert.deepEqual([status, body.refused], [201, 0]);
});
