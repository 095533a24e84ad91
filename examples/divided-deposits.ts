// Divides each deposit of a customer by an allocation rule: a quarter for taxes, and what the rent reserve still lacks.
import type { Amount } from '@earmark/client';
import { startEarmark } from 'earmark/testing';

const { client: earmark, stop } = await startEarmark();
const usd = (value: string): Amount => ({ value, currency: 'USD' });
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
  // The id that the customer has in your own system. A second customer with this id is refused.
  externalId: 'shop-4711',
});
const taxes = await earmark.labels.create(customer, { name: 'Taxes', amount: usd('0'), externalId: 'taxes' });
const rent = await earmark.labels.create(customer, { name: 'Rent', amount: usd('0'), metadata: { due: 'monthly' } });
const rule = await earmark.allocationRules.create(customer, {
  name: 'Taxes first',
  steps: [
    { label: taxes, percent: '25.00' },
    { label: rent, amount: usd('500.00'), until: usd('800.00') },
  ],
});

const preview = await earmark.allocationRules.preview(customer, usd('1200.00'));
console.log(`a deposit of 1200.00 would leave ${preview.available.value} available`);

for (const value of ['1200.00', '1200.00', '0.10']) {
  const made = await earmark.deposits.create(customer, { amount: usd(value) });
  // The allocations are committed with the deposit: no reader sees one without the other.
  const { _embedded } = await earmark.deposits.get(made);
  const parts = _embedded?.allocations.map(({ amount }) => amount.value) ?? [];
  console.log(`deposit of ${value}: ${parts.join(' and ')} to labels`);
}

await earmark.allocationRules.pause(rule);
await earmark.deposits.create(customer, { amount: usd('100.00') });
for await (const { externalId, name, amount } of earmark.labels.list(customer)) {
  console.log(`${name}: ${amount.value}${externalId ? ` (${externalId})` : ''}`);
}
const { balances } = await earmark.customers.balance(customer);
console.log(`available: ${balances[0]!.available.value}`);
await stop();
