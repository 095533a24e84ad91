// Refuses sandbox tools in production.
import { refuse } from '../../core/problems.ts';
import { findMode } from '../../platform/db/mode.ts';
import type { Service } from '../service/service.ts';

/** Reads the mode on each request, because a production database may have been restored since the service started. */
export async function requireSandbox({ database }: Pick<Service, 'database'>): Promise<void> {
  if ((await findMode(database.sql)) !== 'sandbox') throw refuse('notFound');
}
