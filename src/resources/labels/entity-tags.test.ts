// Tests of entity tags: whatever changes a label, its balance or its entries changes their tags, and nothing else does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { openRules, step } from '../../../test/support/allocation-rules.ts';
import { usd } from '../../../test/support/data.ts';
import { connectBeside } from '../../../test/support/faults.ts';
import { type Body, idOf } from '../../../test/support/http.ts';
import { coveredLog } from '../../../test/support/logs.ts';
import { runCli, settingsOf } from '../../../test/support/process.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';

const VIEWS = ['label', 'balance', 'entries'] as const;
type View = (typeof VIEWS)[number];

const shared = await startService({ after });

/** A customer with 1000.00 available, the label `taxes` with 50.00 and `rent` with none, and reads of `taxes` with the tags of the last ones. */
async function openTagged() {
  const account = await openRules(shared);
  const { call, create, customer, taxes, rent } = account;
  await create(`${customer}/deposits`, { amount: usd('1000.00') });
  await create(`${taxes}/ledger-entries`, { amount: usd('50.00') });
  const urls: Record<View, string> = { label: taxes, balance: `${taxes}/balance`, entries: `${taxes}/ledger-entries` };
  const tags = new Map<string, string>();
  /** Reads a URL with the tag of the read before. */
  const again = async (url: string) => {
    const tag = tags.get(url);
    const answer = await call('GET', url, tag === undefined ? {} : { headers: { 'if-none-match': tag } });
    if (answer.status === 200) tags.set(url, answer.headers.etag!);
    return answer;
  };
  /** The views that have changed since the last call. All of them return 304 to a second read. */
  const changed = async (): Promise<View[]> => {
    const found: View[] = [];
    for (const view of VIEWS) {
      const { status } = await again(urls[view]);
      if (status !== 304) found.push(view);
      if (status === 200) assert.equal((await again(urls[view])).status, 304, `${view} again`);
    }
    return found;
  };
  await changed();
  return { ...account, taxes, rent, changed, again, urls };
}

type Tagged = Awaited<ReturnType<typeof openTagged>>;
const MONEY: View[] = [...VIEWS];

const move = ({ create, reallocation, taxes, rent }: Tagged, value = '1.00') =>
  create('/label-reallocations', reallocation(taxes, rent, value));
const hold = ({ create, customer, taxes }: Tagged, rest: object = {}) =>
  create(`${customer}/holds`, { _links: { from: { href: taxes } }, amount: usd('2.00'), ...rest });
const suspend = ({ call, customer }: Tagged, status: string) => call('POST', customer, { body: { status } });

/** By operation that changes a label of the caller: what happens before, the change, and the views whose tags change. */
const CHANGES: Record<
  string,
  { before?: (tagged: Tagged) => Promise<unknown>; change(tagged: Tagged, made: Body): Promise<unknown>; views: View[] }[]
