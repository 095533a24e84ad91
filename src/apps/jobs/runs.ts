// The last and next runs of the housekeeping jobs, and requests to run one soon.
import type { Sql } from '../../platform/db/sql.ts';
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

/** The last success of each job, and the time of the newest backup. */
export async function findSuccesses(sql: Sql): Promise<Map<string, Date>> {
  const rows = await sql<{ name: string; succeeded: Date }>`select name, succeeded from job where succeeded is not null`;
  return new Map(rows.map(({ name, succeeded }) => [name, succeeded]));
}

/** Makes a job due, so that a process runs it within a minute. A job that never ran is due already. */
export async function requestRun(sql: Sql, name: string, now: Date): Promise<void> {
  await sql`update job set due = least(due, ${now}) where name = ${name}`;
}
