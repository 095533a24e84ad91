// Opens lanes for a command that records money, beside the services that may run: it is posted as they post it.
import type { Clock } from '../../core/clock.ts';
import { instrumentLanes } from '../../ledger/transfers/instrumentation.ts';
import { type Lanes, openLanes } from '../../ledger/transfers/lane.ts';
import { followCommits } from '../../platform/db/commits.ts';
import { findPlacement } from '../../platform/db/find-placement.ts';
import type { Groups } from '../../platform/db/groups.ts';
import { openLog } from '../../platform/telemetry/log.ts';
import { openMetrics } from '../../platform/telemetry/metrics.ts';
import type { Tools } from './with-database.ts';

/** One lane is enough for a command that posts one transfer after the other. On a cluster there is one for each group. */
const LANES = 1;

export async function withLanes<T>(
  { config, database, databaseUrl }: Tools,
  clock: Clock,
  work: (opened: { lanes: Lanes; groups: Groups }) => Promise<T>,
): Promise<T> {
  const log = openLog('warn', process.stderr);
  const onError = (error: Error) => log.warn({ err: error }, 'database connection lost');
  const { openGroups } = await findPlacement(database.sql);
  const groups = await openGroups({ databaseUrl, lanes: LANES, log, onError });
  try {
    const instrumentation = instrumentLanes(openMetrics(), undefined);
    const lanes = openLanes({ clock, commits: followCommits(), instrumentation }, groups, config);
    return await work({ lanes, groups });
  } finally {
    await groups.close();
  }
}
