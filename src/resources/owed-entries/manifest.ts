// The manifest of owed entries.
import type { Manifest } from '../../platform/manifest.ts';

export const owedEntries = {
  tags: [{ name: 'owed entries', description: 'Changes of what a customer owes because a deposit was returned' }],
  topics: {
    customer_owed_entry_created: {
      resource: 'owed-entry',
      about: 'What a customer owes grew by the return of a deposit, or was paid by a deposit',
      transfers: ['debt', 'repayment'],
    },
  },
} satisfies Manifest;
