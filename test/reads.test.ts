// Reads by id at the same time: each request gets its own answer, while requests share statements.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { customerForm, ownerForm } from './support/data.ts';
import { query } from './support/database.ts';
import { connectBeside } from './support/faults.ts';
import { assertPlainRefusal, idOf } from './support/http.ts';
import { contentType, filePart, multipart, typePart } from './support/multipart.ts';
import { picture } from './support/pictures.ts';
import { openAccount, startService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';

const shared = await startService({ after });
const TOGETHER = 64;

test('owners, strangers and readers of what does not exist get their own answers at once', async () => {
  const [own, other] = [await openAccount(shared), await openAccount(shared)];
  const { customer, from, to } = await own.newLabels();
  const reallocation = await own.create('/label-reallocations', own.reallocation(from, to, '1.00'));
  const missing = (url: string) => `${url.slice(0, -12)}${'0'.repeat(12)}`;
  const subscription = await own.create('/webhook-subscriptions', { url: 'https://example.com/hook', secret: 'a'.repeat(32) });
  const [event] = (await own.get('/events?limit=1'))._embedded.events;
  const [entry] = (await own.get(`${from}/ledger-entries`))._embedded['ledger-entries'];
  const business = await own.create('/customers', customerForm());
  const owner = await own.create(`${business}/beneficial-owners`, ownerForm);
  const upload = await own.call(
    'POST',
    `${await own.create(`${business}/beneficial-owners`, { ...ownerForm, firstName: 'document' })}/documents`,
    {
      raw: multipart([typePart('passport'), filePart(await picture())], {}),
      headers: { 'content-type': contentType({}) },
    },
  );
  const urls = [
    customer,
    `${customer}/balance`,
    from,
    reallocation,
    subscription,
    event._links.self.href,
    entry._links.self.href,
    owner,
    upload.headers.location!,
  ];
  for (const url of urls) {
    const alone = await own.call('GET', url);
    const kinds = ['own', 'other', 'missing'] as const;
    const answers = await Promise.all(
      Array.from({ length: TOGETHER }, async (_, index) => {
        const kind = kinds[index % 3]!;
        const path = kind === 'missing' ? url.replace(idOf(url.replace('/balance', '')), (id: string) => missing(id)) : url;
        return { kind, answer: await (kind === 'other' ? other : own).call('GET', path) };
      }),
    );
    for (const { kind, answer } of answers) {
      if (kind === 'own') assert.deepEqual([answer.status, answer.body], [200, alone.body], url);
      else assertPlainRefusal(answer, kind === 'other' ? 'forbidden' : 'notFound');
    }
  }
});

test('reads that arrive together share statements', async () => {
  const { get, newLabels, sql } = shared;
  const { customer, from } = await newLabels();
  const count = async () => {
    const [row] = await sql<{ count: bigint }>`
      select xact_commit as count, pg_stat_clear_snapshot() from pg_stat_database where datname = current_database()`;
    return Number(row!.count);
  };
  for (const path of [customer, from]) {
    await get(path);
    const before = await count();
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: TOGETHER }, () => get(path)));
    // Those of the jobs of the service included.
    assert.ok((await count()) - before < (TOGETHER * 5) / 2, `${(await count()) - before} transactions`);
  }
});

test('a read sees what was answered before it', async () => {
  const { create, get, newLabels, reallocation } = shared;
  const { from, to } = await newLabels();
  let isOver = false;
  const background = Promise.all(
    Array.from({ length: 8 }, async () => {
      while (!isOver) await get(to);
    }),
  );
  for (let cents = 1; cents <= 50; cents++) {
    await create('/label-reallocations', reallocation(from, to, '0.01'));
    const amounts = await Promise.all(Array.from({ length: 4 }, async () => (await get(to)).amount.value));
    assert.deepEqual(new Set(amounts), new Set([`0.${String(cents).padStart(2, '0')}`]));
  }
  isOver = true;
  await background;
});

test('the connection of a shared statement breaks, and every request is answered', async (t) => {
  const service = await startService(t, { processes: 1 });
  const { customer } = await service.newLabels();
  const holder = await connectBeside(t, service.databaseUrl);
  await holder.query('begin; lock table customer in access exclusive mode');
  const reads = Promise.all(Array.from({ length: 16 }, () => service.call('GET', customer)));
  // On another connection: the holder would see the activity of the time when its transaction first looked.
  const breakIt = () =>
    query(
      service.databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query ~ 'w.place'`,
    );
  await waitUntil('a shared statement is broken', async () => (await breakIt()).length > 0);
  await holder.query('rollback');
  assert.deepEqual(new Set((await reads).map(({ status }) => status)), new Set([200]));
});
