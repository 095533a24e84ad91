// `earmark migrate`: brings the database to this version's schema.
import { readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { migrate as migrateDatabase, planMigrations } from '../db/migrate.ts';
import { cleaningUp, command } from './command.ts';
import { print, printTable } from './output.ts';

export const migrate = command({
  name: 'migrate',
  about: 'Brings the database to the schema of this version; `serve` does the same at its start.',
  options: { plan: { about: 'shows what it would apply, and changes nothing' } },
  examples: ['earmark migrate', 'earmark migrate --plan', 'DATABASE_URL=postgres://user:password@host/earmark earmark migrate'],
  async run({ options, json }) {
    const connection = await connectCommand(readConfig());
    if (options.plan) {
      const pending = await cleaningUp(() => planMigrations(connection.url), connection.stop);
      if (json) print({ pending }, true);
      else printTable(pending, 'Nothing is pending; the schema is up to date.');
      return 0;
    }
    const applied = await cleaningUp(() => migrateDatabase(connection.url), connection.stop);
    print({ applied: json ? applied : applied.join(', ') || 'nothing; the schema is up to date' }, json);
    return 0;
  },
});
