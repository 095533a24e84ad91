// The periodic ledger check of a running service: proves what is new, runs every rule at low load, and reports violations.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../platform/db/sql.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { type LedgerCheck, NO_CHECK } from '../../platform/worker-coordination.ts';
import type { Declared } from './declared.ts';
import { proveAll, proveNew } from './increment.ts';
import type { Options, Violation } from './verify.ts';

export type Verification = {
  check(): LedgerCheck;
  /** Starts the next run now, also where periodic checks are disabled. */
  runNow(): void;
  /** Stops after the current query. */
  stop(): Promise<void>;
};

/** The pause after a query, as a multiple of its duration: the check uses at most 1/20 of one core of the database. */
const PAUSE_FACTOR = 19;
/** Between the end of an increment and the begin of the next one, unless it took longer: the complete check has half of the time. */
const INCREMENT_PAUSE_SECONDS = 10;
/** A single one may be a broken connection. */
const ERRORS_MIN = 2;
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
  const outage = openOutage(log, 'the ledger check ended with an error', { untilSuccess: true });
  let check: LedgerCheck = options.before ?? NO_CHECK;
  /** Of the last increment, and of the current or the last run. */
  const found: Record<'increment' | 'run', Violation[]> = { increment: [], run: check.last?.violations ?? [] };
  /** How many in a row ended with an error. */
  const errors: Record<keyof typeof found, number> = { increment: 0, run: 0 };
  const change = (changed: Partial<LedgerCheck>) => {
    check = { ...check, ...changed };
    onChange?.(check);
  };
  const report = (part: keyof typeof found, violations: Violation[]) => {
    found[part] = violations;
    change({ broken: rulesOf([...found.increment, ...found.run]) });
  };
  const note = (part: keyof typeof errors, count: number) => {
    errors[part] = count;
    const isFailing = Math.max(errors.increment, errors.run) >= ERRORS_MIN;
    if (isFailing !== check.isFailing) change({ isFailing });
  };
  const succeed = (part: keyof typeof errors) => {
    outage.end();
    note(part, 0);
  };
  let wake = () => {};
  signal.addEventListener('abort', () => wake(), { once: true });
  const pause = (ms: number) => sleep(Math.max(0, ms), undefined, { signal, ref: false }).catch(() => {});
  const paced: Options = { signal, pause: (ms) => pause(ms * PAUSE_FACTOR) };
  const incrementPauseMs = Math.min(INCREMENT_PAUSE_SECONDS, everySeconds) * 1000;
  const firstMs = performance.now() + Math.min(everySeconds, FIRST_AFTER_SECONDS) * 1000;
  let nextIncrementMs = everySeconds > 0 ? firstMs : Number.POSITIVE_INFINITY;
  let isAsked = false;

  async function proveWhatIsNew(): Promise<void> {
    if (performance.now() < nextIncrementMs) return;
    const startMs = performance.now();
    const { violations, complete, ...newest } = await proveNew(database, declared, paced).finally(() => {
      const endMs = performance.now();
      nextIncrementMs = endMs + Math.max(incrementPauseMs, endMs - startMs);
    });
    if (signal.aborted) return;
    succeed('increment');
    change({ complete, newest: { ...newest, durationMs: performance.now() - startMs } });
    if (violations.length > 0 && found.increment.length === 0) log.error({ violations }, 'the ledger check failed');
    report('increment', violations);
  }

  /** A pause of the complete check, of which a slice may take minutes on a busy server. */
  async function proveWhatIsNewUntil(endMs: number): Promise<void> {
    for (let nowMs = performance.now(); nowMs < endMs && !signal.aborted; nowMs = performance.now()) {
      await pause(Math.min(endMs, nextIncrementMs) - nowMs);
      await attempt('increment');
    }
  }

  async function run(): Promise<void> {
    const startMs = performance.now();
    let slices = 0;
    const violations = await proveAll(database, declared, {
      signal,
      pause: (ms) => proveWhatIsNewUntil(performance.now() + ms * PAUSE_FACTOR),
      onSlice({ share: done, violations }) {
        slices += 1;
        change({ progress: done });
        if (violations.length > 0) report('run', violations);
      },
    });
    if (signal.aborted) return;
    succeed('run');
    const last = { finished: clock.now(), durationMs: performance.now() - startMs, slices, violations };
    change({ last, ...(violations.length === 0 && { complete: last.finished }) });
    report('run', violations);
    if (violations.length > 0) log.error({ violations }, 'the ledger check failed');
  }

  async function attempt(part: keyof typeof errors): Promise<void> {
    const work = part === 'run' ? run : proveWhatIsNew;
    await work().catch((error: unknown) => {
      outage.note(error);
      note(part, errors[part] + 1);
    });
  }

  /** Waits until `runNow`, the stop, or a time, which periodic checks have. */
  function rest(untilMs: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
      // It may have been stopped or asked during a run.
      if (signal.aborted || isAsked) resolve();
    });
    return everySeconds > 0 ? Promise.race([woken, pause(untilMs - performance.now())]) : woken;
  }

  async function repeat(): Promise<void> {
    let nextRunMs = firstMs;
    for (;;) {
      await rest(Math.min(nextRunMs, nextIncrementMs));
      if (signal.aborted) return;
      await attempt('increment');
      if (isAsked || performance.now() >= nextRunMs) {
        isAsked = false;
        change({ progress: 0 });
        await attempt('run');
        change({ progress: undefined });
        nextRunMs = performance.now() + everySeconds * 1000;
      }
    }
  }

  change({ progress: undefined });
  const ended = repeat();
  return {
    check: () => check,
    runNow() {
      isAsked = true;
      wake();
    },
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

function rulesOf(violations: Violation[]): string[] {
  return [...new Set(violations.map(({ rule }) => rule))];
}
