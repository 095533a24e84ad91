// The manifest of transfers. Their rows are of the ledger, which resets them.
import type { Manifest } from '../../platform/manifest.ts';

export const transfers = {
  tags: [{ name: 'transfers', description: 'All movements of a customer balance in one list' }],
} satisfies Manifest;
