// Tests of schedules: creation, terms, lists, pause, change, end, access and refusals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import { idOf, link } from '../../../test/support/http.ts';
import { DAY_SECONDS, openSchedules } from '../../../test/support/schedules.ts';
import { startService } from '../../../test/support/service.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('an occurrence moves the amount once, with a result, a reallocation and events that link to each other', async () => {
  const { newSchedule, get, advance, decided, amounts, customer, from, to, topics, verified } = await openSchedules(shared);
  const url = await newSchedule({ reference: 'sweep', correlationId: 'c-1', metadata: { plan: 'gold' } });
  const before = await get(url);
  assert.equal(before.status, 'active');
  await advance(DAY_SECONDS);
  const [occurrence, ...others] = await decided(url);
  assert.deepEqual(others, []);
  const reallocation = occurrence!._links['label-reallocation'].href;
  const { decided: when, ...shown } = occurrence!;
  assert.deepEqual(shown, {
    _links: {
      schedule: link(url, 'schedule'),
      'label-reallocation': link(reallocation, 'label-reallocation'),
    },
    id: idOf(reallocation),
    at: before.next,
    status: 'ran',
    amount: usd('10.00'),
  });
  assert.ok(when >= before.next);

  const moved = await get(reallocation);
  assert.deepEqual(moved._links.schedule, link(url, 'schedule'));
  assert.deepEqual(
    [moved.amount, moved._links.from.href, moved._links.to.href, moved.reference, moved.correlationId, moved.metadata],
    [usd('10.00'), from, to, 'sweep', 'c-1', { plan: 'gold' }],
  );
  assert.deepEqual(await amounts(), ['90.00', '10.00']);
  const { transfers } = (await get(`${customer}/transfers`))._embedded;
  assert.deepEqual(transfers[0]._links.schedule, link(url, 'schedule'));
  await verified();
  assert.deepEqual(await topics(reallocation), ['customer_label_reallocation_created', 'customer_schedule_ran']);
});
