// Logs a repeated error once, with its stack, and logs how often it occurred when it is over.
import type { FastifyBaseLogger } from 'fastify';
import { databaseError } from '../db/sql.ts';

export type Outage = {
  /** Logs an error with `log`, unless one of its kind was logged during this outage. */
  note(error: unknown, log?: Pick<FastifyBaseLogger, 'warn'>): void;
};

/** The outage is over after this time without an error; the next error is logged again. */
const OVER_AFTER_MS = 10_000;
/** Maximum number of kinds that are logged; further ones are only counted, as every error may have a different message. */
const KINDS_MAX = 10;

export function openOutage(defaultLog: Pick<FastifyBaseLogger, 'warn' | 'info'>, message: string): Outage {
  const kinds = new Set<string>();
  let times = 0;
  let timer: NodeJS.Timeout | undefined;

  function end(): void {
    defaultLog.info({ times, quietSeconds: OVER_AFTER_MS / 1000 }, `resolved: ${message}`);
    kinds.clear();
    times = 0;
    timer = undefined;
  }

  return {
    note(error, log = defaultLog) {
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
