// `earmark schedules list|pause|resume`: what runs next, what is late, and keeping a schedule from running.
import { bucketOf, isId } from '../../core/ids.ts';
import { formatAmount } from '../../core/money/money.ts';
import { writeAudit } from '../../ledger/audit/audit.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { changeSchedule } from '../../resources/schedules/change.ts';
import { listOfAll, requireSchedule } from '../../resources/schedules/schedule.ts';
import { accountTime } from './account-time.ts';
import { commandLineActor } from './actor.ts';
import { LISTED_SCHEDULES_MAX } from './bounds.ts';
import { asUsageError } from './change.ts';
import { CallError, UsageError } from './command.ts';
import { print, printTable } from './output.ts';
import { withDatabase } from './with-database.ts';

type ListCall = { options: { late: boolean; paused: boolean }; json: boolean };
type ChangeCall = { words: readonly [id: string]; json: boolean };
type Shown = Awaited<ReturnType<typeof requireSchedule>>;

export async function list({ options: { late, paused }, json }: ListCall): Promise<number> {
  if (late && paused) throw new CallError('A paused schedule is never late: give --late or --paused.');
  const schedules = await withDatabase(async ({ database: { sql } }) => {
    const isLateAt = late ? new Date() : undefined;
    const found = await listOfAll(sql, { status: paused ? 'paused' : 'active', isLateAt, limit: LISTED_SCHEDULES_MAX });
    return Promise.all(found.map(({ id, accountId }) => requireSchedule(sql, { accountId }, id)));
  }, requireMigrated);
  const rows = schedules.map(rowOf);
  if (json) print({ schedules: rows }, true);
  else printTable(rows, late ? 'No schedule is late.' : paused ? 'No schedule is paused.' : 'No schedule is active.');
  return 0;
}

function rowOf({ id, customerId, amountKind, amount, currency, rule, status, next, lastStatus, lastReason, lastAt }: Shown) {
  const value = amount === null ? '' : ` ${formatAmount(amount, currency).value}`;
  return {
    schedule_id: id,
    customer_id: customerId,
    amount: `${amountKind}${value} ${currency}`,
    rule,
    status,
    next: next?.toISOString() ?? '',
    last: lastAt?.toISOString() ?? '',
    last_result: [lastStatus, lastReason].filter((part) => part !== null).join(' '),
  };
}

export async function pause({ words: [id], json }: ChangeCall): Promise<number> {
  return setPaused(id, { paused: true, json });
}

export async function resume({ words: [id], json }: ChangeCall): Promise<number> {
  return setPaused(id, { paused: false, json });
}

/** Does what the API does, and writes who did it. */
async function setPaused(id: string, { paused, json }: { paused: boolean; json: boolean }): Promise<number> {
  const schedule = await withDatabase(({ database }) =>
    database.transaction(async (tx) => {
      const [found] = isId(id)
        ? await tx<{ accountId: string }>`select account_id from schedule where bucket = ${bucketOf(id)} and id = ${id}`
        : [];
      if (!found) throw new UsageError(`There is no schedule ${id}.`);
      const now = await accountTime(tx, found.accountId);
      await changeSchedule(tx, found, id, { change: { paused }, now }).catch(asUsageError);
      const action = paused ? 'pause_schedule' : 'resume_schedule';
      await writeAudit(tx, commandLineActor(), { action, resource: { type: 'schedule', id } });
      return requireSchedule(tx, found, id);
    }),
  );
  print(rowOf(schedule), json);
  return 0;
}
