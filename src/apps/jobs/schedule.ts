// The job schedule of a running service: runs due jobs, each in one process at a time, and records the results.
import type { FastifyBaseLogger } from 'fastify';
import { later } from '../../core/clock.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Job, JobTools } from './job.ts';
import { jobs } from './jobs.ts';
import { attempt, BACKUP, DRILL, findSuccesses, recordRun } from './runs.ts';

type Schedule = {
  /** Runs due jobs now; each process does this once a minute. */
  runDue(): Promise<void>;
  /** Stops the running job after its current batch. */
  stop(): Promise<void>;
};

const POLL_EVERY_MS = 60_000;
/** The lease of a job. A job that takes longer may run twice at the same time, which is safe. */
const LEASE_MS = 3_600_000;

export function startSchedule(tools: JobTools & { metrics: Metrics; log: FastifyBaseLogger }): Schedule {
  const { log } = tools;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function runAll(): Promise<void> {
    for (const job of jobs) {
      if (stopping.signal.aborted) return;
      await runIfDue(tools, job, stopping.signal);
    }
    expose(tools.metrics, await findSuccesses(tools.database.sql));
  }
  const runDue = () => {
    running ??= runAll()
      .catch((error: unknown) => log.warn({ err: error }, 'housekeeping waits for the database'))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  // Shown from the start, so that an alert finds what never ran.
  expose(tools.metrics, new Map());
  const reading = findSuccesses(tools.database.sql).then(
    (last) => expose(tools.metrics, last),
    () => {},
  );
  const timer = setInterval(runDue, POLL_EVERY_MS).unref();
  return {
    runDue,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await Promise.all([reading, running]);
    },
  };
}

/** Shows when each job last succeeded, and the newest backup, for all processes. */
function expose({ jobs: { succeeded, backedUp, drilled } }: Metrics, last: Map<string, Date>): void {
  const secondsOf = (name: string) => (last.get(name)?.getTime() ?? 0) / 1000;
  for (const { name } of jobs) succeeded({ task: name }).set(secondsOf(name));
  backedUp.set(secondsOf(BACKUP));
  drilled.set(secondsOf(DRILL));
}

async function runIfDue(tools: JobTools & { metrics: Metrics; log: FastifyBaseLogger }, job: Job, signal: AbortSignal) {
  const { database, clock, metrics, log } = tools;
  const { name } = job;
  if (!(await claimJob(tools, job))) return;
  const startedMs = performance.now();
  const run = await attempt(job, tools, signal);
  const { result, error } = run;
  const seconds = (performance.now() - startedMs) / 1000;
  metrics.jobs.runs({ task: name, outcome: result ? 'done' : 'failed' }).add();
  metrics.jobs.seconds({ task: name }).observe(seconds);
  if (!result) log.error({ job: name, error: error.message }, 'job failed');
  else {
    const items = Object.values(result).reduce((sum, count) => sum + count, 0);
    metrics.jobs.items({ task: name }).add(items);
    if (items > 0) log.info({ job: name, ...result, seconds: Math.round(seconds * 10) / 10 }, 'job done');
  }
  await recordRun(database.sql, job, clock.now(), run);
}

/** Claims a due job, including one whose process died, or whose due time is too far ahead because the clock was set back. A new job is due immediately. */
async function claimJob({ database, clock }: JobTools, { name, everySeconds }: Job): Promise<boolean> {
  const now = clock.now();
  // Another process may have finished the job since `now`.
  const latest = later(now, everySeconds * 1000 + POLL_EVERY_MS);
  const rows = await database.sql`
    insert into job as j (name, due, held_until, started) values (${name}, ${now}, ${later(now, LEASE_MS)}, ${now})
    on conflict (name) do update set held_until = excluded.held_until, started = excluded.started
    where (j.due <= ${now} or j.due > ${latest}) and (j.held_until is null or j.held_until <= ${now})
    returning name`;
  return rows.length > 0;
}
