// The periodic ledger check of a running service: runs every rule at low load and reports violations.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/sql.ts';
import { type Violation, verifyInSlices } from './verify.ts';

export type Verification = {
  /** The last complete run; undefined before the first. */
  last(): Run | undefined;
  /** The names of the rules that the current or the last run found broken. */
  broken(): string[];
  /** The completed share (0 to 1) of the current run; undefined between runs. */
  progress(): number | undefined;
  /** Starts the next run now, also where periodic checks are disabled. */
  runNow(): void;
  /** Stops after the current query. */
  stop(): Promise<void>;
};

type Run = { finished: Date; durationMs: number; slices: number; violations: Violation[] };

/** The pause after a query, as a multiple of its duration: the check uses at most 1/20 of one core of the database. */
const PAUSE_FACTOR = 19;
/** Soon after a crash, but not during the start. */
const FIRST_AFTER_SECONDS = 60;

/** Starts the periodic check. `everySeconds` 0: only on request. A query may take some seconds. */
export function startVerification(options: {
  database: Database;
  everySeconds: number;
  clock: Clock;
  log: FastifyBaseLogger;
  /** Called with the names of the broken rules, after each run and when a running check finds one. */
  onFound?: ((rules: string[]) => void) | undefined;
}): Verification {
  const { database, everySeconds, clock, log, onFound } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let last: Run | undefined;
  let found: Violation[] = [];
  const broken = () => [...new Set(found.map(({ rule }) => rule))];
  let share: number | undefined;
  let wake = () => {};
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  async function run(): Promise<void> {
    const startMs = performance.now();
    let slices = 0;
    const violations = await verifyInSlices(database, {
      signal,
      pause: (ms) => pause(ms * PAUSE_FACTOR),
      onSlice({ share: done, violations }) {
        slices += 1;
        share = done;
        if (violations.length === 0) return;
        found = [...violations];
        onFound?.(broken());
      },
    });
    if (signal.aborted) return;
    found = violations;
    onFound?.(broken());
    last = { finished: clock.now(), durationMs: performance.now() - startMs, slices, violations };
    if (found.length > 0) log.error({ violations }, 'the ledger check failed');
  }

  /** Waits for the next run: until its time, `runNow` or the stop. */
  function rest(seconds: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    return everySeconds > 0 ? Promise.race([woken, pause(seconds * 1000)]) : woken;
  }

  async function repeat(): Promise<void> {
    await rest(Math.min(everySeconds, FIRST_AFTER_SECONDS));
    while (!signal.aborted) {
      share = 0;
      await run().catch((error: unknown) => log.warn({ err: error }, 'the ledger check waits for the database'));
      share = undefined;
      await rest(everySeconds);
    }
  }

  const ended = repeat();
  return {
    last: () => last,
    broken,
    progress: () => share,
    runNow: () => wake(),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
