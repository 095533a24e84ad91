// Sandbox tools: a clock and planned faults per account, stored in the database and cached by every process.
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, later } from '../../core/clock.ts';
import type { Sql } from '../db/sql.ts';
import { type PlannedFault, takeOldestFault } from './fault.ts';
import { injectFault } from './fault-hooks.ts';

export type SandboxTools = {
  /** The service's clock, ahead for each account by as much as it asked for. */
  clock: Clock;
  /** The operationIds that can have planned faults; filled as routes are registered. */
  operations: Set<string>;
  /** Takes the fault planned for an account's next call of an operation, if there is one, and counts it as used. */
  takeFault(accountId: string, operation: string): Promise<PlannedFault | undefined>;
  /** Whether a fault may be planned for a request, according to the cache. */
  mayHaveFault(request: FastifyRequest, accountId: string): boolean;
  /** Takes the fault planned for a request, if there is one, and injects it. The handler must not run if the reply was sent. */
  injectFault(request: FastifyRequest, reply: FastifyReply, accountId: string): Promise<void>;
  /** Reloads the cache after a write of this process; other processes reload every second. */
  refresh(): Promise<void>;
  close(): Promise<void>;
};

const REFRESH_EVERY_MS = 1000;

/** Opens the tools of a sandbox. `base` is the clock of accounts that never advanced theirs. */
export async function openSandboxTools(options: { sql: Sql; log: FastifyBaseLogger; base: Clock }): Promise<SandboxTools> {
  const { sql, log, base } = options;
  let ahead = new Map<string, number>();
  let planned = new Set<string>();
  const keyOf = (accountId: string, operation: string) => `${accountId} ${operation}`;

  let begun = 0;
  let newest = 0;
  async function read(): Promise<void> {
    begun += 1;
    const number = begun;
    const clocks = await sql<{ id: string; aheadMs: bigint }>`select account_id as id, ahead_ms from account_clock`;
    const faults = await sql<{ id: string; operation: string }>`
      select distinct account_id as id, operation from planned_fault where remaining > 0`;
    // Concurrent reads can end out of order; an older one must not hide a fault that was just planned.
    if (number < newest) return;
    newest = number;
    ahead = new Map(clocks.map(({ id, aheadMs }) => [id, Number(aheadMs)]));
    planned = new Set(faults.map(({ id, operation }) => keyOf(id, operation)));
  }

  await read();
  const refreshing = startRefreshing(read, log);
  const aheadMs = (accountId: string) => ahead.get(accountId) ?? 0;

  async function takeFault(accountId: string, operation: string): Promise<PlannedFault | undefined> {
    if (!planned.has(keyOf(accountId, operation))) return undefined;
    const fault = await takeOldestFault(sql, accountId, operation);
    if (!fault) planned.delete(keyOf(accountId, operation));
    return fault;
  }

  function mayHaveFault({ routeOptions }: FastifyRequest, accountId: string): boolean {
    if (planned.size === 0) return false;
    const operation = routeOptions.schema?.operationId;
    return operation !== undefined && planned.has(keyOf(accountId, operation));
  }

  return {
    clock: {
      now: (accountId) => {
        const now = base.now(accountId);
        const ms = accountId === undefined ? 0 : aheadMs(accountId);
        return ms === 0 ? now : later(now, ms);
      },
      aheadMs,
    },
    operations: new Set(),
    takeFault,
    mayHaveFault,
    async injectFault(request, reply, accountId) {
      const operation = request.routeOptions.schema?.operationId;
      const fault = operation === undefined ? undefined : await takeFault(accountId, operation);
      if (fault) await injectFault(fault, request, reply);
    },
    refresh: refreshing.refresh,
    close: refreshing.close,
  };
}

/** Reads every second, and on demand after a read that is in progress. */
function startRefreshing(read: () => Promise<void>, log: FastifyBaseLogger): Pick<SandboxTools, 'refresh' | 'close'> {
  let reading: Promise<void> | undefined;
  const readInBackground = () => {
    reading ??= read()
      .catch((error: unknown) => log.debug({ err: error }, 'clocks and planned faults cannot be refreshed'))
      .finally(() => {
        reading = undefined;
      });
  };
  const timer = setInterval(readInBackground, REFRESH_EVERY_MS).unref();
  return {
    async refresh() {
      await reading;
      await read();
    },
    async close() {
      clearInterval(timer);
      await reading;
    },
  };
}
