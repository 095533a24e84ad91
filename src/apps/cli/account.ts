// `earmark account create|list`: creates and lists accounts, which own customers and applications.
import { writeAudit } from '../../ledger/audit/audit.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { chooseMode } from '../../platform/db/mode.ts';
import { createAccount, listAccounts } from '../../resources/accounts/account.ts';
import { commandLineActor } from './actor.ts';
import { readName } from './name.ts';
import { print, printTable } from './output.ts';
import { withDatabase } from './with-database.ts';

export async function create({ words: [given], json }: { words: readonly [name: string]; json: boolean }): Promise<number> {
  const name = readName('NAME', given);
  const account = await withDatabase(async ({ database, config }) => {
    // The first account may be created before the first start of the service sets the mode.
    await chooseMode(database.sql, config.mode);
    return database.transaction(async (tx) => {
      const made = await createAccount(tx, name);
      await writeAudit(tx, commandLineActor(), {
        action: 'create_account',
        resource: { type: 'account', id: made.id },
        detail: { name },
      });
      return made;
    });
  });
  print({ account_id: account.id, name: account.name, created: account.created.toISOString() }, json);
  return 0;
}

export async function list({ json }: { json: boolean }): Promise<number> {
  const listed = await withDatabase(({ database }) => listAccounts(database.sql), requireMigrated);
  const accounts = listed.map(({ id, name, created, applications }) => ({
    account_id: id,
    created: created.toISOString(),
    applications,
    name,
  }));
  if (json) print({ accounts }, true);
  else printTable(accounts, 'There is no account.');
  return 0;
}
