// Facts of the health checks and metrics.
import type { Facts } from '../facts.ts';

export const health = { tags: [{ name: 'service', description: 'Health and metrics' }] } satisfies Facts;
