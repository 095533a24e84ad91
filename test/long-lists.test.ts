// Lists longer than the largest offset: the last page is reached by its link, and pages in between by `after`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOf, newId } from '../src/core/ids.ts';
import { postTransfers } from '../src/ledger/transfers/post.ts';
import { assertRefused, type Body, idOf } from './support/http.ts';
import { startService, type TestService } from './support/service.ts';

const OFFSET_MAX = 10_000;
const SEEDED = OFFSET_MAX + 107;
const BATCH = 1_000;
const LIMIT = 50;

test('links to the last page of a long list, and refuses offsets beyond 10,000', async (t) => {
  const service = await startService(t);
  const { customer, from, to } = await service.newLabels('500.00');
  await seedReallocations(service, from, to);
  const subscription = await service.create('/webhook-subscriptions', { url: 'https://example.com/', secret: 'a secret' });
  await seedWebhooks(service, subscription);
  const lists: [name: string, path: string][] = [
    ['ledger-entries', `${to}/ledger-entries?`],
    ['label-reallocations', `${customer}/label-reallocations?`],
    ['label-reallocations', `${customer}/label-reallocations?reference=r&`],
    ['events', '/events?'],
    ['events', '/events?order=oldest&'],
    ['events', '/events?topic=customer_label_reallocation_created&'],
    ['events', '/events?topic=customer_label_reallocation_created&order=oldest&'],
    ['webhooks', `${subscription}/webhooks?`],
  ];
  for (const [name, path] of lists) await assertLongList(service, name, path);
});

async function seedReallocations({ service: { groups }, client }: TestService, from: string, to: string): Promise<void> {
  const bucket = bucketOf(idOf(from));
  for (let left = SEEDED; left > 0; left -= BATCH) {
    const transfers = Array.from({ length: Math.min(left, BATCH) }, () => {
      const id = newId(bucket);
      return {
        id,
        kind: 'reallocation' as const,
        accountId: client.account_id,
        fromId: idOf(from),
        toId: idOf(to),
        amount: 1n,
        currency: 'USD',
        reference: 'r',
        event: { id: newId(bucket), topic: 'customer_label_reallocation_created' as const },
        resource: { type: 'label-reallocation', id },
        idempotency: undefined,
      };
    });
    const outcomes = await postTransfers(groups.database(groups.of(bucket)).sql, transfers, { now: new Date() });
    assert.ok(outcomes.every(({ code }) => code === 'posted'));
  }
}

async function seedWebhooks({ sql, client }: TestService, subscription: string): Promise<void> {
  const hook = idOf(subscription);
  const webhooks = Array.from({ length: SEEDED }, () => newId(bucketOf(hook)));
  await sql`
    insert into webhook (id, subscription_id, account_id, event_id, resource_id, created, bucket, topic)
    select id, ${hook}, ${client.account_id}, id, id, ${new Date()}, ${bucketOf(hook)}, 'customer_created'
    from unnest(${webhooks}::uuid[]) as w (id)`;
  await sql`update webhook_subscription set webhooks = ${SEEDED} where bucket = ${bucketOf(hook)} and id = ${hook}`;
}

/** Reads the last page by its link, and all pages behind the largest offset. */
async function assertLongList({ call, get }: TestService, name: string, path: string): Promise<void> {
  const ids = (page: Body): string[] => page._embedded[name].map(({ id }: { id: string }) => id);
  const first = await get(`${path}limit=${LIMIT}`);
  assert.ok(first.total >= SEEDED, path);
  const last = await get(first._links.last.href);
  assert.deepEqual([ids(last).length, last._links.next], [first.total % LIMIT, undefined], path);
  assert.deepEqual(last._links.last, first._links.last, path);

  const far = await get(`${path}limit=${LIMIT}&offset=${OFFSET_MAX}`);
  assert.match(far._links.next.href, /[?&]after=/, path);
  const behind: string[] = [];
  for (let next = far._links.next; next; ) {
    const page = await get(next.href);
    behind.push(...ids(page));
    next = page._links.next;
  }
  assert.equal(OFFSET_MAX + LIMIT + behind.length, first.total, path);
  assert.deepEqual(ids(last), behind.slice(-ids(last).length), path);
  assertRefused(await call('GET', `${path}offset=${OFFSET_MAX + 1}`), {
    status: 400,
    code: 'ValidationError',
    message: 'offset must be an integer from 0 to 10000. To read further, use after, as next links do.',
    path: '/query/offset',
  });
}
