// Runs the work of a command with a database connection and the required schema.
import { type Config, readConfig } from '../../platform/config/config.ts';
import { connectCommand } from '../../platform/db/connect.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { type Database, openDatabase } from '../../platform/db/sql.ts';
import { openSealer, type Sealer } from '../../platform/keys/sealing.ts';
import { chooseSigner, ensureSigningKey, listNewSigningKeys } from '../../resources/oauth/signing-key.ts';
import { findKeys } from '../service/runtime.ts';
import { cleaningUp } from './command.ts';

export type Tools = { config: Config; database: Database; databaseUrl: string };

/** The second one is opened only while the first one holds a lock for what it does. */
const CONNECTIONS = 2;

/**
 * Runs work on the configured database, with or without a running service. `prepare` brings the database to the required schema:
 * read-only commands pass `requireMigrated`, or a function that does nothing, so that they do not migrate. `asOwner`: not with the rights
 * of a service.
 */
export async function withDatabase<T>(
  work: (tools: Tools) => Promise<T>,
  prepare: (ownerUrl: string) => Promise<unknown> = migrate,
  { asOwner = false } = {},
): Promise<T> {
  const config = readConfig();
  const connection = await connectCommand(config);
  return cleaningUp(async () => {
    await prepare(connection.ownerUrl);
    const databaseUrl = asOwner ? connection.ownerUrl : connection.url;
    const database = openDatabase(databaseUrl, { max: CONNECTIONS, onError: () => {} });
    try {
      return await work({ config, database, databaseUrl });
    } finally {
      await database.close();
    }
  }, connection.stop);
}

/** Opens the sealer of a database. Throws a KeyError when the available encryption keys are not those of the service. */
export async function openSealerOf({ config, database }: Pick<Tools, 'config' | 'database'>): Promise<Sealer> {
  const sealer = openSealer(await findKeys({ config, database }));
  await ensureSigningKey(database, sealer);
  chooseSigner(await listNewSigningKeys(database.sql, sealer, new Date(0)), Date.now());
  return sealer;
}
