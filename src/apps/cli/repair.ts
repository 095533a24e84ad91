// `earmark repair events`: recreates what is missing from the feed.
import { requireMigrated } from '../../platform/db/migrate.ts';
import { repairEvents } from '../service/ledger-check.ts';
import { print } from './output.ts';
import { withDatabase } from './with-database.ts';

export async function repair({ options: { plan }, json }: { options: { plan: boolean }; json: boolean }): Promise<number> {
  print(await withDatabase(({ database }) => repairEvents(database, { countOnly: plan }), requireMigrated), json);
  return 0;
}
