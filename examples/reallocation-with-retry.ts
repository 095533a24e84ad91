// Moves money from one label to another over a bad network: the answer is lost twice, and the money moves once.
import { Earmark } from 'earmark/client';
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

// The sandbox carries out the next two reallocations and closes the connection without an answer.
await client.sandbox.planFault({ operation: 'createLabelReallocation', cut: true, effect: true, times: 2 });

// What your program has. Every POST carries an Idempotency-Key, and is repeated with the same one.
const earmark = new Earmark({ url, clientId, clientSecret });
const made = await earmark.labelReallocations.create({ from, to, amount: { value: '25.00', currency: 'USD' } });

console.log(`moved, and told so at a repetition: ${made.replayed}`);
for await (const label of earmark.labels.list(customer))
  console.log(`${label.name}: ${label.amount.value} ${label.amount.currency}`);
const entries = await earmark.ledgerEntries.list(to).all();
console.log(`entries on Tax: ${entries.length}`);

await stop();
