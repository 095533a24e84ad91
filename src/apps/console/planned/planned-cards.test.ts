// The page of a customer shows what is held and what is scheduled, to who may read money.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openHolds } from '../../../../test/support/holds.ts';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { openSchedules } from '../../../../test/support/schedules.ts';
import { startService } from '../../../../test/support/service.ts';

const shared = await startService({ after });

test('holds that wait are shown with what is left of them, and ended ones are not', async () => {
  const { customer, newHold, newHoldOfAvailable, capture, release } = await openHolds(shared);
  const hold = await newHold('60.00', { reference: 'deposit of a car' });
  assert.equal((await capture(hold, { amount: { value: '10.00', currency: 'USD' }, final: false })).status, 201);
  const ended = await newHoldOfAvailable('7.77');
  await release(ended);
  const page = `/console/customers/${idOf(customer)}`;
  const { text } = await (await openSession(shared, 'finance')).load(page);
  assert.ok(text.includes('deposit of a car') && text.includes('50.00 USD') && !text.includes('7.77 USD'));
  const path = `${page}/holds/${idOf(hold)}`;
  assert.ok(text.includes(`href="${path}"`));
  const finance = await openSession(shared, 'finance');
  const shown = (await finance.load(path)).text;
  assert.ok(shown.includes('Hold of 60.00 USD') && shown.includes(`${path}/release`));
  const [transfer] = /\/console\/money\/transfers\/[0-9a-f-]{36}/.exec(shown)!;
  assert.ok((await finance.load(transfer)).text.includes(`href="${path}"`), 'the capture leads back to its hold');
  const over = (await finance.load(`${page}/holds/${idOf(ended)}`)).text;
  assert.ok(over.includes('released') && over.includes('Nothing captured') && !over.includes('/capture"'));
  const reviewer = (await (await openSession(shared, 'reviewer')).load(page)).text;
  assert.ok(!reviewer.includes('deposit of a car'));
});

test('schedules are shown with their rule, state and next time', async () => {
  const { customer, newSchedule, from } = await openSchedules(shared);
  await newSchedule();
  const { text } = await (await openSession(shared, 'finance')).load(`/console/customers/${idOf(customer)}`);
  assert.match(text, /every day/);
  assert.match(text, /badge-good">active<\/span> next <time/);
  assert.ok(text.includes(`/console/money/accounts/${idOf(from)}`));
});
