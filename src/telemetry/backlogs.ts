// Figures that only the database knows, asked of it when metrics are: seldom, one question at a time, and never waited for long.
import type { FastifyBaseLogger } from 'fastify';
import type { Metrics } from './metrics.ts';
import type { Gauge } from './registry.ts';

/** A gauge and its value now; undefined: not known. */
export type Figure = [Gauge, number | undefined];

// However often and by whomever metrics are asked for.
const EVERY_MS = 5_000;
const WAIT_MS = 2_000;

/**
 * Has each of the questions asked again before an exposition when the answers are old. Without an answer in time the figures
 * are those from before, or, when the database is away, none. `read` resolves to all of them.
 */
export function askBeforeExposition(
  metrics: Metrics,
  read: () => Promise<Figure[]>,
  log: FastifyBaseLogger,
  { now, waitMs }: { now: () => number; waitMs: number } = { now: () => performance.now(), waitMs: WAIT_MS },
): void {
  let known: Figure[] = [];
  let askedMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const tell = (figures: Figure[], up: boolean) => {
    for (const [gauge] of known) gauge.set(undefined);
    for (const [gauge, value] of figures) gauge.set(value);
    known = figures;
    metrics.database.up.set(up ? 1 : 0);
  };
  const ask = () =>
    read()
      .then((figures) => tell(figures, true))
      .catch((error: unknown) => {
        tell([], false);
        log.debug({ err: error }, 'the database does not tell its figures');
      })
      .finally(() => {
        asking = undefined;
      });
  metrics.registry.beforeExposition(async () => {
    if (now() - askedMs >= EVERY_MS && !asking) {
      askedMs = now();
      asking = ask();
    }
    if (!asking) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resume) => {
      timer = setTimeout(resume, waitMs, LATE);
    });
    if ((await Promise.race([asking, late])) === LATE) metrics.database.up.set(0);
    clearTimeout(timer);
  });
}

const LATE = Symbol('late');
