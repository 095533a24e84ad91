// Facts of label ledger entries.
import { fragment } from '../db/sql.ts';
import type { Facts } from '../facts.ts';

export const ledgerEntries = {
  tags: [{ name: 'ledger entries', description: 'Changes of a label amount' }],
  topics: {
    customer_label_ledger_entry_created: {
      resource: 'ledger-entry',
      about: 'An amount was added to a label or taken from it',
      transfer: 'label',
    },
  },
  idempotent: {
    // The id of an entry is the id of its transfer with the leg in the last digit.
    'ledger-entry': fragment`
      select true from transfer r
      where r.bucket = k.bucket and r.id = overlay(k.resource_id::text placing '0' from 36)::uuid and r.kind = 'label'`,
  },
} satisfies Facts;
