// `earmark migrate`: migrates the database to the schema of this version.
import { GROUPS } from '../../core/ids.ts';
import { type Config, readConfig } from '../../platform/config/config.ts';
import { connectCommand } from '../../platform/db/connect.ts';
import { migrate as migrateDatabase, planMigrations } from '../../platform/db/migrate.ts';
import { CallError, cleaningUp } from './command.ts';
import { print, printTable } from './output.ts';

type Options = { plan: boolean; groups: string | undefined };

export async function migrate({ options, json }: { options: Options; json: boolean }): Promise<number> {
  if (options.plan && options.groups !== undefined) throw new CallError('--groups cannot be combined with --plan.');
  const config = readConfig();
  const groups = readGroups(options.groups, config);
  const connection = await connectCommand(config, { create: !options.plan });
  if (options.plan) {
    const pending = await cleaningUp(() => planMigrations(connection.ownerUrl), connection.stop);
    if (json) print({ pending }, true);
    else printTable(pending, 'Nothing is pending; the schema is up to date.');
    return 0;
  }
  const applied = await cleaningUp(() => migrateDatabase(connection.ownerUrl, { groups }), connection.stop);
  print({ applied: json ? applied : applied.join(', ') || 'nothing; the schema is up to date' }, json);
  return 0;
}

/** Reads the value of `--groups`. */
export function readGroups(text: string | undefined, { databaseUrl }: Pick<Config, 'databaseUrl'>): number | undefined {
  if (text === undefined) return undefined;
  const { min, max } = GROUPS;
  const groups = /^[0-9]{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(groups >= min && groups <= max)) throw new CallError(`--groups must be an integer from ${min} to ${max}.`);
  if (!databaseUrl) throw new CallError('--groups needs DATABASE_URL: the embedded server is not a cluster.');
  return groups;
}
