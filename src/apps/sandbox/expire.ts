// Deletes and ends what has expired after an account's clock was advanced, and runs what became due.
import { settleEvents } from '../../ledger/feed/feed.ts';
import { buildLog } from '../../ledger/log/build.ts';
import { retryDeadlocks } from '../../platform/db/sql.ts';
import { keysSince, pruneKeys } from '../../platform/idempotency/store.ts';
import { evaluateAccount } from '../../resources/balance-monitors/evaluate.ts';
import { expireHolds } from '../../resources/holds/expire.ts';
import { runSchedules } from '../../resources/schedules/due.ts';
import { pruneAccount } from '../../resources/webhooks/prune.ts';
import type { Service } from '../service/service.ts';

const DAY_MS = 24 * 3_600_000;

/** Follows the account's clock; the housekeeping jobs use the service's clock. Refresh the sandbox tools first. */
export async function expire(service: Service, accountId: string): Promise<void> {
  await retryDeadlocks(() => pruneExpired(service, accountId));
  service.documents.wake();
}

async function pruneExpired(service: Service, accountId: string): Promise<void> {
  const { config, database, clock, log } = service;
  while (await expireHolds(service, accountId));
  await runSchedules(service, { accountId, onError: (error) => log.error({ err: error }, 'schedules cannot run') });
  await pruneKeys(database.sql, { before: keysSince(service, accountId), accountId });
  await settleEvents(database.sql);
  // Events are deleted only when the log has them, and monitors are evaluated.
  await buildLog(service, accountId);
  await evaluateAccount(service, accountId);
  await pruneAccount(database.sql, accountId, new Date(clock.now(accountId).getTime() - config.eventRetentionDays * DAY_MS));
}
