// Low balance: a monitor reports each time that a label falls below 100.00, and each report adds 400.00 to it, once.
import type { Amount, Earmark } from '@earmark/client';
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
await earmark.deposits.create(customer, { amount: USD('5000.00') });
const cards = await earmark.labels.create(customer, { name: 'Cards', amount: USD('500.00') });
await earmark.monitors.create(cards, { below: USD('100.00') });

let last: string | undefined;
for (const payments of [
  ['150.00', '280.00', '20.00'],
  ['10.00', '380.00'],
]) {
  for (const value of payments) await earmark.withdrawals.create(customer, { from: cards, amount: USD(value) });
  last = await topUp(earmark, last);
}
const { amount } = await earmark.labels.get(cards);
console.log(`Cards: ${amount.value} ${amount.currency}`);
await stop();

/** Waits for the next crossing in the feed, and handles it. A webhook brings the same event. Returns its id, which a program stores. */
async function topUp(earmark: Earmark, after: string | undefined): Promise<string> {
  const query = { topic: 'customer_label_balance_crossed', order: 'oldest', ...(after && { after }) } as const;
  let [crossing] = await earmark.events.list(query).all();
  while (!crossing) {
    await new Promise((resume) => setTimeout(resume, 100));
    [crossing] = await earmark.events.list(query).all();
  }
  const monitor = await earmark.monitors.get(crossing._links.resource.href);
  const { amount, name } = await earmark.labels.get(monitor._links.label.href);
  // The key is derived from the event, so handling it again moves nothing.
  const idempotencyKey = `top-up-${crossing.id}`;
  await earmark.ledgerEntries.create(monitor._links.label.href, { amount: USD('400.00') }, { idempotencyKey });
  console.log(`${name} fell to ${monitor.lastCrossing?.balance.value}, and has ${amount.value}: 400.00 added`);
  return crossing.id;
}