> = {
  createLabelReallocation: [{ change: (tagged) => move(tagged), views: MONEY }],
  createLedgerEntry: [
    { change: ({ create, taxes }) => create(`${taxes}/ledger-entries`, { amount: usd('-1.00') }), views: MONEY },
  ],
  updateLabel: [
    { change: ({ call, taxes }) => call('POST', taxes, { body: { name: 'Renamed' } }), views: ['label'] },
    { change: ({ call, taxes }) => call('POST', taxes, { body: { metadata: { a: 'b' } } }), views: ['label'] },
  ],
  removeLabel: [
    { before: (tagged) => move(tagged, '50.00'), change: ({ call, taxes }) => call('DELETE', taxes), views: ['label'] },
  ],
  updateCustomer: [
    { change: (tagged) => suspend(tagged, 'suspended'), views: ['label'] },
    { before: (tagged) => suspend(tagged, 'suspended'), change: (tagged) => suspend(tagged, 'reactivated'), views: ['label'] },
    { change: (tagged) => suspend(tagged, 'deactivated'), views: ['label'] },
  ],
  createReversal: [
    { before: (tagged) => move(tagged), change: ({ create }, made) => create(`${made}/reversals`, {}), views: MONEY },
  ],
  createLabelReallocationBatch: [
    {
      change: ({ create, reallocation, taxes, rent }) =>
        create('/label-reallocation-batches', { mode: 'independent', items: [reallocation(taxes, rent, '1.00')] }),
      views: MONEY,
    },
  ],
  createDeposit: [
    {
      before: ({ newRule, taxes }) => newRule([step(taxes, { percent: '10' })]),
      change: ({ create, customer }) => create(`${customer}/deposits`, { amount: usd('10.00') }),
      views: MONEY,
    },
  ],
  returnDeposit: [
    {
      before: async ({ create, newRule, taxes, customer }) => {
        await create(`${customer}/withdrawals`, { amount: { value: 'all', currency: 'USD' } });
        await newRule([step(taxes, { percent: '100' })]);
        return create(`${customer}/deposits`, { amount: usd('10.00') });
      },
      change: ({ create }, made) => create(`${made}/returns`, { reason: 'R01' }),
      views: MONEY,
    },
  ],
  createWithdrawal: [
    {
      change: ({ create, customer, taxes }) =>
        create(`${customer}/withdrawals`, { _links: { from: { href: taxes } }, amount: usd('1.00') }),
      views: MONEY,
    },
  ],
  createHold: [{ change: (tagged) => hold(tagged), views: ['label'] }],
  captureHold: [{ before: (tagged) => hold(tagged), change: ({ create }, made) => create(`${made}/captures`, {}), views: MONEY }],
  releaseHold: [
    { before: (tagged) => hold(tagged), change: ({ call }, made) => call('POST', `${made}/releases`), views: ['label'] },
  ],
  createSchedule: [
    {
      change: async ({ call, create, customer, taxes, rent, get }) => {
        const start = new Date(Date.now() + 600_000).toISOString().slice(0, 19);
        const links = { from: { href: taxes }, to: { href: rent } };
        await create(`${customer}/schedules`, { _links: links, amount: usd('1.00'), rule: 'FREQ=DAILY', start, timeZone: 'UTC' });
        assert.equal((await call('POST', '/sandbox/clock', { body: { advanceSeconds: 600 } })).status, 200);
        await waitUntil('the schedule has run', async () => (await get(taxes)).amount.value === '49.00');
      },
      views: MONEY,
    },
  ],
  advanceClock: [
    {
      before: (tagged) => hold(tagged, { expires: new Date(Date.now() + 600_000).toISOString() }),
      change: ({ call }) => call('POST', '/sandbox/clock', { body: { advanceSeconds: 601 } }),
      views: ['label'],
    },
  ],
  resetAccount: [{ change: ({ call }) => call('POST', '/sandbox/reset'), views: MONEY }],
};

/** The other operations that write. */
const OTHERS = [
  ...[
    'createCustomer',
    'returnWithdrawal',
    'createLabel',
    'updateSchedule',
    'removeSchedule',
    'createAllocationRule',
    'createMonitor',
  ],
  ...['previewAllocation', 'updateAllocationRule', 'removeAllocationRule', 'removeMonitor', 'createBeneficialOwner'],
  ...['updateBeneficialOwner', 'removeBeneficialOwner', 'certifyBeneficialOwnership', 'submitBeneficialOwnerDocument'],
  ...['submitCustomerDocument', 'reviewDocument', 'claimDocument', 'releaseDocument', 'createWebhookSubscription'],
  ...['updateWebhookSubscription', 'removeWebhookSubscription', 'rotateWebhookSecret', 'pingWebhookSubscription', 'retryWebhook'],
  ...['createToken', 'revokeToken', 'introspectToken', 'planFault', 'removeFault'],
];

test('every operation that writes is known to change labels, or not to', () => {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, Record<string, Body>> };
  const writes = Object.values(paths).flatMap((path) =>
    ['post', 'put', 'patch', 'delete'].flatMap((method) => path[method]?.operationId ?? []),
  );
  assert.deepEqual(writes.sort(), [...Object.keys(CHANGES), ...OTHERS].sort());
});

for (const [operation, cases] of Object.entries(CHANGES)) {
  for (const [index, { before, change, views }] of cases.entries()) {
    test(`${operation} (${index + 1}) changes the tags of ${views.join(', ')}, and no other`, async () => {
      const tagged = await openTagged();
      const made = await before?.(tagged);
      await tagged.changed();
      await change(tagged, made);
      assert.deepEqual(await tagged.changed(), views);
    });
  }
}

test('the erasure of a customer changes the tag of its entries', async (t) => {
  const tagged = await openTagged();
  const { call, create, customer, rent, taxes, changed } = tagged;
  await move(tagged, '50.00');
  await create(`${rent}/ledger-entries`, { amount: usd('-50.00') });
  await call('POST', `${customer}/withdrawals`, { body: { amount: { value: 'all', currency: 'USD' } } });
  await suspend(tagged, 'deactivated');
  await changed();
  const erased = await runCli(t, ['customer', 'erase', idOf(customer), '--yes'], settingsOf(shared));
  assert.equal(erased.code, 0, erased.stderr);
  assert.ok((await changed()).includes('entries'), `${taxes} has lost its texts`);
});

