// The manifest of accounts.
import { type Manifest, UNCHECKED } from '../../platform/manifest.ts';

export const accounts = {
  tags: [
    { name: 'root', description: 'Entry point with links to all resources' },
    { name: 'accounts', description: 'Platforms, which own customers, applications and events' },
  ],
  // Nothing deletes accounts.
  idempotent: { account: UNCHECKED },
} satisfies Manifest;
