// Refused sign-ins of nobody in particular: how many rows of the audit log they can cause.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { query } from '../../../test/support/database.ts';
import { startService } from '../../../test/support/service.ts';

const OWN = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };
/** Two thirds of a minute after it, minus it, are rounded up to more than that. */
const NOW_MS = 1_020_014.6;
const ROWS = { ofService: 20, ofOthers: 1 };

/** A service behind a proxy, which names the address of each attempt. No time passes for its limits, however slow the machine is. */
async function openAttempts(t: TestContext, failures = '0') {
  const service = await startService(t, { env: { TOKEN_FAILURES_PER_MINUTE: failures }, processes: 1 });
  t.mock.method(performance, 'now', () => NOW_MS);
  return {
    ...service,
    attempt: async (address: string) =>
      (await service.send('POST', '/console/link/x', { headers: { ...OWN, 'x-forwarded-for': address } })).status,
    rows: () => service.sql<{ place: string; detail: { with: string; refusals?: number } }>`
      select place, detail from audit_entry where action = 'sign_in_refused' order by id`,
  };
}

test('a source has one row a minute, which counts its refusals; a network of IPv6 is one source', async (t) => {
  const { attempt, rows } = await openAttempts(t);
  for (let last = 1; last <= 30; last++) assert.equal(await attempt(`2001:db8:1:2::${last.toString(16)}`), 403);
  await attempt('203.0.113.9');
  await attempt('::ffff:203.0.113.9');
  const seen = await rows();
  assert.deepEqual(
    seen.map(({ place }) => place),
    ['2001:db8:1:2::/64', '203.0.113.9'],
  );
  assert.deepEqual(seen[0]!.detail, { with: 'one-time link' });
});

test('all sources together have a limit, and no refusal is lost', async (t) => {
  const { attempt, rows, stop, databaseUrl } = await openAttempts(t);
  const sources = 60;
  for (let network = 0; network < sources; network++) {
    await attempt(`2001:db8:${network.toString(16)}::1`);
    await attempt(`2001:db8:${network.toString(16)}::2`);
  }
  const before = await rows();
  assert.ok(before.length <= ROWS.ofService, `${before.length} rows`);
  await stop();
  const all = await query<{ place: string; refusals: string | null }>(
    databaseUrl,
    `select place, detail ->> 'refusals' as refusals from audit_entry where action = 'sign_in_refused'`,
  );
  assert.ok(all.length <= ROWS.ofService + ROWS.ofOthers, `${all.length} rows`);
  assert.ok(all.some(({ place }) => place === 'other addresses'));
  const counted = all.reduce((sum, { refusals }) => sum + Number(refusals ?? 1), 0);
  assert.equal(counted, 2 * sources);
});

test('the limit of failures is that of a network of IPv6, not of each of its addresses', async (t) => {
  const { attempt } = await openAttempts(t, '3');
  const statuses: number[] = [];
  for (let last = 1; last <= 5; last++) statuses.push(await attempt(`2001:db8:7:7::${last}`));
  assert.deepEqual(statuses, [403, 403, 403, 429, 429]);
  assert.equal(await attempt('2001:db8:7:8::1'), 403, 'another network is not');
});
