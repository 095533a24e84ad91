// `earmark application create|rotate|disable`: the OAuth clients of an account.
import { findAccount } from '../accounts/account.ts';
import { isId } from '../ids.ts';
import { createApplication, disableApplication, rotateSecret, SCOPES, type Scope } from '../oauth/application.ts';
import { type Command, print, readArgs, UsageError } from './command.ts';
import { openSealerOf, withDatabase } from './with-database.ts';

const usage = [
  'application create --account ID --name NAME --scope "read write"',
  'application rotate CLIENT_ID [--overlap-hours 24]',
  'application disable CLIENT_ID',
];

const options = {
  account: { type: 'string' },
  name: { type: 'string' },
  scope: { type: 'string' },
  'overlap-hours': { type: 'string' },
} as const;

const DEFAULT_OVERLAP_HOURS = '24';
const MAX_OVERLAP_HOURS = 24 * 90;

type Values = {
  account?: string | undefined;
  name?: string | undefined;
  scope?: string | undefined;
  'overlap-hours'?: string | undefined;
  json?: boolean | undefined;
};

export const application: Command = {
  name: 'application',
  usage,
  about: `Makes a client with its secret, gives it a second one while the first still works, or ends it. Scopes: ${SCOPES.join(', ')}.`,
  async run(args) {
    const { values, positionals } = readArgs(args, options, 2);
    const [verb, clientId] = positionals;
    if (verb === 'create' && clientId === undefined) return create(values);
    if ((verb !== 'rotate' && verb !== 'disable') || !clientId) {
      throw new UsageError(`Call it as one of:\n${usage.map((line) => `  earmark ${line}`).join('\n')}`);
    }
    if (!isId(clientId)) throw new UsageError(`There is no application ${clientId}.`);
    return verb === 'rotate' ? rotate(clientId, values) : disable(clientId, values);
  },
};

async function create(values: Values): Promise<number> {
  const { account: accountId, name, scope } = values;
  if (!accountId || !name?.trim() || !scope) throw new UsageError('application create needs --account, --name and --scope.');
  const scopes = [...new Set(scope.split(/[\s,]+/).filter((word) => word !== ''))];
  const unknown = scopes.find((word) => !SCOPES.includes(word as Scope));
  if (unknown || scopes.length === 0)
    throw new UsageError(`--scope takes words of: ${SCOPES.join(' ')}${unknown ? `; not ${unknown}` : ''}.`);
  const made = await withDatabase(async (tools) => {
    const { database } = tools;
    if (!isId(accountId) || !(await findAccount(database.sql, accountId)))
      throw new UsageError(`There is no account ${accountId}.`);
    const sealer = await openSealerOf(tools);
    return database.transaction((tx) =>
      createApplication(tx, sealer, { accountId, name: name.trim(), scopes: scopes as Scope[] }),
    );
  });
  print({ account_id: accountId, client_id: made.client_id, client_secret: made.client_secret }, values.json);
  return 0;
}

async function rotate(clientId: string, values: Values): Promise<number> {
  const given = values['overlap-hours'] ?? DEFAULT_OVERLAP_HOURS;
  const hours = /^[0-9]+(\.[0-9]+)?$/.test(given) ? Number(given) : Number.NaN;
  if (!(hours <= MAX_OVERLAP_HOURS)) throw new UsageError(`--overlap-hours takes a number from 0 to ${MAX_OVERLAP_HOURS}.`);
  const secret = await withDatabase(async (tools) => {
    const sealer = await openSealerOf(tools);
    return tools.database.transaction((tx) => rotateSecret(tx, sealer, clientId, { overlapMs: hours * 3_600_000 }));
  });
  if (!secret) throw new UsageError(`There is no application ${clientId}.`);
  print(
    { client_id: clientId, client_secret: secret, older_secret_ends: new Date(Date.now() + hours * 3_600_000).toISOString() },
    values.json,
  );
  return 0;
}

async function disable(clientId: string, values: Values): Promise<number> {
  const known = await withDatabase(({ database }) => database.transaction((tx) => disableApplication(tx, clientId)));
  if (!known) throw new UsageError(`There is no application ${clientId}.`);
  print({ client_id: clientId, disabled: true }, values.json);
  return 0;
}
