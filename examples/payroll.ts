// Payroll: holds every salary first, so that all can be paid or none, and captures each one when the bank has paid it.
import { type Amount, Earmark, EarmarkError } from '@earmark/client';
import { startEarmark } from 'earmark/testing';

const { url, clientId, clientSecret, stop } = await startEarmark();
const earmark = new Earmark({ url, clientId, clientSecret });
const USD = (value: string): Amount => ({ value, currency: 'USD' });
const employer = await earmark.customers.create({
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
await earmark.deposits.create(employer, { amount: USD('10000.00') });
const wages = await earmark.labels.create(employer, { name: 'Wages', amount: USD('8000.00') });
const salaries = [
  { name: 'Grace', amount: USD('3100.00') },
  { name: 'Edsger', amount: USD('2900.00') },
  { name: 'Barbara', amount: USD('2000.00') },
];

const month = '2026-01';
const holds = await holdSalaries();
await show('held');

// As after a crash: with the same keys a second run holds nothing again.
await holdSalaries();
await show('once');

// Until the bank has paid, nobody spends the money.
try {
  await earmark.withdrawals.create(employer, { from: wages, amount: USD('500.00') });
} catch (error) {
  if (!(error instanceof EarmarkError)) throw error;
  console.log(error.reason);
}

// The bank pays two of them. The account of the third is closed, so the money is available again.
const [grace, edsger, barbara] = holds;
await earmark.holds.capture(grace!);
await earmark.holds.capture(edsger!);
await earmark.holds.release(barbara!);
await show('paid');
for await (const { status, externalId } of earmark.holds.list(employer)) console.log(`  ${externalId}: ${status}`);

await stop();

/** Your own id of a salary is also the key of its request. */
async function holdSalaries() {
  const holds = [];
  for (const { name, amount } of salaries) {
    const externalId = `${month}-${name}`;
    const hold = { from: wages, amount, externalId, reference: `Salary of ${name}` };
    holds.push(await earmark.holds.create(employer, hold, { idempotencyKey: externalId }));
  }
  return holds;
}

async function show(what: string): Promise<void> {
  const { amount, held } = await earmark.labels.get(wages);
  console.log(`${what}: ${amount.value} on Wages, ${held?.value ?? 'nothing'} held`);
}
