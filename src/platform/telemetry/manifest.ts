// The manifest of the health checks and metrics.
import type { Manifest } from '../manifest.ts';

export const health = { tags: [{ name: 'service', description: 'Health and metrics' }] } satisfies Manifest;
