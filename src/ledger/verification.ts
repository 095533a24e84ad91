// The ledger check of a running service: proves the books again and again, slowly, and says what it found.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/sql.ts';
import { type Violation, verifyInSlices } from './verify.ts';

export type Verification = {
  /** The last run that came to its end; undefined before the first. */
  last(): Run | undefined;
  /** The names of the rules that the run under way, or the last one, found broken. */
  broken(): string[];
  /** Ends the run under way after its query. */
  stop(): Promise<void>;
};

export type Run = { finished: Date; durationMs: number; slices: number; violations: Violation[] };

/** Of one core of the database one part is the check's; after a query it rests this many times as long. */
const REST = 19;
/** Soon enough to be of use after a crash, and not in the way of a start. */
const FIRST_AFTER_SECONDS = 60;

/** Starts the check, one run every so many seconds; none ever with 0. Its queries may take some seconds. */
export function startVerification(options: {
  database: Database;
  everySeconds: number;
  clock: Clock;
  log: FastifyBaseLogger;
}): Verification {
  const { database, everySeconds, clock, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let last: Run | undefined;
  let found: Violation[] = [];
  const rest = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  async function run(): Promise<void> {
    const startMs = performance.now();
    let slices = 0;
    const violations = await verifyInSlices(database, {
      signal,
      rest: (ms) => rest(ms * REST),
      onSlice({ violations }) {
        slices += 1;
        if (violations.length > 0) found = [...violations];
      },
    });
    if (signal.aborted) return;
    found = violations;
    last = { finished: clock.now(), durationMs: performance.now() - startMs, slices, violations };
    if (found.length > 0) log.error({ violations }, 'the ledger check failed');
  }

  async function repeat(): Promise<void> {
    await rest(Math.min(everySeconds, FIRST_AFTER_SECONDS) * 1000);
    while (!signal.aborted) {
      await run().catch((error: unknown) => log.warn({ err: error }, 'the ledger check waits for the database'));
      await rest(everySeconds * 1000);
    }
  }

  const ended = everySeconds > 0 ? repeat() : Promise.resolve();
  return {
    last: () => last,
    broken: () => [...new Set(found.map(({ rule }) => rule))],
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
