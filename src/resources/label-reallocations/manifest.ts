// The manifest of label reallocations.
import type { Manifest } from '../../platform/manifest.ts';

export const labelReallocations = {
  tags: [{ name: 'label reallocations', description: 'Amounts moved from one label to another' }],
  topics: {
    customer_label_reallocation_created: {
      resource: 'label-reallocation',
      about: 'An amount was moved from one label to another',
      transfers: ['reallocation'],
    },
  },
} satisfies Manifest;
