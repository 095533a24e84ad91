// A returned deposit: the bank takes back money that is spent already. The customer owes it until the next deposit pays it.
import { type Amount, Earmark, EarmarkError, type Ref } from '@earmark/client';
import { startEarmark } from 'earmark/testing';

const { url, clientId, clientSecret, stop } = await startEarmark();
const earmark = new Earmark({ url, clientId, clientSecret });
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
const deposit = await earmark.deposits.create(customer, { amount: USD('100.00'), reference: 'Direct debit of May' });
await earmark.withdrawals.create(customer, { amount: USD('70.00') });

// Days later the direct debit bounces. The line of the bank's statement identifies the return: it is recorded once.
await recordReturn(deposit, { reason: 'R01 insufficient funds', line: 'statement-17-line-4' });
await show();

const next = await earmark.deposits.create(customer, { amount: USD('150.00') });
const { repaid } = await earmark.deposits.get(next);
console.log(`The next deposit of 150.00 paid ${repaid?.value} of it.`);
await show();
for await (const { kind, amount } of earmark.owedEntries.list(customer)) console.log(`  ${kind} of ${amount.value}`);

await stop();

/** Takes the deposit back. What the customer does not have any more is owed: here a person would decide, or a limit. */
async function recordReturn(deposit: Ref, { reason, line }: { reason: string; line: string }): Promise<void> {
  const form = { reason, externalId: line };
  try {
    await earmark.deposits.return(deposit, form, { idempotencyKey: line });
  } catch (error) {
    if (!(error instanceof EarmarkError) || error.code !== 'ValidationError') throw error;
    console.log(`Refused. ${error.reason}`);
    // A refused request does not use up its key, but this is another request.
    await earmark.deposits.return(deposit, { ...form, shortfall: 'owe' }, { idempotencyKey: `${line}-owe` });
  }
}

async function show(): Promise<void> {
  const { balances } = await earmark.customers.balance(customer);
  for (const { available, owed } of balances) console.log(`${available.value} available, ${owed?.value ?? '0.00'} owed`);
}
