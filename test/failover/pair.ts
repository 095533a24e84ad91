// A primary with a standby, and a service that knows the addresses of both.
import { join } from 'node:path';
import { openDatabase } from '../../src/platform/db/sql.ts';
import { makeCustomers, openSandboxService } from '../crash/target.ts';
import { query } from '../support/database.ts';
import type { Env } from '../support/process.ts';
import { type Replica, startPrimary, startStandby } from '../support/replicated.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';

export type Pair = Awaited<ReturnType<typeof openPair>>;

/** Starts the servers and the service, which keeps checkpoints in `marks`. `synchronous`: a commit waits for the standby. */
export async function openPair(
  t: TestScope,
  folder: string,
  { synchronous, env = {}, primarySettings = {} }: { synchronous: boolean; env?: Env; primarySettings?: Record<string, string> },
) {
  const primary = await startPrimary(t, folder, primarySettings);
  const standby = await startStandby(t, primary, { name: 'standby', folder });
  if (synchronous) await setSynchronous(primary, 'standby');
  const databaseUrl = urlOfBoth(primary, standby);
  const dataDir = join(folder, 'data');
  const marks = join(folder, 'marks');
  const settings = { DATABASE_URL: databaseUrl, MODE: 'sandbox', CHECKPOINT_DIR: marks, ...env };
  const service = await openSandboxService(t, dataDir, settings);
  const database = openDatabase(databaseUrl, { max: 2, onError: () => {} });
  t.after(() => database.close());
  const customers = await makeCustomers(service.url, service.token);
  return {
    ...service,
    primary,
    standby,
    databaseUrl,
    dataDir,
    marks,
    settings,
    database,
    customers,
    accountId: service.sandbox.account_id,
  };
}

/** A URL of two servers, one of which takes writes. */
export function urlOfBoth(one: Replica, other: Replica): string {
  return `${one.url.replace(`:${one.port}/`, `:${one.port},127.0.0.1:${other.port}/`)}?target_session_attrs=read-write`;
}

/** Lets commits wait for a standby; for none with an empty name. */
export async function setSynchronous(primary: Replica, name: string): Promise<void> {
  await query(primary.url, `alter system set synchronous_standby_names = '${name}'`);
  await query(primary.url, 'select pg_reload_conf()');
  if (name === '') return;
  await waitUntil('the standby is synchronous', async () => {
    const [row] = await query<{ state: string }>(primary.url, 'select sync_state as state from pg_stat_replication');
    return row?.state === 'sync';
  });
}
