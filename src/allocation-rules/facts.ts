// Facts of allocation rules.
import { type Facts, resetOfCustomers, rowOf } from '../facts.ts';

export const allocationRules = {
  tags: [{ name: 'allocation rules', description: 'Parts of deposits that go to labels' }],
  idempotent: { 'allocation-rule': rowOf('allocation_rule') },
  reset: resetOfCustomers('allocation_rule'),
} satisfies Facts;
