// `earmark jobs list|run`: the housekeeping that a service does by itself: when it did, and now.
import { systemClock } from '../clock.ts';
import { requireMigrated } from '../db/migrate.ts';
import { openStores } from '../documents/store/store.ts';
import { jobs as all } from '../jobs/jobs.ts';
import { command } from './command.ts';
import { print, printTable } from './output.ts';
import { openSealerOf, withDatabase } from './with-database.ts';

type Row = { name: string; due: Date; finished: Date | null; result: object | null; error: string | null };

const list = command({
  name: 'jobs list',
  about: 'Shows the housekeeping of a service: when each job ran last, what it did, and when it is due.',
  examples: ['earmark jobs list', 'earmark jobs list --json | jq .jobs'],
  async run({ json }) {
    const rows = await withDatabase(
      ({ database: { sql } }) => sql<Row>`select name, due, finished, result, error from job order by name`,
      requireMigrated,
    );
    const jobs = all.map(({ name, about, everySeconds }) => {
      const row = rows.find((row) => row.name === name);
      const [finished, due] = [row?.finished?.toISOString() ?? '', row?.due.toISOString() ?? ''];
      return { name, about, every_seconds: everySeconds, finished, due, result: row?.result ?? {}, error: row?.error ?? '' };
    });
    if (json) print({ jobs }, true);
    else
      printTable(
        jobs.map(({ about, result, ...job }) => ({ ...job, result: JSON.stringify(result) })),
        'There is no job.',
      );
    return 0;
  },
});

const run = command({
  name: 'jobs run',
  about: 'Runs now what a service runs by itself.',
  detail: all.map(({ name, about }) => `${name} ${about}`).join('\n'),
  words: [{ name: 'JOB', about: 'which of them', values: all.map(({ name }) => name) }],
  examples: ['earmark jobs run erase-documents'],
  async run({ words: [name], json }) {
    const job = all.find((job) => job.name === name)!;
    const result = await withDatabase(async (tools) => {
      const { config, database } = tools;
      const stores = openStores(config, database);
      return job.run({ ...tools, stores, sealer: await openSealerOf(tools), clock: systemClock }, new AbortController().signal);
    });
    print(result, json);
    return 0;
  },
});

export const jobs = [list, run];
