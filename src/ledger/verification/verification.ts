// The periodic ledger check of a running service: runs every rule at low load and reports violations.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../platform/db/sql.ts';
import { type LedgerCheck, NO_CHECK } from '../../platform/worker-coordination.ts';
import type { Declared } from './declared.ts';
import { type Violation, verifyInSlices } from './verify.ts';

export type Verification = {
  check(): LedgerCheck;
  /** Starts the next run now, also where periodic checks are disabled. */
  runNow(): void;
  /** Stops after the current query. */
  stop(): Promise<void>;
};

/** The pause after a query, as a multiple of its duration: the check uses at most 1/20 of one core of the database. */
const PAUSE_FACTOR = 19;
/** Soon after a crash, but not during the start. */
const FIRST_AFTER_SECONDS = 60;

/** Starts the periodic check. `everySeconds` 0: only on request. A query may take some seconds. */
export function startVerification(options: {
  database: Database;
  declared: Declared;
  everySeconds: number;
  clock: Clock;
  log: FastifyBaseLogger;
  /** The state that an earlier process left. */
  before?: LedgerCheck | undefined;
  onChange?: ((check: LedgerCheck) => void) | undefined;
}): Verification {
  const { database, declared, everySeconds, clock, log, onChange } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let check: LedgerCheck = options.before ?? NO_CHECK;
  const change = (changed: Partial<LedgerCheck>) => {
    check = { ...check, ...changed };
    onChange?.(check);
  };
  let wake = () => {};
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  async function run(): Promise<void> {
    const startMs = performance.now();
    let slices = 0;
    const violations = await verifyInSlices(database, declared, {
      signal,
      pause: (ms) => pause(ms * PAUSE_FACTOR),
      onSlice({ share: done, violations }) {
        slices += 1;
        change({ progress: done, ...(violations.length > 0 && { broken: rulesOf(violations) }) });
      },
    });
    if (signal.aborted) return;
    const last = { finished: clock.now(), durationMs: performance.now() - startMs, slices, violations };
    change({ last, broken: rulesOf(violations) });
    if (violations.length > 0) log.error({ violations }, 'the ledger check failed');
  }

  /** Waits for the next run: until its time, `runNow` or the stop. */
  function rest(seconds: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
      // It may have been stopped during a run.
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    return everySeconds > 0 ? Promise.race([woken, pause(seconds * 1000)]) : woken;
  }

  async function repeat(): Promise<void> {
    await rest(Math.min(everySeconds, FIRST_AFTER_SECONDS));
    while (!signal.aborted) {
      change({ progress: 0 });
      await run().catch((error: unknown) => log.warn({ err: error }, 'the ledger check waits for the database'));
      change({ progress: undefined });
      await rest(everySeconds);
    }
  }

  change({ progress: undefined });
  const ended = repeat();
  return {
    check: () => check,
    runNow: () => wake(),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

function rulesOf(violations: Violation[]): string[] {
  return [...new Set(violations.map(({ rule }) => rule))];
}
