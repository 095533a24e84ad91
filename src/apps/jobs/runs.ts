// The last and next runs of the housekeeping jobs, and requests to run one soon.
import { later } from '../../core/clock.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Job, JobTools } from './job.ts';
import { jobs } from './jobs.ts';

export type JobRun = {
  name: string;
  about: string;
  everySeconds: number;
  /** Null before the first run. */
  due: Date | null;
  finished: Date | null;
  result: Record<string, number> | null;
  error: string | null;
};

type Row = Pick<JobRun, 'name' | 'finished' | 'result' | 'error'> & { due: Date };

/** The row of the backups, which a command makes: it is never due. */
export const BACKUP = 'backup';
/** The row of the restore drills, which are recorded by a command, too. */
export const DRILL = 'restore-drill';

/** Lists every job, in the order of the catalog. */
export async function listRuns(sql: Sql): Promise<JobRun[]> {
  const rows = await sql<Row>`select name, due, finished, result, error from job`;
  return jobs.map(({ name, about, everySeconds }) => {
    const { due = null, finished = null, result = null, error = null } = rows.find((row) => row.name === name) ?? {};
    return { name, about, everySeconds, due, finished, result, error };
  });
}

/** Records the time of a backup or of a drill, for the metrics by which alerts find that the newest one is old. */
export async function recordBackup(sql: Sql, time: Date, name: typeof BACKUP | typeof DRILL = BACKUP): Promise<void> {
  await sql`
    insert into job as j (name, due, finished, succeeded) values (${name}, 'infinity', ${time}, ${time})
    on conflict (name) do update
    set finished = excluded.finished, succeeded = greatest(j.succeeded, excluded.succeeded)`;
}

/** What a job did, or its error. */
type Outcome = { result: Record<string, number>; error?: undefined } | { result?: undefined; error: Error };

export function attempt(job: Job, tools: JobTools, signal: AbortSignal): Promise<Outcome> {
  return job.run(tools, signal).then(
    (result) => ({ result }),
    (error: unknown) => ({ error: error instanceof Error ? error : new Error(String(error)) }),
  );
}

/** Records a run that ended now, and when the next one is due. */
export async function recordRun(sql: Sql, { name, everySeconds }: Job, now: Date, { result, error }: Outcome): Promise<void> {
  await sql`
    insert into job as j (name, due, finished, succeeded, result, error)
    values (${name}, ${later(now, everySeconds * 1000)}, ${now}, ${result ? now : null}, ${result ? JSON.stringify(result) : null}::jsonb,
      ${error?.message ?? null})
    on conflict (name) do update
    set held_until = null, due = excluded.due, finished = excluded.finished, succeeded = coalesce(excluded.succeeded, j.succeeded),
      result = excluded.result, error = excluded.error`;
}

/** The last success of each job, and the time of the newest backup. */
export async function findSuccesses(sql: Sql): Promise<Map<string, Date>> {
  const rows = await sql<{ name: string; succeeded: Date }>`select name, succeeded from job where succeeded is not null`;
  return new Map(rows.map(({ name, succeeded }) => [name, succeeded]));
}

/** Makes a job due, so that a process runs it within a minute. A job that never ran is due already. */
export async function requestRun(sql: Sql, name: string, now: Date): Promise<void> {
  await sql`update job set due = least(due, ${now}) where name = ${name}`;
}
