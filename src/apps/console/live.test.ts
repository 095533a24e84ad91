// Live lists: each says how many rows are new since it was shown, at the pace of the server, for the people who may see it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Browser, openSession } from '../../../test/support/operators.ts';
import { startService } from '../../../test/support/service.ts';
import { openUploads } from '../../../test/support/uploads.ts';

const shared = await startService({ after }, { env: { CONSOLE_IDLE_MINUTES: '5' } });

/** What the list on a page asks for. */
async function liveOn({ load }: Pick<Browser, 'load'>, path: string): Promise<string | undefined> {
  return /data-live="([^"]+)"/.exec((await load(path)).text)?.[1]?.replaceAll('&amp;', '&');
}

/** How many rows are new, as an EventSource reads it. */
async function newAt({ load }: Pick<Browser, 'load'>, path: string): Promise<number> {
  const { status, headers, text } = await load(path, { accept: 'text/event-stream' });
  assert.deepEqual(
    [status, headers['content-type'], headers['cache-control']],
    [200, 'text/event-stream; charset=utf-8', 'no-store'],
  );
  const [, retry, data] = /^retry: (\d+)\ndata: (\d+)\n\n$/.exec(text)!;
  assert.ok(Number(retry) >= 15_000, 'no storm');
  return Number(data);
}

test('money, customers and the audit log count what is new since their first row', async () => {
  const admin = await openSession(shared, 'admin');
  const { from, to } = await shared.newLabels();
  const [money, customers, log] = [
    await liveOn(admin, '/console/money'),
    await liveOn(admin, '/console/customers'),
    await liveOn(admin, '/console/audit-log'),
  ];
  for (const live of [money, customers]) assert.equal(await newAt(admin, live!), 0, live);
  for (let count = 0; count < 3; count++) await shared.create('/label-reallocations', shared.reallocation(from, to, '0.01'));
  const before = await newAt(admin, log!);
  await shared.newCustomer();
  await openSession(shared, 'viewer');
  assert.deepEqual([await newAt(admin, money!), await newAt(admin, customers!)], [3, 1]);
  assert.ok((await newAt(admin, log!)) > before);
  assert.ok((await newAt(admin, (await liveOn(admin, '/console/money'))!)) === 0, 'a page that is shown again begins again');
});

test('only a list of everything announces, to people who may see it, and without keeping their session in use', async () => {
  const viewer = await openSession(shared, 'viewer');
  const admin = await openSession(shared, 'admin');
  await shared.newCustomer();
  for (const path of ['/console/money?search=x', '/console/customers?search=x', '/console/customers?status=verified'])
    assert.equal(await liveOn(admin, path), undefined, path);
  const live = (await liveOn(viewer, '/console/money'))!;
  const log = (await liveOn(admin, '/console/audit-log'))!;
  assert.equal((await viewer.load(log)).status, 403);
  assert.equal((await viewer.load(live.split('?')[0]!)).status, 400);
  assert.equal((await viewer.load(`${live.split('?')[0]}?after=x`)).status, 400);
  const age = () =>
    shared.sql`update operator_session set used = now() - interval '4 minutes' where operator_id = ${viewer.operator.id}`;
  const used = async () => {
    const [row] = await shared.sql<{ idle: boolean }>`
      select used < now() - interval '3 minutes' as idle from operator_session where operator_id = ${viewer.operator.id}`;
    return !row!.idle;
  };
  await age();
  await newAt(viewer, live);
  assert.equal(await used(), false, 'a page that nobody looks at ends its session as before');
  await viewer.load('/console');
  assert.equal(await used(), true);
  await viewer.submit('/console/sign-out');
  assert.equal((await viewer.load(live)).status, 204, 'the browser does not ask again');
});

test('the queue of documents counts what arrives', async (t) => {
  const service = await openUploads(t, { env: { SANDBOX_REVIEW_DELAY_MS: '86400000' } });
  const reviewer = await openSession(service, 'reviewer');
  await service.submitted(await service.newOwner());
  const live = (await liveOn(reviewer, '/console/review'))!;
  assert.equal(await newAt(reviewer, live), 0);
  await service.submitted(await service.newOwner());
  assert.equal(await newAt(reviewer, live), 1);
});
