// Facts of batches of label reallocations.
import { type Facts, resetOfAccount, rowOf } from '../facts.ts';

export const labelReallocationBatches = {
  tags: [{ name: 'label reallocation batches', description: 'Up to 1,000 label reallocations in one request' }],
  idempotent: { 'label-reallocation-batch': rowOf('label_reallocation_batch') },
  reset: resetOfAccount('label_reallocation_batch'),
} satisfies Facts;
