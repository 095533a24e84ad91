// The ledger under concurrency: random histories against a model, limited funds, opposed pairs and rings, two processes on one
// database.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { startBeside } from './support/beside.ts';
import { reallocation, usd } from './support/data.ts';
import { type Answer, assertRefused } from './support/http.ts';
import { sendWhileLocked } from './support/locked-label.ts';
import { startService, type TestService } from './support/service.ts';
import { assertSoundLedger } from './support/sound-ledger.ts';

const RUNS = 12;

async function checkLedger(service: TestService): Promise<void> {
  await assertSoundLedger(service.service.database);
}

async function amountOf(service: TestService, label: string): Promise<number> {
  return Number((await service.call('GET', label)).body.amount.value);
}

/** Two processes on one database whose queues are not aligned. */
async function pair(t: TestContext) {
  const first = await startService(t);
  const second = await startBeside(t, first, { LANES: '3' });
  return { first, second };
}

type Move = { from: number; to: number; cents: number };
type Entry = { id: string; amount: { value: string }; balance: { value: string }; sequence: number };

test('keeps money conserved, sequences gapless and balances above zero under random concurrent histories, as the model does', async (t) => {
  const { first, second } = await pair(t);
  const move = fc.record({
    from: fc.integer({ min: 0, max: 4 }),
    to: fc.integer({ min: 0, max: 4 }),
    cents: fc.integer({ min: 1, max: 9_000 }),
  });
  const history = fc.array(move, { minLength: 5, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(history, async (moves) => {
      const customer = await first.newCustomer({ available: '400.00' });
      const labels = [await first.newLabel(customer, '100.00'), await first.newLabel(customer, '50.00')];
      for (let n = 0; n < 3; n++) labels.push(await first.newLabel(customer));
      const answers = await Promise.all(moves.map((one, n) => send(n % 2 ? first : second, labels, one, first.token)));
      const entries = await Promise.all(labels.map((label) => entriesOf(first, label)));
      assertModel(labels, moves, answers, entries);
      const { body } = await first.call('GET', `${customer}/balance`);
      assert.deepEqual(body.balances, [
        { currency: 'USD', total: usd('400.00'), available: usd('250.00'), labelled: usd('150.00') },
      ]);
    }),
    { numRuns: RUNS },
  );
  await checkLedger(first);
});

function send(service: Pick<TestService, 'send'>, labels: string[], { from, to, cents }: Move, token: string): Promise<Answer> {
  return service.send('POST', '/label-reallocations', {
    token,
    body: reallocation(labels[from]!, labels[to]!, (cents / 100).toFixed(2)),
  });
}

const cents = (amount: { value: string }) => Math.round(Number(amount.value) * 100);

async function entriesOf({ call }: TestService, label: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let path: string | undefined = `${label}/ledger-entries?limit=50`; path; ) {
    const { body }: Answer = await call('GET', path);
    entries.push(...body._embedded['ledger-entries']);
    path = body._links.next?.href;
  }
  return entries.reverse();
}

/** Replays the acknowledged reallocations in the order of the entries, and checks every balance and refusal. */
function assertModel(labels: string[], moves: Move[], answers: Answer[], entries: Entry[][]): void {
  const balances = labels.map(() => 0);
  entries.forEach((list, label) => {
    list.forEach((entry, index) => {
      balances[label]! += cents(entry.amount);
      assert.equal(entry.sequence, index + 1, 'the sequence has no gaps');
      assert.equal(cents(entry.balance), balances[label], 'each balance is the sum of its entries');
      assert.ok(balances[label]! >= 0, 'no balance is negative');
    });
  });
  assert.equal(
    balances.reduce((sum, one) => sum + one),
    150_00,
    'money is conserved',
  );

  const moved = new Map(entries.flat().map((entry) => [entry.id.slice(0, -1), entry]));
  let acknowledged = 0;
  answers.forEach((answer, index) => {
    const { from, to, cents: wanted } = moves[index]!;
    if (answer.status === 201) {
      acknowledged += 1;
      const entry = moved.get(answer.headers.location!.split('/').at(-1)!.slice(0, -1));
      assert.equal(Math.abs(cents(entry!.amount)), wanted, 'the acknowledged reallocation is stored');
    } else if (from === to) assertRefused(answer, { status: 400, code: 'ValidationError', path: '/_links/to/href' });
    else assertRefused(answer, { status: 400, code: 'ValidationError', fault: 'InsufficientFunds' });
  });
  const opening = 2;
  assert.equal(entries.flat().length, 2 * acknowledged + opening, 'nothing else is stored');
}

test('lets exactly K of N concurrent writers succeed when funds suffice for K, through two services', async (t) => {
  const { first, second } = await pair(t);
  const customer = await first.newCustomer({ available: '30.00' });
  const [from, to] = [await first.newLabel(customer, '30.00'), await first.newLabel(customer)];
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => send(n % 2 ? first : second, [from, to], { from: 0, to: 1, cents: 100 }, first.token)),
  );
  const statuses = Map.groupBy(answers, (answer) => answer.status);
  assert.deepEqual([statuses.get(201)?.length, statuses.get(400)?.length], [30, 70]);
  for (const answer of statuses.get(400)!)
    assertRefused(answer, {
      status: 400,
      code: 'ValidationError',
      fault: 'InsufficientFunds',
      message: 'Insufficient funds: 0.00 USD available.',
    });
  assert.deepEqual([await amountOf(first, from), await amountOf(first, to)], [0, 30]);
  await checkLedger(first);
});

