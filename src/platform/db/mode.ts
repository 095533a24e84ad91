// The mode of a database, sandbox or production: set by its first start and fixed afterwards.
import type { Mode } from '../config/config.ts';
import { ConnectError } from './connect.ts';
import { openDatabase, type Sql } from './sql.ts';

/** Returns the mode of a migrated database, or undefined while none is stored. */
export async function findMode(sql: Sql): Promise<Mode | undefined> {
  const [row] = await sql<{ mode: Mode }>`select mode from installation`;
  return row?.mode;
}

/** Stores the mode if the database is empty, and returns its mode. Throws a ConnectError when it has accounts but no mode. */
export async function chooseMode(sql: Sql, wanted: Mode): Promise<Mode> {
  // Of two concurrent processes the first one decides.
  await sql`
    insert into installation (mode) select ${wanted} where not exists (select from account)
    on conflict do nothing`;
  const mode = await findMode(sql);
  if (mode) return mode;
  throw new ConnectError(
    'The database has accounts, but its mode (sandbox or production) is missing. Restore a backup that contains it.',
  );
}

/** Throws a ConnectError unless a migrated database has this mode. Sets the mode of an empty one. */
export async function requireMode(databaseUrl: string, wanted: Mode): Promise<void> {
  const { sql, close } = openDatabase(databaseUrl, { max: 1, onError: () => {} });
  const mode = await chooseMode(sql, wanted).finally(close);
  if (mode === wanted) return;
  throw new ConnectError(`This is a ${mode} database, and MODE is ${wanted}. Set MODE=${mode}, or name another database.`);
}
