// The mode of a database: an empty one takes that of its first start, and no process serves it in another one afterwards.
import type { Mode } from '../config.ts';
import { ConnectError } from './connect.ts';
import { openDatabase, type Sql } from './sql.ts';

/** The mode of a migrated database, or undefined while none is stored. */
export async function findMode(sql: Sql): Promise<Mode | undefined> {
  const [row] = await sql<{ mode: Mode }>`select mode from installation`;
  return row?.mode;
}

/** Stores the mode of an empty database. Returns the mode it has. Throws a ConnectError where there are accounts without a mode. */
export async function chooseMode(sql: Sql, wanted: Mode): Promise<Mode> {
  // Another process may do the same at once: the first one decides.
  await sql`
    insert into installation (mode) select ${wanted} where not exists (select from account)
    on conflict do nothing`;
  const mode = await findMode(sql);
  if (mode) return mode;
  throw new ConnectError(
    'The database has accounts, but does not say whether they are sandbox or production. Restore a backup that says so.',
  );
}

/** Throws a ConnectError unless a migrated database may be served in a mode. An empty one takes it. */
export async function requireMode(databaseUrl: string, wanted: Mode): Promise<void> {
  const { sql, close } = openDatabase(databaseUrl, { max: 1, onError: () => {} });
  const mode = await chooseMode(sql, wanted).finally(close);
  if (mode === wanted) return;
  throw new ConnectError(`This is a ${mode} database, and MODE is ${wanted}. Set MODE=${mode}, or name another database.`);
}
