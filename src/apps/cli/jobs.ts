// `earmark jobs list|run`: lists the maintenance jobs of the service, or runs one now.
import { systemClock } from '../../core/clock.ts';
import { writeAudit } from '../../ledger/audit/audit.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { openStores } from '../../resources/documents/store/store.ts';
import { jobs } from '../jobs/jobs.ts';
import { attempt, listRuns, recordRun } from '../jobs/runs.ts';
import { compareClocks } from '../service/runtime.ts';
import { commandLineActor } from './actor.ts';
import { print, printTable } from './output.ts';
import { openSealerOf, withDatabase } from './with-database.ts';

export async function list({ json }: { json: boolean }): Promise<number> {
  const runs = await withDatabase(({ database: { sql } }) => listRuns(sql), requireMigrated);
  const listed = runs.map(({ name, about, everySeconds, finished, due, result, error }) => ({
    ...{ name, about, every_seconds: everySeconds, finished: finished?.toISOString() ?? '', due: due?.toISOString() ?? '' },
    ...{ result: result ?? {}, error: error ?? '' },
  }));
  if (json) print({ jobs: listed }, true);
  else
    printTable(
      listed.map(({ about, result, ...job }) => ({ ...job, result: JSON.stringify(result) })),
      'There are no jobs.',
    );
  return 0;
}

export async function run({ words: [name], json }: { words: readonly [name: string]; json: boolean }): Promise<number> {
  const job = jobs.find((job) => job.name === name)!;
  const result = await withDatabase(async (tools) => {
    const { config, database } = tools;
    await compareClocks(database.sql);
    const stores = openStores(config, database);
    const jobTools = { ...tools, stores, sealer: await openSealerOf(tools), clock: systemClock };
    await writeAudit(database.sql, commandLineActor(), { action: 'run_job', detail: { job: name } });
    const outcome = await attempt(job, jobTools, new AbortController().signal);
    await recordRun(database.sql, job, systemClock.now(), outcome);
    if (!outcome.result) throw outcome.error;
    return outcome.result;
  });
  print(result, json);
  return 0;
}
