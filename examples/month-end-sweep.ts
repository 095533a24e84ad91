// Month-end sweep: moves the remaining amount of every label of a customer to one label.
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
await earmark.labels.create(customer, { name: 'Rent', amount: USD('700.00') });
await earmark.labels.create(customer, { name: 'Groceries', amount: USD('81.37') });
await earmark.labels.create(customer, { name: 'Travel', amount: USD('0') });

const month = '2026-05';
for await (const label of earmark.labels.list(customer)) {
  if (label.id === savings.id || Number(label.amount.value) === 0) continue;
  // The key identifies the sweep of one label for one month, so running the program again moves nothing twice.
  const idempotencyKey = `sweep-${month}-${label.id}`;
  const sweep = { from: label, to: savings, amount: label.amount, reference: `sweep ${month}` };
  await earmark.labelReallocations.create(sweep, { idempotencyKey });
  console.log(`${label.name}: ${label.amount.value} ${label.amount.currency} swept`);
}

console.log('');
for await (const { amount, balance, reference } of earmark.ledgerEntries.list(savings)) {
  console.log(`${reference}: ${amount.value.padStart(7)} → ${balance.value.padStart(7)} ${balance.currency}`);
}

await stop();
