// Facts of idempotency keys.
import { type Facts, resetOfAccount } from '../facts.ts';

export const idempotency = { reset: resetOfAccount('idempotency_key') } satisfies Facts;
