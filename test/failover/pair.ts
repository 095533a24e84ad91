// A primary with a standby, and a service that knows the addresses of both.
import { query } from '../support/database.ts';
import type { Env } from '../support/process.ts';
import { type Replica, startPrimary, startStandby } from '../support/replicated.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import { openServed } from './served.ts';

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
  return { ...(await openServed(t, folder, databaseUrl, env)), primary, standby };
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
