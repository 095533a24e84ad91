// Deletes what has expired after an account's clock was advanced, and starts checks that became due.
import { retryDeadlocks } from '../db/sql.ts';
import { settleEvents } from '../events/feed.ts';
import { keysSince, pruneKeys } from '../idempotency/store.ts';
import type { Service } from '../service.ts';
import { buildLog } from '../transparency-log/build.ts';
import { pruneAccount } from '../webhooks/prune.ts';

const DAY_MS = 24 * 3_600_000;

/** Follows the account's clock; the housekeeping jobs use the service's clock. Refresh the sandbox tools first. */
export async function expire(service: Service, accountId: string): Promise<void> {
  await retryDeadlocks(() => pruneExpired(service, accountId));
  service.documents.wake();
}

async function pruneExpired(service: Service, accountId: string): Promise<void> {
  const { config, database, clock } = service;
  await pruneKeys(database.sql, { before: keysSince(service, accountId), accountId });
  await settleEvents(database.sql);
  // Events are deleted only when the log has them.
  await buildLog(service, accountId);
  await pruneAccount(database.sql, accountId, new Date(clock.now(accountId).getTime() - config.eventRetentionDays * DAY_MS));
}
