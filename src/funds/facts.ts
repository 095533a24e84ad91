// Facts of deposits and withdrawals.
import { fragment } from '../db/sql.ts';
import { type Facts, rowOf } from '../facts.ts';

export const funds = {
  tags: [
    { name: 'deposits', description: 'Money that entered a customer balance' },
    { name: 'withdrawals', description: 'Money that left a customer balance' },
  ],
  topics: {
    customer_deposit_created: { resource: 'deposit', about: 'A deposit was recorded', transfer: 'deposit' },
    customer_withdrawal_created: { resource: 'withdrawal', about: 'A withdrawal was recorded', transfer: 'withdrawal' },
  },
  idempotent: {
    deposit: fragment`${rowOf('transfer')} and r.kind = 'deposit'`,
    withdrawal: fragment`${rowOf('transfer')} and r.kind = 'withdrawal'`,
  },
} satisfies Facts;
