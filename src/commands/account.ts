// `earmark account create`: makes an account, which owns customers and applications.
import { createAccount } from '../accounts/account.ts';
import { type Command, print, readArgs, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

export const account: Command = {
  name: 'account',
  usage: ['account create NAME'],
  about: 'Makes an account, which owns customers and applications.',
  async run(args) {
    const { values, positionals } = readArgs(args, {}, 2);
    const [verb, name] = positionals;
    if (verb !== 'create' || !name?.trim()) throw new UsageError('Call it as: earmark account create NAME');
    const account = await withDatabase(({ database }) => createAccount(database.sql, name.trim()));
    print({ account_id: account.id, name: account.name, created: account.created.toISOString() }, values.json);
    return 0;
  },
};
