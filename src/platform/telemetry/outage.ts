// Logs a repeated error once, with its stack, and logs how often it occurred when it is over, or when no more came for a while.
import type { FastifyBaseLogger } from 'fastify';
import { databaseError } from '../db/sql.ts';

export type Outage = {
  /** Logs an error with `log`, unless one of its kind was logged during this outage. */
  note(error: unknown, log?: Pick<FastifyBaseLogger, 'warn'>): void;
  /** Ends the outage, if there is one: what failed has succeeded. */
  end(): void;
};

/** After this time without an error, the next one is logged again. It may be that nothing was tried meanwhile. */
const QUIET_MS = 10_000;
/** Maximum number of kinds that are logged; further ones are only counted, as every error may have a different message. */
const KINDS_MAX = 10;

/** `untilSuccess`: the outage lasts until `end` is called, as for work that is not tried all the time. */
export function openOutage(
  defaultLog: Pick<FastifyBaseLogger, 'warn' | 'info'>,
  message: string,
  { untilSuccess = false } = {},
): Outage {
  const kinds = new Set<string>();
  let times = 0;
  let timer: NodeJS.Timeout | undefined;

  function close(how: string): void {
    defaultLog.info({ times }, `${how}: ${message}`);
    kinds.clear();
    times = 0;
    clearTimeout(timer);
    timer = undefined;
  }
  const closeQuiet = () => close(`no further errors for ${QUIET_MS / 1000} s`);

  return {
    note(error, log = defaultLog) {
      times += 1;
      if (!untilSuccess) timer = timer?.refresh() ?? setTimeout(closeQuiet, QUIET_MS).unref();
      const kind = kindOf(error);
      if (kinds.has(kind) || kinds.size === KINDS_MAX) return;
      kinds.add(kind);
      log.warn({ err: error }, message);
    },
    end() {
      if (times > 0) close('resolved');
    },
  };
}

function kindOf(error: unknown): string {
  const state = databaseError(error)?.state ?? (error as NodeJS.ErrnoException).code;
  return state ?? (error instanceof Error ? error.message : String(error));
}
