// `earmark application create|rotate|disable|enable`: the OAuth clients of an account.
import { findAccount } from '../accounts/account.ts';
import { isId } from '../ids.ts';
import {
  createApplication,
  disableApplication,
  enableApplication,
  rotateSecret,
  SCOPES,
  type Scope,
} from '../oauth/application.ts';
import { CallError, command, UsageError } from './command.ts';
import { print } from './output.ts';
import { openSealerOf, withDatabase } from './with-database.ts';

const DEFAULT_OVERLAP_HOURS = '24';
const MAX_OVERLAP_HOURS = 24 * 90;

const CLIENT = { name: 'CLIENT_ID', about: 'the client_id of the application' } as const;

const createCommand = command({
  name: 'application create',
  about: 'Makes an application, the OAuth client of an account, and prints its secret this once.',
  options: {
    account: { value: 'ID', about: 'the account that it acts for', required: true },
    name: { value: 'NAME', about: 'what it is called', required: true },
    scope: { value: 'SCOPE', about: 'what its tokens may do', values: SCOPES, multiple: true, required: true },
  },
  examples: ['earmark application create --account 01890000-0000-7000-8000-000000000000 --name backend --scope "read write"'],
  run: async ({ options, json }) => create(options, json),
});

const rotateCommand = command({
  name: 'application rotate',
  about: 'Gives an application a second secret while the first still works for a while, so that no call fails.',
  words: [CLIENT],
  options: {
    'overlap-hours': {
      value: 'HOURS',
      about: `until the first ends, 0 to ${MAX_OVERLAP_HOURS}`,
      fallback: DEFAULT_OVERLAP_HOURS,
    },
  },
  examples: [
    'earmark application rotate 01890000-0000-7000-8000-000000000000',
    'earmark application rotate 01890000-0000-7000-8000-000000000000 --overlap-hours 0',
  ],
  run: async ({ words: [clientId], options, json }) => rotate(known(clientId), options['overlap-hours'], json),
});

const disableCommand = command({
  name: 'application disable',
  about: 'Ends an application and its tokens, until it is enabled again.',
  words: [CLIENT],
  examples: ['earmark application disable 01890000-0000-7000-8000-000000000000'],
  run: async ({ words: [clientId], json }) => disable(known(clientId), json),
});

const enableCommand = command({
  name: 'application enable',
  about: 'Lets a disabled application in again, with its secrets and the tokens that have not expired.',
  words: [CLIENT],
  examples: ['earmark application enable 01890000-0000-7000-8000-000000000000'],
  run: async ({ words: [clientId], json }) => enable(known(clientId), json),
});

export const application = [createCommand, rotateCommand, disableCommand, enableCommand];

function known(clientId: string): string {
  if (!isId(clientId)) throw new UsageError(`There is no application ${clientId}.`);
  return clientId;
}

async function create(wanted: { account: string; name: string; scope: string[] }, json: boolean): Promise<number> {
  const { account: accountId, name, scope } = wanted;
  const made = await withDatabase(async (tools) => {
    const { database } = tools;
    if (!isId(accountId) || !(await findAccount(database.sql, accountId)))
      throw new UsageError(`There is no account ${accountId}.`);
    const sealer = await openSealerOf(tools);
    return database.transaction((tx) =>
      createApplication(tx, sealer, { accountId, name: name.trim(), scopes: scope as Scope[] }),
    );
  });
  print({ account_id: accountId, client_id: made.client_id, client_secret: made.client_secret }, json);
  return 0;
}

async function rotate(clientId: string, given = DEFAULT_OVERLAP_HOURS, json = false): Promise<number> {
  const hours = /^[0-9]+(\.[0-9]+)?$/.test(given) ? Number(given) : Number.NaN;
  if (!(hours <= MAX_OVERLAP_HOURS)) throw new CallError(`--overlap-hours takes a number from 0 to ${MAX_OVERLAP_HOURS}.`);
  const secret = await withDatabase(async (tools) => {
    const sealer = await openSealerOf(tools);
    return tools.database.transaction((tx) => rotateSecret(tx, sealer, clientId, { overlapMs: hours * 3_600_000 }));
  });
  if (!secret) throw new UsageError(`There is no application ${clientId}.`);
  print(
    { client_id: clientId, client_secret: secret, older_secret_ends: new Date(Date.now() + hours * 3_600_000).toISOString() },
    json,
  );
  return 0;
}

async function disable(clientId: string, json: boolean): Promise<number> {
  const known = await withDatabase(({ database }) => database.transaction((tx) => disableApplication(tx, clientId)));
  if (!known) throw new UsageError(`There is no application ${clientId}.`);
  print({ client_id: clientId, disabled: true }, json);
  return 0;
}

async function enable(clientId: string, json: boolean): Promise<number> {
  const known = await withDatabase(({ database }) => database.transaction((tx) => enableApplication(tx, clientId)));
  if (!known) throw new UsageError(`There is no application ${clientId}.`);
  print({ client_id: clientId, disabled: false }, json);
  return 0;
}
