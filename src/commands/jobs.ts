// `earmark jobs run`: runs now what a service runs by itself.
import { eraseDocuments } from '../documents/erase.ts';
import { openStores } from '../documents/store/store.ts';
import { type Command, print, readArgs, UsageError } from './command.ts';
import { type Tools, withDatabase } from './with-database.ts';

type Job = { name: string; about: string; run(tools: Tools): Promise<Record<string, unknown>> };

const list: Job[] = [
  {
    name: 'erase-documents',
    about: 'erases the pictures of documents decided DOCUMENT_RETENTION_DAYS ago, and what uploads left behind (hourly)',
    run: ({ config, database }) => eraseDocuments({ config, database, stores: openStores(config, database) }, new Date()),
  },
];

export const jobs: Command = {
  name: 'jobs',
  usage: list.map(({ name }) => `jobs run ${name}`),
  about: `Runs now what a service runs by itself: ${list.map(({ name, about }) => `${name} ${about}`).join('; ')}.`,
  async run(args) {
    const { values, positionals } = readArgs(args, {}, 2);
    const job = list.find(({ name }) => name === positionals[1]);
    if (positionals[0] !== 'run' || !job) {
      throw new UsageError(`Call it as one of:\n${list.map(({ name }) => `  earmark jobs run ${name}`).join('\n')}`);
    }
    print(await withDatabase((tools) => job.run(tools)), values.json);
    return 0;
  },
};
