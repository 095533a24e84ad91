// The screens of the console: customers with their change of status, operations, and the figures of the overview.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../test/support/http.ts';
import { openSession } from '../../../test/support/operators.ts';
import { startService } from '../../../test/support/service.ts';
import { HANGS_MS, waitUntil } from '../../../test/support/wait.ts';
import { listAudit } from '../../ledger/audit/audit.ts';

// Each page shows the same in every process.
const shared = await startService({ after }, { env: { VERIFY_EVERY_SECONDS: '0' }, processes: 2 });

test('the overview adds up what customers hold, and counts reallocations', async () => {
  const { load } = await openSession(shared, 'viewer');
  const { from, to } = await shared.newLabels();
  await shared.create('/label-reallocations', shared.reallocation(from, to, '5.00'));
  const { text } = await load('/console');
  const [row] = await shared.sql<{ held: string }>`
    select to_char(-sum(balance) / 100, 'FM999,999,990.00') as held from ledger_account where kind = 'external' and currency = 'USD'`;
  assert.ok(text.includes(row!.held), row!.held);
  assert.match(text, /Last hour: 1 reallocation, by minute/);
  const { text: all } = await (await openSession(shared, 'admin')).load('/console');
  for (const href of ['money', 'review', 'webhooks', 'operations'])
    assert.match(all, new RegExp(`<a class="figure" href="/console/${href}">`), href);
});

test('under an advanced clock the overview counts and dates by one clock, and says so', async (t) => {
  const own = await startService(t, { env: { SANDBOX_REVIEW_DELAY_MS: '86400000' } });
  const { load, submit } = await openSession(own, 'admin');
  const { from, to } = await own.newLabels();
  await submit('/console/sandbox/clock', { account: own.client.account_id, seconds: String(31 * 86_400) });
  await waitUntil('every process knows the clock', async () => {
    const times = await Promise.all(own.services.map(({ clock }) => clock.now(own.client.account_id).getTime()));
    return times.every((time) => time > Date.now() + 30 * 86_400_000);
  });
  const token = await own.tokenOf(own.client);
  await own.create('/label-reallocations', own.reallocation(from, to, '5.00'), { token });
  await submit('/console/sandbox/documents', { account: own.client.account_id, script: 'waiting', count: '1' });
  const { text } = await load('/console');
  assert.match(text, /Last hour: 1 reallocation,/);
  assert.match(text, /the oldest waits for \d+ (ms|seconds?)</);
  assert.match(text, /Clocks are ahead in [^<]*\(31 days\)/);
  const times = [...text.matchAll(/<time datetime="([^"]+)"/g)].map(([, time]) => Date.parse(time!));
  assert.ok(times.length > 2 && times.every((time) => Math.abs(time - Date.now()) < 2 * 86_400_000), text);

  const account = own.client.account_id;
  for (const fault of ['503', 'slow'])
    await submit('/console/sandbox/faults', { account, operation: 'getRoot', fault, times: '1' });
  const planned = (await load(`/console/sandbox?account=${account}`)).text;
  const names = [...planned.matchAll(/>Remove<span class="visually-hidden">([^<]+)</g)].map(([, name]) => name);
  assert.equal(new Set(names).size, 2, 'no two buttons have one name');
  const remove = /\/console\/sandbox\/faults\/[0-9a-f-]{36}\/remove/.exec(planned)![0];
  assert.equal((await submit(remove)).status, 303);
  const late = await submit(remove);
  assert.equal(late.status, 404);
  assert.match(late.text, /no longer there[\s\S]*somebody removed it[\s\S]*href="\/console\/sandbox">Go back/);

  const { headers } = await submit('/console/sandbox/reset', { account, sure: 'yes' });
  assert.match((await load(headers.location!)).text, /Get new tokens if its clock was more than a day ahead/);
  await waitUntil('the token from before has ended', async () => (await own.send('GET', '/', { token })).status === 401);
});

