// `earmark migrate`: brings the database to this version's schema.
import { readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { migrate as migrateDatabase } from '../db/migrate.ts';
import { cleaningUp, command } from './command.ts';
import { print } from './output.ts';

export const migrate = command({
  name: 'migrate',
  about: 'Brings the database to the schema of this version; `serve` does the same at its start.',
  examples: ['earmark migrate', 'DATABASE_URL=postgres://user:password@host/earmark earmark migrate'],
  async run({ json }) {
    const connection = await connectCommand(readConfig());
    const applied = await cleaningUp(() => migrateDatabase(connection.url), connection.stop);
    print({ applied: json ? applied : applied.join(', ') || 'nothing; the schema is up to date' }, json);
    return 0;
  },
});
