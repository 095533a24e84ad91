// `earmark migrate`: brings the database to this version's schema.
import { readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { migrate as migrateDatabase } from '../db/migrate.ts';
import { type Command, cleaningUp, print, readArgs } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  usage: ['migrate'],
  about: 'Brings the database to the schema of this version; `serve` does the same at its start.',
  async run(args) {
    const { values } = readArgs(args, {});
    const connection = await connectCommand(readConfig());
    const applied = await cleaningUp(() => migrateDatabase(connection.url), connection.stop);
    print({ applied: values.json ? applied : applied.join(', ') || 'nothing; the schema is up to date' }, values.json);
    return 0;
  },
};
