// `earmark account create`: makes an account, which owns customers and applications.
import { createAccount } from '../accounts/account.ts';
import { chooseMode } from '../db/mode.ts';
import { command } from './command.ts';
import { print } from './output.ts';
import { withDatabase } from './with-database.ts';

const create = command({
  name: 'account create',
  about: 'Makes an account, which owns customers and applications.',
  words: [{ name: 'NAME', about: 'what the account is called' }],
  examples: ["earmark account create 'My platform'"],
  async run({ words: [name], json }) {
    const account = await withDatabase(async ({ database, config }) => {
      // The first account of a database may come before its first start.
      await chooseMode(database.sql, config.mode);
      return createAccount(database.sql, name.trim());
    });
    print({ account_id: account.id, name: account.name, created: account.created.toISOString() }, json);
    return 0;
  },
});

export const account = [create];