test('a tag names one page of entries, with each content coding', async () => {
  const { call, taxes, create, client } = await openTagged();
  for (let cents = 1; cents <= 3; cents++) await create(`${taxes}/ledger-entries`, { amount: usd(`0.0${cents}`) });
  const tagOf = async (query: string) => (await call('GET', `${taxes}/ledger-entries${query}`)).headers.etag!;
  const pages = ['', '?limit=1', '?limit=1&offset=1', '?createdBefore=2020-01-01T00:00:00Z'];
  const tags = await Promise.all(pages.map(tagOf));
  assert.equal(new Set(tags).size, pages.length);
  const compressed = await fetch(`${taxes}/ledger-entries`, {
    headers: { authorization: `Bearer ${client.token}`, 'accept-encoding': 'gzip' },
  });
  const zipped = compressed.headers.get('etag')!;
  await compressed.text();
  assert.notEqual(zipped, tags[0]);
  const read = (tag: string) => call('GET', `${taxes}/ledger-entries`, { headers: { 'if-none-match': tag } });
  for (const tag of [zipped, `W/${zipped}`, `"other", ${zipped}`, tags[0]!]) {
    const { status, text, headers } = await read(tag);
    assert.deepEqual([status, text], [304, ''], tag);
    assert.match(headers.vary!, /Accept-Encoding/);
    assert.ok(tag.endsWith(headers.etag!));
  }
  assert.equal((await read(tags[1]!)).status, 200);
  // The asterisk does not hide that a request is wrong.
  const wrong = await call('GET', `${taxes}/ledger-entries?after=${idOf(taxes)}`, { headers: { 'if-none-match': '*' } });
  assert.equal(wrong.status, 400);
});

test('a tag that matches does not pass by the access check', async () => {
  const { urls } = await openTagged();
  const other = await openTagged();
  for (const url of Object.values(urls)) {
    const { headers } = await shared.call('GET', url, { token: undefined });
    assert.equal(headers.etag, undefined);
    assert.equal((await other.call('GET', url, { headers: { 'if-none-match': '*' } })).status, 403);
  }
});

test('304 needs no more than the look-up of the label, or of the log', async (t) => {
  const tagged = await openTagged();
  const { again, urls, client, call } = tagged;
  const { databaseUrl } = shared;
  const checkpoint = `/accounts/${client.account_id}/log/checkpoint`;
  await coveredLog(tagged);
  const holder = await connectBeside(t, databaseUrl);
  for (const url of [...Object.values(urls), checkpoint]) await again(url);
  await holder.query('begin; lock table transfer, account, log_entries, customer in access exclusive mode');
  const blocked = call('GET', urls.entries);
  for (const url of Object.values(urls)) assert.equal((await again(url)).status, 304, url);
  await holder.query('rollback');
  assert.equal((await blocked).status, 200);
});

test('the checkpoint has a tag until the log grows', async () => {
  const tagged = await openTagged();
  const { again, client } = tagged;
  const checkpoint = `/accounts/${client.account_id}/log/checkpoint`;
  await coveredLog(tagged);
  assert.equal((await again(checkpoint)).status, 200);
  assert.equal((await again(checkpoint)).status, 304);
  await move(tagged);
  await waitUntil('the log has grown', async () => (await again(checkpoint)).status === 200);
});

test('beside writes, 304 never means a state older than what was answered before', async () => {
  const tagged = await openTagged();
  const { again, call, urls } = tagged;
  let made = 1;
  let unchanged = 0;
  let isOver = false;
  const seen = new Map<string, number>();
  const sequenceOf = (url: string, body: Body) => (url === urls.entries ? body.total : body.sequence);
  const reader = async (url: string) => {
    while (!isOver) {
      const least = made;
      const answer = await again(url);
      if (answer.status === 503) continue;
      if (answer.status === 200) seen.set(url, sequenceOf(url, answer.body));
      else unchanged++;
      assert.ok(seen.get(url)! >= least, `${answer.status} at ${seen.get(url)} after ${least}`);
    }
  };
  for (const url of [urls.balance, urls.entries]) seen.set(url, sequenceOf(url, (await call('GET', url)).body));
  const readers = Promise.all([urls.balance, urls.entries].map(reader));
  for (let count = 0; count < 30; count++) {
    await move(tagged, '0.01');
    made++;
    const before = unchanged;
    // Some reads find the state of the read before.
    if (count % 10 === 0) await waitUntil('an unchanged read', async () => unchanged > before);
  }
  isOver = true;
  await readers;
});
