// Tests of the events of a batch: one row of the outbox has many, of several accounts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { follow } from '../../../test/support/events.ts';
import { idOf } from '../../../test/support/http.ts';
import { openAccount, startService, type TestService } from '../../../test/support/service.ts';
import { bucketOf, newId } from '../../core/ids.ts';
import { settleSome } from '../../ledger/feed/feed.ts';
import { postTransfers, type Transfer } from '../../ledger/transfers/post.ts';

const shared = await startService({ after }, { env: { DELIVER_WEBHOOKS: 'false' } });
const BATCH = 150;
/** Of the tests' batch: more than a label has. */
const TOO_MUCH = 1_000_000_000n;
/** The events of a row, of which a step settles all. */
const ROW_MOST = 48;

type Labels = TestService & { from: string; to: string };

/** Two accounts whose customers are in one group, as those of a batch are. */
async function openPair(): Promise<[Labels, Labels]> {
  const one = await openAccount(shared);
  const labels = await one.newLabels();
  const { groups } = shared.service;
  const group = ({ customer }: { customer: string }) => groups.of(bucketOf(idOf(customer)));
  const other = await openAccount(shared);
  let others = await other.newLabels();
  while (group(others) !== group(labels)) others = await other.newLabels();
  return [
    { ...one, ...labels },
    { ...other, ...others },
  ];
}

/** Posts a batch of reallocations in turn, of which some are refused. Returns the event ids of the others by account, in order. */
async function postTogether(pair: [Labels, Labels]): Promise<[string[], string[]]> {
  for (const account of pair) await follow(account);
  const wanted: [string[], string[]] = [[], []];
  const transfers = Array.from({ length: BATCH }, (_, index): Transfer => {
    const account = pair[index % 2]!;
    const bucket = bucketOf(idOf(account.from));
    const id = newId(bucket);
    const event = { id: newId(bucket), topic: 'customer_label_reallocation_created' };
    const isRefused = index % 7 === 0;
    if (!isRefused) wanted[index % 2]!.push(event.id);
    const sides = { fromId: idOf(account.from), toId: idOf(account.to) };
    return {
      ...{ id, kind: 'reallocation', accountId: account.client.account_id, ...sides, event },
      ...{ amount: isRefused ? TOO_MUCH : 1n, currency: 'USD', reference: undefined },
      ...{ resource: { type: 'label-reallocation', id }, idempotency: undefined },
    };
  });
  // Where a lane posts it.
  const { groups } = shared.service;
  const outcomes = await postTransfers(groups.database(groups.of(bucketOf(transfers[0]!.id))).sql, transfers, {
    now: new Date(),
  });
  const posted = wanted.flat().length;
  assert.equal(outcomes.filter(({ code }) => code === 'posted').length, posted);
  // On a cluster, the outbox may also have rows whose events are settled.
  const [written] = await shared.sql<{ rows: bigint }>`
    select count(*) as rows from event_outbox where ids[1][1] = any (${wanted.flat()}::uuid[])`;
  assert.equal(Number(written!.rows), Math.ceil(posted / ROW_MOST), 'rows of the outbox');
  return wanted;
}

test('each event of a batch is in the feed of its account, in the order of the batch, after limited steps', async () => {
  const pair = await openPair();
  const lasts = await Promise.all(pair.map(async (account) => (await follow(account)).at(-1)));
  const wanted = await postTogether(pair);
  const steps: number[] = [];
  for (let more = true; more; ) {
    const step = await settleSome(shared.sql, 10);
    more = step.more;
    steps.push(step.settled);
  }
  // The builder of the transparency log may take some of the steps.
  assert.ok(
    steps.every((settled) => settled < 10 + ROW_MOST),
    String(steps),
  );
  for (const [index, account] of pair.entries()) {
    assert.deepEqual(await follow(account, lasts[index]), wanted[index]);
    const { body } = await account.call('GET', `/events/${wanted[index]!.at(-1)}`);
    assert.equal(body._links.account.href.split('/').at(-1), account.client.account_id);
    const { body: made } = await account.call('GET', body._links.resource.href);
    assert.equal(idOf(made._links.from.href), idOf(account.from));
    assert.equal(body._links.customer.href, made._links.customer.href);
    assert.equal(body.created, made.created);
  }
});

test('a reset deletes the waiting events of its account, and not those of others in the same batch', async () => {
  const pair = await openPair();
  const last = (await follow(pair[0])).at(-1);
  const [wanted] = await postTogether(pair);
  assert.equal((await pair[1].call('POST', '/sandbox/reset')).status, 200);
  assert.deepEqual(await follow(pair[0], last), wanted);
  assert.deepEqual(await follow(pair[1]), []);
});
