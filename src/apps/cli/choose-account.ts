// The account that --account names, for commands about one account.
import type { Sql } from '../../platform/db/sql.ts';
import { listAccounts } from '../../resources/accounts/account.ts';
import { UsageError } from './command.ts';

/** Returns the account with this id, or the only one. */
export async function chooseAccount({ sql }: { sql: Sql }, given: string | undefined): Promise<string> {
  const accounts = await listAccounts(sql);
  const [only, ...others] = accounts;
  if (given === undefined) {
    if (!only) throw new UsageError('There is no account.');
    if (others.length > 0)
      throw new UsageError('There are several accounts: name one with --account. `earmark account list` lists them.');
    return only.id;
  }
  if (!accounts.some(({ id }) => id === given)) throw new UsageError(`There is no account ${given}.`);
  return given;
}
