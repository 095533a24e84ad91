// Metrics of a database connection pool.
import type { Database } from '../db/sql.ts';
import type { Metrics } from './metrics.ts';

export function registerPoolMetrics(
  { registry, database }: Metrics,
  pool: 'requests' | 'lanes' | 'webhooks',
  { connections }: Pick<Database, 'connections'>,
): void {
  registry.beforeExposition(() => {
    const { total, max, idle, waiting } = connections();
    database.connections({ pool, state: 'idle' }).set(idle);
    database.connections({ pool, state: 'busy' }).set(total - idle);
    database.connectionsMax({ pool }).set(max);
    database.waiting({ pool }).set(waiting);
  });
}
