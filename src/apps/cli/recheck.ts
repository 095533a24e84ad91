// `earmark documents recheck`: repeats checks, and explains which documents would be decided otherwise now.
import { systemClock } from '../../core/clock.ts';
import { readConfig } from '../../platform/config/config.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { findMode } from '../../platform/db/mode.ts';
import { openLog } from '../../platform/telemetry/log.ts';
import { openMetrics } from '../../platform/telemetry/metrics.ts';
import { openReader } from '../../resources/documents/checking/reader.ts';
import { type Rechecked, recheckDocuments } from '../../resources/documents/checking/recheck.ts';
import { openStores } from '../../resources/documents/store/store.ts';
import { CallError } from './command.ts';
import { print, printTable, printText } from './output.ts';
import { openSealerOf, withDatabase } from './with-database.ts';

type Call = { options: { since: string; 'dry-run': boolean }; json: boolean };

export async function recheck({ options: { since, 'dry-run': isDryRun }, json }: Call): Promise<number> {
  const from = new Date(`${since}T00:00:00Z`);
  if (Number.isNaN(from.getTime())) throw new CallError('Name the first day with --since YYYY-MM-DD.');
  const checked = await withDatabase(async (tools) => {
    const mode = await findMode(tools.database.sql);
    const config = readConfig(mode && { MODE: mode });
    const parts = {
      ...{ config, database: tools.database, stores: openStores(config, tools.database), clock: systemClock },
      ...{ sealer: await openSealerOf(tools), log: openLog('error', process.stderr), metrics: openMetrics() },
    };
    const reader = openReader(parts);
    const found: Rechecked[] = [];
    try {
      for await (const one of recheckDocuments(parts, [reader], { since: from, isDryRun })) found.push(one);
    } finally {
      reader.close?.();
    }
    return found;
  }, requireMigrated);
  const rows = checked.filter(isDifferent).map(({ documentId, status, before, after, versions }) => ({
    ...{ document_id: documentId, status, level_before: before.level, level_now: after.level },
    ...{ decision_before: before.decision, decision_now: after.decision },
    ...{ policy_before: before.policy, policy_now: after.policy },
    ...{ hints_before: before.hints.join(','), hints_now: after.hints.join(','), versions: versions.join(',') },
  }));
  if (json) print({ checked: checked.length, differ: rows }, true);
  else {
    printTable(rows, 'No document would be decided otherwise, or has other hints.');
    printText(`\n${checked.length} documents checked again, ${rows.length} differ.\n`);
  }
  return 0;
}

function isDifferent({ before, after }: Rechecked): boolean {
  const isSame = before.level === after.level && before.decision === after.decision;
  return !isSame || before.hints.join() !== after.hints.join();
}
