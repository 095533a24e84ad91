// The manifest of labels. Their rows are ledger accounts, which the ledger resets.
import { fragment } from '../../platform/db/sql.ts';
import { creationsIn, type Manifest, rowOf } from '../../platform/manifest.ts';

export const labels = {
  tags: [{ name: 'labels', description: 'Named parts of a customer balance' }],
  topics: {
    customer_label_created: {
      resource: 'label',
      about: 'A label was created',
      created: fragment`${creationsIn('ledger_account')} and kind = 'label'`,
    },
    customer_label_updated: { resource: 'label', about: 'The name or the metadata of a label was changed' },
    customer_label_removed: { resource: 'label', about: 'A label was removed' },
  },
  idempotent: { label: fragment`${rowOf('ledger_account')} and r.kind = 'label'` },
} satisfies Manifest;
