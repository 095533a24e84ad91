// The manifest of statements, which are made from the ledger when they are read.
import type { Manifest } from '../../platform/manifest.ts';

export const statements = {
  tags: [{ name: 'statements', description: 'What a customer held and moved in a month' }],
} satisfies Manifest;
