// Gauges read from the database when metrics are exposed: rate limited, one read at a time, and with a short timeout.
import type { FastifyBaseLogger } from 'fastify';
import type { Metrics } from './metrics.ts';
import type { Gauge } from './registry.ts';

/** A gauge and its current value; undefined: unknown. */
export type Figure = [Gauge, number | undefined];

// Minimum time between reads, independent of how often metrics are scraped.
const EVERY_MS = 5_000;
const WAIT_MS = 2_000;

/**
 * Runs `read` before an exposition if the last values are old. `read` resolves to all figures. If it takes longer than `waitMs`,
 * the previous values are exposed; if it fails, none are.
 */
export function refreshBeforeExposition(
  metrics: Metrics,
  read: () => Promise<Figure[]>,
  log: FastifyBaseLogger,
  { now, waitMs }: { now: () => number; waitMs: number } = { now: () => performance.now(), waitMs: WAIT_MS },
): void {
  let published: Figure[] = [];
  let startedMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const publish = (figures: Figure[], up: boolean) => {
    for (const [gauge] of published) gauge.set(undefined);
    for (const [gauge, value] of figures) gauge.set(value);
    published = figures;
    metrics.database.up.set(up ? 1 : 0);
  };
  const refresh = () =>
    read()
      .then((figures) => publish(figures, true))
      .catch((error: unknown) => {
        publish([], false);
        log.debug({ err: error }, 'cannot read metrics from the database');
      })
      .finally(() => {
        reading = undefined;
      });
  metrics.registry.beforeExposition(async () => {
    if (now() - startedMs >= EVERY_MS && !reading) {
      startedMs = now();
      reading = refresh();
    }
    if (!reading) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resume) => {
      timer = setTimeout(resume, waitMs, LATE);
    });
    if ((await Promise.race([reading, timeout])) === LATE) metrics.database.up.set(0);
    clearTimeout(timer);
  });
}

const LATE = Symbol('late');
