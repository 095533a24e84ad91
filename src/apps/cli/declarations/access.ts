// Declarations of the commands for accounts and their applications (OAuth clients).
import { SCOPES } from '../../../resources/oauth/application.ts';
import { OVERLAP_HOURS } from '../bounds.ts';
import { command } from '../command.ts';

const CLIENT = { name: 'CLIENT_ID', about: 'the client_id of the application' } as const;

const createAccount = command({
  name: 'account create',
  about: 'Creates an account, which owns customers and applications.',
  words: [{ name: 'NAME', about: 'the name of the account' }],
  examples: ["earmark account create 'My platform'"],
  run: async (call) => (await import('../account.ts')).create(call),
});

const listAccounts = command({
  name: 'account list',
  about: 'Lists accounts, newest first, with the number of their applications.',
  examples: ['earmark account list', 'earmark account list --json | jq .accounts'],
  run: async (call) => (await import('../account.ts')).list(call),
});

const createApplication = command({
  name: 'application create',
  about: 'Creates an application, which is an OAuth client of an account, and prints its secret. The secret is shown only once.',
  options: {
    account: { value: 'ID', about: 'the account of the application', required: true },
    name: { value: 'NAME', about: 'the name of the application', required: true },
    scope: { value: 'SCOPE', about: 'scopes of its tokens', values: SCOPES, multiple: true, required: true },
  },
  examples: ['earmark application create --account 01890000-0000-7000-8000-000000000000 --name backend --scope "read write"'],
  run: async (call) => (await import('../application.ts')).create(call),
});

const listApplications = command({
  name: 'application list',
  about: 'Lists applications, newest first, with account, scopes, number of live secrets, and last use.',
  options: { account: { value: 'ID', about: 'only applications of this account' } },
  examples: ['earmark application list', 'earmark application list --account 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../application.ts')).list(call),
});

const showApplication = command({
  name: 'application show',
  about: 'Shows the scopes, the last use and the live secrets of an application. The values of secrets cannot be shown.',
  words: [CLIENT],
  examples: ['earmark application show 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../application.ts')).show(call),
});

const rotateApplication = command({
  name: 'application rotate',
  about: 'Creates a new secret for an application. The old secret stays valid for a while, so that no call fails.',
  words: [CLIENT],
  options: {
    'overlap-hours': {
      value: 'HOURS',
      about: `hours until the old secret expires, 0 to ${OVERLAP_HOURS.max}`,
      fallback: OVERLAP_HOURS.fallback,
    },
  },
  examples: [
    'earmark application rotate 01890000-0000-7000-8000-000000000000',
    'earmark application rotate 01890000-0000-7000-8000-000000000000 --overlap-hours 0',
  ],
  asks: ({ words: [id], options }) =>
    Number(options['overlap-hours'] ?? OVERLAP_HOURS.fallback) === 0
      ? `Replace the secret of the application ${id}? Its old secrets stop working at once.`
      : undefined,
  run: async (call) => (await import('../application.ts')).rotate(call),
});

const disableApplication = command({
  name: 'application disable',
  about: 'Disables an application: its credentials and tokens are refused until it is enabled again.',
  words: [CLIENT],
  examples: ['earmark application disable 01890000-0000-7000-8000-000000000000'],
  asks: ({ words: [id] }) => `Disable the application ${id}? All its calls are refused from now on.`,
  run: async (call) => (await import('../application.ts')).disable(call),
});

const enableApplication = command({
  name: 'application enable',
  about: 'Enables a disabled application. Its secrets and unexpired tokens become valid again.',
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