test('a customer is found by a part of its name, its e-mail and its id, and pages continue by cursor', async () => {
  const { load } = await openSession(shared, 'reviewer');
  const customer = await shared.newCustomer({ form: { businessName: '100% Tea_House', email: 'tea@example.com' } });
  const others = [];
  for (let count = 0; count < 51; count++) others.push(await shared.newCustomer({ form: { businessName: `Paged ${count}` } }));
  const found = async (query: string) => {
    const { text } = await load(`/console/customers?${query}`);
    return [...text.matchAll(/href="\/console\/customers\/([0-9a-f-]{36})"/g)].map(([, id]) => id);
  };
  const id = idOf(customer);
  for (const search of ['tea_h', '100% tea', 'TEA@example.com', id]) {
    assert.deepEqual(await found(`search=${encodeURIComponent(search)}`), [id], search);
  }
  assert.deepEqual(await found('search=tea&status=suspended'), []);
  assert.deepEqual(await found('search=%25&status=nothing&after=nowhere'), [id], '% is not a wildcard');
  const first = await load('/console/customers?search=Paged');
  const next = /href="([^"]+)" rel="next"/.exec(first.text)![1]!.replaceAll('&amp;', '&');
  assert.deepEqual(await found(next.split('?')[1]!), [idOf(others[0]!)], 'the oldest is on the second page');
});

test('a viewer sees no personal data beyond names', async () => {
  const customer = await shared.newCustomer({
    form: { email: 'hidden@example.com', address1: '7 Secret Street', phone: '5551234567' },
  });
  const path = `/console/customers/${idOf(customer)}`;
  const [viewer, finance] = [await openSession(shared, 'viewer'), await openSession(shared, 'finance')];
  for (const page of [path, '/console/customers', '/console/customers?search=hidden']) {
    assert.doesNotMatch((await viewer.load(page)).text, /hidden@|Secret Street|5551234567/, page);
  }
  assert.match((await finance.load(path)).text, /hidden@example.com[\s\S]*7 Secret Street/);
  assert.equal((await viewer.load(`${path}/suspend`)).status, 403);
  assert.equal((await viewer.submit(`${path}/suspend`, { reason: 'x' })).status, 403);
  assert.equal((await viewer.load('/console/customers/01890000-0000-7000-8000-000000000000')).status, 404);
});

test('finance saves the statements of a customer in three formats, each in the audit log; a viewer does not', async () => {
  const [finance, viewer] = [await openSession(shared, 'finance'), await openSession(shared, 'viewer')];
  const customer = await shared.newCustomer({ available: '12.34' });
  const path = `/console/customers/${idOf(customer)}`;
  const links = [...(await finance.load(path)).text.matchAll(/href="([^"]+\/statements\/[^"]+)"/g)].map(([, href]) => href!);
  assert.equal(links.length, 3, 'no month before the customer was created');
  const [pdf, csv, json] = [await finance.load(links[0]!), await finance.load(links[1]!), await finance.load(links[2]!)];
  assert.match(pdf.text, /^%PDF-/);
  assert.match(csv.text, /12\.34/);
  assert.equal(JSON.parse(json.text).closed, false);
  assert.match(csv.headers['content-disposition']!, /^attachment; filename="statement-\d{4}-\d\d-.+\.csv"$/);
  assert.equal((await listAudit(shared.sql, { resourceId: idOf(customer), action: 'read_statement' }, 9)).length, 3);
  for (const wrong of ['2999-01.pdf', '2026-13.pdf', '2026-01.xml', '1.csv'])
    assert.equal((await finance.load(`${path}/statements/${wrong}`)).status, 404, wrong);
  assert.ok(!(await viewer.load(path)).text.includes('/statements/'));
  assert.equal((await viewer.load(links[0]!)).status, 403);
});

