// Creates and deletes balance monitors.
import { bucketOf, newId } from '../../core/ids.ts';
import { type Amount, parseAmount } from '../../core/money/money.ts';
import { type Fault, invalid, refuse } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { findLabel, type Label } from '../labels/label.ts';
import { isBeyond } from './crossing.ts';
import { type Direction, type Monitor, type MonitorRequest, requireMonitor } from './monitor.ts';

const MONITORS_MAX = 20;

/**
 * Begins to follow the feed of an account, if nobody does. Call it before the transaction that creates a monitor, and committed: what
 * happens to the label after that transaction is then at a later position.
 */
export async function followFeed(sql: Sql, accountId: string): Promise<void> {
  await sql`
    insert into monitored_feed (account_id, position)
    values (${accountId}, coalesce((select position from event_head where account_id = ${accountId}), 0))
    on conflict do nothing`;
}

/**
 * Returns the id of the new monitor. An amount that is beyond the threshold already is not a crossing. Refuses with NotFound for a removed
 * label, and with ValidationError.
 */
export async function createMonitor(tx: Sql, labelId: string, request: MonitorRequest, now: Date): Promise<string> {
  const bucket = bucketOf(labelId);
  // Locked as post_transfers does, so that each later entry commits after the monitor, and its event is settled after it.
  await tx`select 1 from ledger_account where bucket = ${bucket} and id = ${labelId} for no key update`;
  const label = await findLabel(tx, labelId);
  if (!label || label.removed) throw refuse('labelNotFound');
  const { accountId, customerId, currency, version } = label;
  const { direction, threshold, rearm } = requireThresholds(label, request);
  const [count] = await tx<{ monitors: bigint }>`
    select count(*) as monitors from balance_monitor
    where bucket = ${bucket} and customer_id = ${customerId} and label_id = ${labelId} and deleted is null`;
  if (count!.monitors >= MONITORS_MAX) throw refuse('tooManyMonitors');
  const id = newId(bucket);
  const armed = !isBeyond({ direction, threshold }, label.balance);
  await tx`
    insert into balance_monitor (bucket, id, account_id, customer_id, label_id, currency, direction, threshold, rearm, armed, sequence, created)
    values (${bucket}, ${id}, ${accountId}, ${customerId}, ${labelId}, ${currency}, ${direction}, ${threshold}, ${rearm}, ${armed},
      ${version}, ${now})`;
  return id;
}

/** Deletes a monitor, which stays readable. Refuses with InvalidResourceState if it is deleted already. */
export async function deleteMonitor(tx: Sql, caller: { accountId: string }, id: string, now: Date): Promise<Monitor> {
  await requireMonitor(tx, caller, id);
  const deleted = await tx`
    update balance_monitor set deleted = ${now} where bucket = ${bucketOf(id)} and id = ${id} and deleted is null returning id`;
  const monitor = await requireMonitor(tx, caller, id);
  if (deleted.length === 0) throw refuse('monitorDeleted');
  return monitor;
}

type Thresholds = Pick<Monitor, 'direction' | 'threshold' | 'rearm'>;

function requireThresholds({ currency }: Label, { below, above, rearm }: MonitorRequest): Thresholds {
  const faults: Fault[] = [];
  const read = (amount: Amount, path: string) => readAmountIn(currency, amount, { path, faults });
  if (below === undefined && above === undefined)
    faults.push({ code: 'Required', message: 'A monitor must have below or above.', path: '/below' });
  if (below !== undefined && above !== undefined)
    faults.push({ code: 'NotAllowed', message: 'A monitor has either below or above.', path: '/above' });
  const direction: Direction = below === undefined ? 'above' : 'below';
  const threshold = (below ?? above) ? read((below ?? above)!, `/${direction}`) : 0n;
  const rearmAt = rearm === undefined ? threshold : read(rearm, '/rearm');
  if (faults.length === 0) {
    if (direction === 'below' && threshold === 0n)
      faults.push({ code: 'Invalid', message: 'No amount is below zero.', path: '/below/value' });
    const wrongSide = direction === 'below' ? rearmAt < threshold : rearmAt > threshold;
    if (wrongSide) {
      const message = `Rearm must be ${direction === 'below' ? 'at least' : 'at most'} the threshold.`;
      faults.push({ code: 'Invalid', message, path: '/rearm/value' });
    }
  }
  const [first, ...rest] = faults;
  if (first) throw invalid(first, ...rest);
  return { direction, threshold, rearm: rearmAt };
}

function readAmountIn(currency: string, amount: Amount, { path, faults }: { path: string; faults: Fault[] }): bigint {
  const parsed = parseAmount(amount);
  if ('code' in parsed) {
    faults.push({ code: parsed.code, message: parsed.message, path: `${path}/${parsed.member}` });
    return 0n;
  }
  if (amount.currency !== currency)
    faults.push({ code: 'Invalid', message: 'Currency must be that of the label.', path: `${path}/currency` });
  return parsed.minorUnits;
}
