// The database for a command: connected, brought to the schema it needs, and let go afterwards.
import { type Config, readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { type Database, openDatabase } from '../db/sql.ts';
import { chooseSigner, ensureSigningKey, hasSigningKey, listNewSigningKeys } from '../oauth/signing-key.ts';
import { loadKeys, loadOrMakeKey, openSealer, type Sealer } from '../sealing.ts';
import { cleaningUp } from './command.ts';

export type Tools = { config: Config; database: Database; databaseUrl: string };

const CONNECTIONS = 1;

/**
 * Runs work on the configured database, beside a running service or alone. What only reads changes no schema either, and names
 * `requireMigrated` for `prepare`, or what does nothing.
 */
export async function withDatabase<T>(
  work: (tools: Tools) => Promise<T>,
  prepare: (databaseUrl: string) => Promise<unknown> = migrate,
): Promise<T> {
  const config = readConfig();
  const connection = await connectCommand(config);
  return cleaningUp(async () => {
    await prepare(connection.url);
    const database = openDatabase(connection.url, { max: CONNECTIONS, onError: () => {} });
    try {
      return await work({ config, database, databaseUrl: connection.url });
    } finally {
      await database.close();
    }
  }, connection.stop);
}

/** The sealer of a database. Throws a KeyError when the encryption keys here are not those the service works with. */
export async function openSealerOf({ config, database }: Pick<Tools, 'config' | 'database'>): Promise<Sealer> {
  const sealer = openSealer(await keysOf({ config, database }));
  await ensureSigningKey(database, sealer);
  chooseSigner(await listNewSigningKeys(database.sql, sealer, new Date(0)), Date.now());
  return sealer;
}

/** The encryption keys of a database. One is made only where nothing is sealed yet: elsewhere a missing key is a mistyped DATA_DIR. */
export async function keysOf({ config, database }: Pick<Tools, 'config' | 'database'>): Promise<Buffer[]> {
  if (config.encryptionKeys.length > 0) return config.encryptionKeys;
  return (await hasSigningKey(database.sql)) ? loadKeys(config.dataDir) : loadOrMakeKey(config.dataDir);
}
