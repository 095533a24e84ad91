// The commands that give access: accounts, and the applications (OAuth clients) that act for them.
import { SCOPES } from '../../oauth/application.ts';
import { command } from '../command.ts';

export const DEFAULT_OVERLAP_HOURS = '24';
export const MAX_OVERLAP_HOURS = 24 * 90;

const CLIENT = { name: 'CLIENT_ID', about: 'the client_id of the application' } as const;

const createAccount = command({
  name: 'account create',
  about: 'Makes an account, which owns customers and applications.',
  words: [{ name: 'NAME', about: 'what the account is called' }],
  examples: ["earmark account create 'My platform'"],
  run: async (call) => (await import('../account.ts')).create(call),
});

const listAccounts = command({
  name: 'account list',
  about: 'Lists the accounts, newest first, each with the number of its applications.',
  examples: ['earmark account list', 'earmark account list --json | jq .accounts'],
  run: async (call) => (await import('../account.ts')).list(call),
});

const createApplication = command({
  name: 'application create',
  about: 'Makes an application, the OAuth client of an account, and prints its secret this once.',
  options: {
    account: { value: 'ID', about: 'the account that it acts for', required: true },
    name: { value: 'NAME', about: 'what it is called', required: true },
    scope: { value: 'SCOPE', about: 'what its tokens may do', values: SCOPES, multiple: true, required: true },
  },
  examples: ['earmark application create --account 01890000-0000-7000-8000-000000000000 --name backend --scope "read write"'],
  run: async (call) => (await import('../application.ts')).create(call),
});

const listApplications = command({
  name: 'application list',
  about: 'Lists the applications, newest first: account, scopes, number of live secrets, and last use.',
  options: { account: { value: 'ID', about: 'only those of this account' } },
  examples: ['earmark application list', 'earmark application list --account 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../application.ts')).list(call),
});

const showApplication = command({
  name: 'application show',
  about: 'Shows an application: scopes, last use, and its live secrets by age. The secrets themselves cannot be shown.',
  words: [CLIENT],
  examples: ['earmark application show 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../application.ts')).show(call),
});

const rotateApplication = command({
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
  run: async (call) => (await import('../application.ts')).rotate(call),
});

const disableApplication = command({
  name: 'application disable',
  about: 'Ends an application and its tokens, until it is enabled again.',
  words: [CLIENT],
  examples: ['earmark application disable 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../application.ts')).disable(call),
});

const enableApplication = command({
  name: 'application enable',
  about: 'Lets a disabled application in again, with its secrets and the tokens that have not expired.',
  words: [CLIENT],
  examples: ['earmark application enable 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../application.ts')).enable(call),
});

export const accessCommands = [
  createAccount,
  listAccounts,
  createApplication,
  listApplications,
  showApplication,
  rotateApplication,
  disableApplication,
  enableApplication,
];
