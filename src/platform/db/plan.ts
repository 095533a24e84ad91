// What the planner may use for the rest of a transaction.
import { identifier, type Sql } from './sql.ts';

type Method = 'seqscan' | 'bitmapscan' | 'hashjoin' | 'mergejoin';

/**
 * Forbids methods where the planner would read whole tables for a part of their rows. Reaches the workers of a cluster too, which
 * set_config() does not.
 */
export async function planWithout(tx: Sql, methods: Method[]): Promise<void> {
  const settings = methods.map((method) => `set local enable_${method} to off;`).join(' ');
  await tx`
    do $$
    begin
      set local citus.propagate_set_commands to local;
      set local jit to off;
      ${identifier(settings)}
    end
    $$`;
}
