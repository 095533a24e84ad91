// Whether the database takes writes, which reading from it does not show: its disk may be full, or the server read-only.
import { isAway } from './away.ts';
import type { Sql } from './sql.ts';

export type Commits = {
  /** Notes that a commit succeeded, or the error it failed with. */
  note(error?: unknown): void;
  /** Resolves when the database answers and takes writes. */
  check(sql: Sql): Promise<void>;
};

/** In a row: one may be a connection that broke. */
const FAILURES_MAX = 3;

/**
 * Follows the commits of a service. As long as they succeed, a check only reads. Once several in a row have failed, a check itself
 * writes, as a service that gets no requests would never learn that commits succeed again.
 */
export function followCommits(): Commits {
  let failures = 0;
  return {
    note(error) {
      if (error === undefined) failures = 0;
      else if (isAway(error)) failures += 1;
    },
    async check(sql) {
      if (failures < FAILURES_MAX) {
        await sql`select 1`;
        return;
      }
      await write(sql).catch((error: unknown) => {
        // Any other, such as a missing right, says nothing about writing.
        if (isAway(error)) throw error;
      });
      failures = 0;
    },
  };
}

/** Writes some megabytes to the disk of the database, which nobody sees and the commit removes. */
async function write(sql: Sql): Promise<void> {
  await sql`create temporary table write_check on commit drop as select n from generate_series(1, 50000) as n`;
}
