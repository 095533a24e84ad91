// The manifest of the sandbox tools.
import { type Manifest, resetOfAccount, UNCHECKED } from '../manifest.ts';

export const sandbox = {
  tags: [
    { name: 'sandbox', description: 'Test tools: a per-account clock, planned faults and a reset; not available in production' },
  ],
  // Requests remove faults.
  idempotent: { 'sandbox/fault': UNCHECKED },
  reset: resetOfAccount('account_clock', 'planned_fault'),
} satisfies Manifest;
