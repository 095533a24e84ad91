// Logs a fault that comes again and again once, with its stack, and how often it came when it no longer does.
import type { FastifyBaseLogger } from 'fastify';
import { databaseError } from '../db/sql.ts';

export type Outage = {
  /** Logs an error with `log`, unless one of its kind was logged already. */
  note(error: unknown, log?: Pick<FastifyBaseLogger, 'warn'>): void;
};

/** So long after the last error the outage is over: another one is logged again. */
const OVER_AFTER_MS = 10_000;
/** Messages may differ in each error; those beyond this are counted. */
const KINDS_MAX = 10;

export function openOutage(own: Pick<FastifyBaseLogger, 'warn' | 'info'>, message: string): Outage {
  const kinds = new Set<string>();
  let times = 0;
  let timer: NodeJS.Timeout | undefined;

  function end(): void {
    own.info({ times, quietSeconds: OVER_AFTER_MS / 1000 }, `no longer: ${message}`);
    kinds.clear();
    times = 0;
    timer = undefined;
  }

  return {
    note(error, log = own) {
      times += 1;
      timer ??= setTimeout(end, OVER_AFTER_MS).unref();
      timer.refresh();
      const kind = kindOf(error);
      if (kinds.has(kind) || kinds.size === KINDS_MAX) return;
      kinds.add(kind);
      log.warn({ err: error }, message);
    },
  };
}

function kindOf(error: unknown): string {
  const state = databaseError(error)?.state ?? (error as NodeJS.ErrnoException).code;
  return state ?? (error instanceof Error ? error.message : String(error));
}