test('limits concurrent writers to the available funds on every other route of the ledger', async (t) => {
  const { first, second } = await pair(t);
  const customer = await first.newCustomer({ available: '10.00' });
  const label = await first.newLabel(customer);
  const amount = usd('1.00');
  const many = (path: string, body: unknown) =>
    Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        (n % 2 ? first : second).send('POST', path.replace(first.url, ''), { token: first.token, body }),
      ),
    );
  const made = (answers: Answer[]) => answers.filter((answer) => answer.status === 201).length;
  assert.equal(made(await many(`${label}/ledger-entries`, { amount })), 10);
  assert.equal(made(await many(`${label}/ledger-entries`, { amount: usd('-1.00') })), 10);
  assert.equal(made(await many(`${customer}/labels`, { amount: usd('2.00') })), 5);
  assert.equal(made(await many(`${customer}/withdrawals`, { amount })), 0);
  assert.equal(made(await many(`${customer}/deposits`, { amount })), 25);
  assert.equal(made(await many(`${customer}/withdrawals`, { amount: usd('5.00') })), 5);
  await checkLedger(first);
});

test('posts the rest of a batch that contains unknown labels', async (t) => {
  // The requests share a batch.
  const service = await startService(t, { env: { LANES: '1' }, processes: 1 });
  const customer = await service.newCustomer({ available: '100.00' });
  const [a, b] = [await service.newLabel(customer, '50.00'), await service.newLabel(customer, '10.00')];
  // In the same bucket: one id sorts before both, the other after them.
  const [first, last] = ['00000000-0000', 'ffffffff-ffff'].map((time) => a.replace(/[0-9a-f]{8}-[0-9a-f]{4}(?=-7)/, time));
  const good = [reallocation(a, b, '1.00'), reallocation(b, a, '3.00'), reallocation(a, b, '5.00')];
  const bad = [
    reallocation(first!, a, '1.00'),
    reallocation(b, first!, '1.00'),
    reallocation(a, last!, '1.00'),
    reallocation(last!, first!, '1.00'),
  ];
  const bodies = [...good, ...bad, ...good, ...bad];
  const answers = await sendWhileLocked(service, a, () =>
    bodies.map((body) => service.call('POST', '/label-reallocations', { body })),
  );
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(
    statuses,
    bodies.map((body) => (good.includes(body) ? 201 : 404)),
  );
  assert.deepEqual([await amountOf(service, a), await amountOf(service, b)], [44, 16]);
  await checkLedger(service);
});

test('posts opposed pairs and rings without deadlock or loss', async (t) => {
  const { first, second } = await pair(t);
  const [count, opening, waves, perWave] = [6, 30, 15, 60];
  const customer = await first.newCustomer({ available: '180.00' });
  const labels: string[] = [];
  for (let n = 0; n < count; n++) labels.push(await first.newLabel(customer, `${opening}.00`));
  // Every label to the next, back, and to the opposite one: each receives as much as it sends.
  const routes = labels.flatMap((_, n) =>
    [(n + 1) % count, (n + count - 1) % count, (n + 3) % count].map((to) => ({ from: n, to, cents: 10 })),
  );
  const statuses = new Set<number>();
  for (let wave = 0; wave < waves; wave++) {
    const moves = Array.from({ length: perWave }, (_, n) => routes[n % routes.length]!);
    const answers = await Promise.all(moves.map((move, n) => send((n + wave) % 2 ? first : second, labels, move, first.token)));
    for (const { status } of answers) statuses.add(status);
  }
  assert.deepEqual(statuses, new Set([201]));
  const total = (await Promise.all(labels.map((label) => amountOf(first, label)))).reduce((sum, one) => sum + one);
  assert.equal(Math.round(total), count * opening);
  await checkLedger(first);
  const [seen] = await first.sql<{
    deadlocks: bigint;
  }>`select deadlocks from pg_stat_database where datname = current_database()`;
  assert.equal(seen!.deadlocks, 0n, 'accounts are locked in one order');
});

test('acknowledges no reallocation after a suspension that was not posted before it', async (t) => {
  const { first, second } = await pair(t);
  const customer = await first.newCustomer({ available: '100.00' });
  const labels = [await first.newLabel(customer, '100.00'), await first.newLabel(customer)];
  const moving = Array.from({ length: 60 }, (_, n) =>
    send(n % 2 ? first : second, labels, { from: 0, to: 1, cents: 100 }, first.token),
  );
  assert.equal((await first.call('POST', customer, { body: { status: 'suspended' } })).status, 200);
  const at = await amountOf(first, labels[1]!);
  const made = (await Promise.all(moving)).filter((answer) => answer.status === 201).length;
  assert.equal(at, made);
  assert.equal(await amountOf(first, labels[1]!), made);
});
