// The manifest of deposits and withdrawals.
import type { Manifest } from '../../platform/manifest.ts';

export const funds = {
  tags: [
    { name: 'deposits', description: 'Money that entered a customer balance' },
    { name: 'withdrawals', description: 'Money that left a customer balance' },
  ],
  topics: {
    customer_deposit_created: { resource: 'deposit', about: 'A deposit was recorded', transfers: ['deposit'] },
    customer_withdrawal_created: { resource: 'withdrawal', about: 'A withdrawal was recorded', transfers: ['withdrawal'] },
  },
} satisfies Manifest;
