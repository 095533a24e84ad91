// The manifest of allocation rules.
import { type Manifest, resetOfCustomers, rowOf } from '../../platform/manifest.ts';

export const allocationRules = {
  tags: [{ name: 'allocation rules', description: 'Parts of deposits that go to labels' }],
  idempotent: { 'allocation-rule': rowOf('allocation_rule') },
  reset: resetOfCustomers('allocation_rule'),
} satisfies Manifest;
