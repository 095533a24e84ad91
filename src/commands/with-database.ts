// The database for a command: connected, migrated, and let go afterwards.
import { type Config, readConfig } from '../config.ts';
import { connectCommand } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { type Database, openDatabase } from '../db/sql.ts';
import { loadOrMakeKey, openSealer, type Sealer } from '../sealing.ts';

type Tools = { config: Config; database: Database; sealer: Sealer };

const CONNECTIONS = 1;

/** Runs work on the configured database, beside a running service or alone. */
export async function withDatabase<T>(work: (tools: Tools) => Promise<T>): Promise<T> {
  const config = readConfig();
  const connection = await connectCommand(config);
  try {
    await migrate(connection.url);
    const keys = config.encryptionKeys.length > 0 ? config.encryptionKeys : await loadOrMakeKey(config.dataDir);
    const database = openDatabase(connection.url, { max: CONNECTIONS, onError: () => {} });
    try {
      return await work({ config, database, sealer: openSealer(keys) });
    } finally {
      await database.close();
    }
  } finally {
    await connection.stop();
  }
}
