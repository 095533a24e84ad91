// Refuses sandbox tools in production.
import { findMode } from '../db/mode.ts';
import { refuse } from '../problems.ts';
import type { Service } from '../service.ts';

/** Reads the mode on each request, because a production database may have been restored since the service started. */
export async function requireSandbox({ database }: Pick<Service, 'database'>): Promise<void> {
  if ((await findMode(database.sql)) !== 'sandbox') throw refuse('notFound');
}
