// The manifest of returns.
import { fragment } from '../../platform/db/sql.ts';
import { type Manifest, rowOf } from '../../platform/manifest.ts';

export const returns = {
  tags: [{ name: 'returns', description: 'Deposits that the bank took back, and withdrawals that came back' }],
  topics: {
    customer_deposit_returned: {
      resource: 'return',
      about: 'The bank took a deposit back, or a part of it',
      transfers: ['deposit-return'],
    },
    customer_withdrawal_returned: {
      resource: 'return',
      about: 'A withdrawal came back, or a part of it',
      transfers: ['withdrawal-return'],
    },
  },
  idempotent: { return: fragment`${rowOf('transfer')} and r.reason is not null` },
} satisfies Manifest;
