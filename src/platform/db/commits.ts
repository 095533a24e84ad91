// Readiness check for writes: reads can succeed while the disk is full or the server is read-only.
import type { Sql } from './sql.ts';
import { isDatabaseUnavailable } from './unavailable.ts';

export type Commits = {
  /** Records a successful commit, or the error of a failed one. */
  note(error?: unknown): void;
  /** Resolves when the database responds and accepts writes. */
  check(sql: Sql): Promise<void>;
};

/** Consecutive failures; a single one may be a broken connection. */
const FAILURES_MAX = 3;

/**
 * Tracks the commits of a service. While they succeed, a check only reads. After FAILURES_MAX failures in a row the check itself
 * writes, because a service without requests would not notice that commits succeed again.
 */
export function followCommits(): Commits {
  let failures = 0;
  return {
    note(error) {
      if (error === undefined) failures = 0;
      else if (isDatabaseUnavailable(error)) failures += 1;
    },
    async check(sql) {
      if (failures < FAILURES_MAX) {
        await sql`select 1`;
        return;
      }
      await write(sql).catch((error: unknown) => {
        // Other errors, such as a missing privilege, do not show that writes fail.
        if (isDatabaseUnavailable(error)) throw error;
      });
      failures = 0;
    },
  };
}

/** Writes a few megabytes to a temporary table, which the commit drops. */
async function write(sql: Sql): Promise<void> {
  await sql`create temporary table write_check on commit drop as select n from generate_series(1, 50000) as n`;
}
