// `earmark jobs run`: runs now what a service runs by itself.
import { eraseDocuments } from '../documents/erase.ts';
import { openStores } from '../documents/store/store.ts';
import { command } from './command.ts';
import { print } from './output.ts';
import { type Tools, withDatabase } from './with-database.ts';

type Job = { name: string; about: string; run(tools: Tools): Promise<Record<string, unknown>> };

const list: Job[] = [
  {
    name: 'erase-documents',
    about: 'erases the pictures of documents decided DOCUMENT_RETENTION_DAYS ago, and what uploads left behind (hourly)',
    run: ({ config, database }) => eraseDocuments({ config, database, stores: openStores(config, database) }, new Date()),
  },
];

const run = command({
  name: 'jobs run',
  about: 'Runs now what a service runs by itself.',
  detail: list.map(({ name, about }) => `${name} ${about}`).join('\n'),
  words: [{ name: 'JOB', about: 'which of them', values: list.map(({ name }) => name) }],
  examples: ['earmark jobs run erase-documents'],
  async run({ words: [name], json }) {
    const job = list.find((job) => job.name === name)!;
    print(await withDatabase((tools) => job.run(tools)), json);
    return 0;
  },
});

export const jobs = [run];
