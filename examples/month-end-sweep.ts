// Month-end sweep: a schedule of each label moves what is left on it to one label, on the last day of each month.
import type { Amount } from '@earmark/client';
import { startEarmark } from 'earmark/testing';

const { client: earmark, stop } = await startEarmark();
const USD = (value: string): Amount => ({ value, currency: 'USD' });
const customer = await earmark.customers.create({
  type: 'personal',
  firstName: 'Ada',
  lastName: 'Example',
  email: 'ada@example.com',
  address1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
  dateOfBirth: '1985-04-12',
  ssn: '123-45-6789',
});
await earmark.deposits.create(customer, { amount: USD('1000.00') });
const savings = await earmark.labels.create(customer, { name: 'Savings', amount: USD('0') });
const others = [
  { name: 'Rent', amount: USD('700.00') },
  { name: 'Groceries', amount: USD('81.37') },
  { name: 'Travel', amount: USD('0') },
];

const sweeps = [];
for (const label of others) {
  const from = await earmark.labels.create(customer, label);
  const schedule = await earmark.schedules.create(customer, {
    ...{ from, to: savings, amount: { value: 'all' }, reference: `sweep of ${label.name}` },
    ...{ rule: 'FREQ=MONTHLY;BYMONTHDAY=-1', start: endOf(new Date()), timeZone: 'UTC' },
  });
  sweeps.push({ ...label, schedule });
}

// The sandbox need not wait for the end of the month.
const { now } = await earmark.sandbox.clock();
const today = new Date(now);
const nextMonth = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1);
await earmark.sandbox.advanceClock(Math.ceil((nextMonth - today.getTime()) / 1000));

for (const { name, schedule } of sweeps) {
  let last = (await earmark.schedules.get(schedule)).lastOccurrence;
  while (!last) {
    await new Promise((resume) => setTimeout(resume, 100));
    last = (await earmark.schedules.get(schedule)).lastOccurrence;
  }
  console.log(`${name}: ${last.status}${last.amount ? `, ${last.amount.value} ${last.amount.currency}` : ''}`);
}
const { amount } = await earmark.labels.get(savings);
console.log(`\nSavings: ${amount.value} ${amount.currency}`);

await stop();

/** Local time of the last second of a day. Each occurrence has that time. */
function endOf(day: Date): string {
  return `${day.toISOString().slice(0, 10)}T23:59:59`;
}
