// The manifest of label ledger entries.
import type { Manifest } from '../../platform/manifest.ts';

export const ledgerEntries = {
  tags: [{ name: 'ledger entries', description: 'Changes of a label amount' }],
  topics: {
    customer_label_ledger_entry_created: {
      resource: 'ledger-entry',
      about: 'An amount was added to a label or taken from it',
      transfers: ['label', 'allocation', 'recovery'],
    },
  },
} satisfies Manifest;
