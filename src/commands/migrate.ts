// `earmark migrate`: migrates the database to the schema of this version.
import { readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { migrate as migrateDatabase, planMigrations } from '../db/migrate.ts';
import { cleaningUp } from './command.ts';
import { print, printTable } from './output.ts';

export async function migrate({ options, json }: { options: { plan: boolean }; json: boolean }): Promise<number> {
  const connection = await connectCommand(readConfig(), { create: !options.plan });
  if (options.plan) {
    const pending = await cleaningUp(() => planMigrations(connection.url), connection.stop);
    if (json) print({ pending }, true);
    else printTable(pending, 'Nothing is pending; the schema is up to date.');
    return 0;
  }
  const applied = await cleaningUp(() => migrateDatabase(connection.url), connection.stop);
  print({ applied: json ? applied : applied.join(', ') || 'nothing; the schema is up to date' }, json);
  return 0;
}
