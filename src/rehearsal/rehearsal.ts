// What a sandbox lets each account rehearse: a clock of its own and planned faults, kept in the database and followed by every process.
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/sql.ts';
import { type PlannedFault, takeFault } from './fault.ts';
import { happen } from './happen.ts';

export type Rehearsal = {
  /** The clock of the service, moved for each account as far as it asked. */
  clock: Clock;
  /** The operations that can be made to fail, by operationId; the door fills it. */
  operations: Set<string>;
  /** The fault planned for what an account does now, if there is one; it counts as happened then. */
  strike(accountId: string, operation: string): Promise<PlannedFault | undefined>;
  /** Whether a fault may be planned for a call. */
  expects(request: FastifyRequest, accountId: string): boolean;
  /** The same as `strike` for a call, and lets it happen; the call is over when its reply is sent then. */
  meet(request: FastifyRequest, reply: FastifyReply, accountId: string): Promise<void>;
  /** Reads again what was written here just now; other processes do so within a second or so. */
  follow(): Promise<void>;
  close(): Promise<void>;
};

const FOLLOW_EVERY_MS = 1000;

/** Opens the rehearsals of a sandbox. `base` is the clock that accounts have until they move theirs. */
export async function openRehearsal(tools: { sql: Sql; log: FastifyBaseLogger; base: Clock }): Promise<Rehearsal> {
  const { sql, log, base } = tools;
  let ahead = new Map<string, number>();
  let planned = new Set<string>();
  const nameOf = (accountId: string, operation: string) => `${accountId} ${operation}`;

  async function read(): Promise<void> {
    const clocks = await sql<{ id: string; aheadMs: bigint }>`select account_id as id, ahead_ms as "aheadMs" from account_clock`;
    const faults = await sql<{ id: string; operation: string }>`
      select distinct account_id as id, operation from planned_fault where remaining > 0`;
    ahead = new Map(clocks.map(({ id, aheadMs }) => [id, Number(aheadMs)]));
    planned = new Set(faults.map(({ id, operation }) => nameOf(id, operation)));
  }

  await read();
  let reading: Promise<void> | undefined;
  const follow = () => {
    reading ??= read()
      .catch((error: unknown) => log.debug({ err: error }, 'cannot follow clocks and planned faults'))
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const timer = setInterval(follow, FOLLOW_EVERY_MS).unref();
  const aheadMs = (accountId: string) => ahead.get(accountId) ?? 0;

  async function strike(accountId: string, operation: string): Promise<PlannedFault | undefined> {
    if (!planned.has(nameOf(accountId, operation))) return undefined;
    const fault = await takeFault(sql, accountId, operation);
    if (!fault) planned.delete(nameOf(accountId, operation));
    return fault;
  }

  function expects({ routeOptions }: FastifyRequest, accountId: string): boolean {
    if (planned.size === 0) return false;
    const operation = routeOptions.schema?.operationId;
    return operation !== undefined && planned.has(nameOf(accountId, operation));
  }

  return {
    clock: {
      now: (accountId) => {
        const now = base.now(accountId);
        const ms = accountId === undefined ? 0 : aheadMs(accountId);
        return ms === 0 ? now : new Date(now.getTime() + ms);
      },
      aheadMs,
    },
    operations: new Set(),
    strike,
    expects,
    async meet(request, reply, accountId) {
      const operation = request.routeOptions.schema?.operationId;
      const fault = operation === undefined ? undefined : await strike(accountId, operation);
      if (fault) await happen(fault, request, reply);
    },
    async follow() {
      await reading;
      await read();
    },
    async close() {
      clearInterval(timer);
      await reading;
    },
  };
}
