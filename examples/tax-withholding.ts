// Withholds a quarter of each deposit for taxes. It follows the event feed, so no deposit is skipped and none is withheld twice.
import type { Amount, Earmark, Ref } from '@earmark/client';
import { startEarmark } from 'earmark/testing';

const { client: earmark, stop } = await startEarmark();
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
const taxes = await earmark.labels.create(customer, { name: 'Taxes', amount: { value: '0', currency: 'USD' } });
for (const value of ['1200.00', '79.99', '0.03']) {
  await earmark.deposits.create(customer, { amount: { value, currency: 'USD' } });
}

const last = await withhold(earmark, taxes);
console.log('once more from the beginning, as after a crash:');
await withhold(earmark, taxes);
await earmark.deposits.create(customer, { amount: { value: '10.00', currency: 'USD' } });
console.log('and on from the last event that was handled:');
await withhold(earmark, taxes, last);

const { amount } = await earmark.labels.get(taxes);
console.log(`on Taxes: ${amount.value} ${amount.currency}`);
await stop();

/** Handles the deposits after an event, oldest first. Returns the id of the last event, which a program stores for its next run. */
async function withhold(earmark: Earmark, taxes: Ref, after?: string): Promise<string | undefined> {
  const feed = earmark.events.list({ topic: 'customer_deposit_created', order: 'oldest', ...(after && { after }) });
  let last = after;
  for await (const event of feed) {
    const deposit = await earmark.deposits.get(event._links.resource.href);
    const amount = quarterOf(deposit.amount);
    if (amount.value !== '0.00') {
      // The key is derived from the event, so handling it again replays the response and moves nothing.
      const { replayed } = await earmark.ledgerEntries.create(taxes, { amount }, { idempotencyKey: `tax-${event.id}` });
      console.log(`  ${deposit.amount.value}: ${amount.value} ${replayed ? 'was withheld already' : 'withheld'}`);
    }
    last = event.id;
  }
  return last;
}

/** A quarter, rounded down to cents. Amounts are strings or integers, never floating-point numbers. */
function quarterOf({ value, currency }: Amount): Amount {
  const cents = (BigInt(value.replace('.', '')) / 4n).toString().padStart(3, '0');
  return { value: `${cents.slice(0, -2)}.${cents.slice(-2)}`, currency };
}
