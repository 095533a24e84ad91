// Announces the checkpoint of a log once a day in an event, so that third parties hold what was promised.
import type { Sql } from '../../platform/db/sql.ts';
import { writeAccountEvent } from '../feed/event.ts';
import type { Log } from './transparency-log.ts';

export const ANNOUNCED_EVERY_MS = 24 * 3_600_000;

/** Whether a log has grown by more than the event of its newest announcement. */
function hasNews({ size, announcedSize }: Pick<Log, 'size' | 'announcedSize'>): boolean {
  return size > announcedSize + 1;
}

/** Call in a transaction that locks the log. `now`: by the clock of the account. Does nothing until a day after the newest announcement. */
export async function announceCheckpoint(tx: Sql, log: Log, now: Date): Promise<void> {
  const { accountId, size, announced, checkpoint } = log;
  if (!hasNews(log) || now.getTime() - announced.getTime() < ANNOUNCED_EVERY_MS) return;
  const eventId = await writeAccountEvent(tx, { accountId, topic: 'account_checkpoint_created' }, now);
  await tx`insert into log_announcement (account_id, event_id, checkpoint) values (${accountId}, ${eventId}, ${checkpoint})`;
  await tx`update transparency_log set announced = ${now}, announced_size = ${size} where account_id = ${accountId}`;
}
