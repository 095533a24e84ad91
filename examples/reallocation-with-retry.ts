// Reallocates money over an unreliable network: the response is lost twice, and the money moves once.
import { Earmark } from '@earmark/client';
import { startEarmark } from 'earmark/testing';

const { url, clientId, clientSecret, client, stop } = await startEarmark();
const customer = await client.customers.create({
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
await client.deposits.create(customer, { amount: { value: '100.00', currency: 'USD' } });
const from = await client.labels.create(customer, { name: 'Operating', amount: { value: '100.00', currency: 'USD' } });
const to = await client.labels.create(customer, { name: 'Tax', amount: { value: '0', currency: 'USD' } });

// The sandbox executes the next two reallocations and closes the connection without a response.
await client.sandbox.planFault({ operation: 'createLabelReallocation', cut: true, effect: true, times: 2 });

// The code of your program. The client sends an Idempotency-Key with every POST and retries with the same key.
const earmark = new Earmark({ url, clientId, clientSecret });
const made = await earmark.labelReallocations.create({ from, to, amount: { value: '25.00', currency: 'USD' } });

console.log(`moved once, response replayed on a retry: ${made.replayed}`);
for await (const label of earmark.labels.list(customer))
  console.log(`${label.name}: ${label.amount.value} ${label.amount.currency}`);
const entries = await earmark.ledgerEntries.list(to).all();
console.log(`entries on Tax: ${entries.length}`);

await stop();
