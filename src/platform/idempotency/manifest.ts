// The manifest of idempotency keys.
import { type Manifest, resetOfAccount } from '../manifest.ts';

export const idempotency = { reset: resetOfAccount('idempotency_key') } satisfies Manifest;