test('suspending a customer needs a reason, freezes its money, emits the event and is in the audit log', async () => {
  const { load, submit, operator } = await openSession(shared, 'reviewer');
  const { customer, from, to } = await shared.newLabels();
  const path = `/console/customers/${idOf(customer)}`;
  assert.match((await load(path)).text, new RegExp(`href="${path}/suspend"`));
  assert.equal((await submit(`${path}/suspend`, { reason: '  ' })).status, 400);
  assert.equal((await submit(`${path}/reactivate`, { reason: 'x' })).status, 403, 'not possible now');
  const changed = await submit(`${path}/suspend`, { reason: 'Asked by the bank' });
  assert.deepEqual([changed.status, changed.headers.location], [303, `${path}?done=suspended`]);
  assert.equal((await shared.get(customer)).status, 'suspended');
  const refused = await shared.call('POST', '/label-reallocations', { body: shared.reallocation(from, to, '1.00') });
  assert.equal(refused.status, 400, refused.text);
  assert.ok((await shared.topics(customer)).includes('customer_suspended'));
  const [entry] = await listAudit(shared.sql, { resourceId: idOf(customer) }, 10);
  assert.deepEqual(
    [entry!.operatorId, entry!.action, entry!.detail],
    [operator.id, 'suspend_customer', { reason: 'Asked by the bank' }],
  );
  await submit(`${path}/reactivate`, { reason: 'Settled' });
  assert.equal((await shared.get(customer)).status, 'verified');
});

test('an operator runs a job and the ledger check, and sees refusals and keys; a viewer only reads', async () => {
  const [operator, viewer] = [await openSession(shared, 'operator'), await openSession(shared, 'viewer')];
  await shared.call('POST', '/customers', { body: { firstName: '' } });
  await shared.sql`
    insert into job (name, due, finished) values ('prune-events', now() + interval '1 hour', now())
    on conflict (name) do update set due = excluded.due`;
  assert.equal((await operator.submit('/console/operations/jobs', { name: 'prune-events' })).status, 303);
  const [job] = await shared.sql<{ isDue: boolean }>`select due <= now() as is_due from job where name = 'prune-events'`;
  assert.ok(job!.isDue);
  assert.equal((await operator.submit('/console/operations/jobs', { name: 'drop-everything' })).status, 404);
  const { verification } = shared.service;
  assert.equal(verification.check().last, undefined, 'periodic checks are disabled');
  assert.equal((await operator.submit('/console/operations/ledger-check')).status, 303);
  // It pauses after each query, for longer on a busy machine.
  await waitUntil('the ledger check has run', () => verification.check().last !== undefined, HANGS_MS);
  const { text } = await operator.load('/console/operations?done=check');
  for (const words of ['passed', 'ValidationError', 'The key of tokens was made', 'The ledger check has started'])
    assert.ok(text.includes(words), words);
  for (const path of ['/console/operations/jobs', '/console/operations/ledger-check']) {
    assert.equal((await viewer.submit(path, { name: 'prune-events' })).status, 403, path);
  }
  assert.doesNotMatch((await viewer.load('/console/operations')).text, /Run now/);
});

test('the page of the design is there in a sandbox, with every icon, and not in production', async (t) => {
  const { load } = await openSession(shared, 'operator');
  const { status, text } = await load('/console/design');
  assert.deepEqual(
    [status, [...text.matchAll(/icons\.svg#([a-z-]+)"/g)].some(([, name]) => name === 'finger-print')],
    [200, true],
  );
  for (const tone of ['neutral', 'good', 'warn', 'bad', 'accent'])
    assert.ok(text.includes(`badge-${tone}`) && text.includes(`notice-${tone}`), tone);
  assert.ok((await load('/console/sandbox')).text.includes('href="/console/design"'));
  const production = await startService(t, { env: { MODE: 'production' } });
  assert.equal((await (await openSession(production, 'admin')).load('/console/design')).status, 404);
});
