// The manifest of batches of label reallocations.
import { type Manifest, resetOfAccount, rowOf } from '../../platform/manifest.ts';

export const labelReallocationBatches = {
  tags: [{ name: 'label reallocation batches', description: 'Up to 1,000 label reallocations in one request' }],
  idempotent: { 'label-reallocation-batch': rowOf('label_reallocation_batch') },
  reset: resetOfAccount('label_reallocation_batch'),
} satisfies Manifest;
