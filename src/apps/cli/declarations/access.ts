// Declarations of the commands for accounts and their applications (OAuth clients).
import { BINDINGS, SCOPES } from '../../../resources/oauth/scope.ts';
import { OVERLAP_HOURS } from '../bounds.ts';
import { command } from '../command.ts';

const CLIENT = { name: 'CLIENT_ID', about: 'the client_id of the application' } as const;

/** What an application has instead of a secret. */
const KEYS = {
  jwks: { value: 'FILE', about: 'a JWK set with one or two public keys' },
  'jwks-uri': { value: 'URL', about: 'the address of its JWK set' },
  'trust-issuer': { value: 'URL', about: 'the issuer of the tokens of a workload, which are its credentials' },
  subject: { value: 'SUBJECT', about: 'the subject of these tokens' },
} as const;

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
  about:
    'Creates an application, which is an OAuth client of an account, and prints its secret. The secret is shown only once. With keys or a trusted issuer it has no secret.',
  options: {
    account: { value: 'ID', about: 'the account of the application', required: true },
    name: { value: 'NAME', about: 'the name of the application', required: true },
    scope: { value: 'SCOPE', about: 'scopes of its tokens', values: SCOPES, multiple: true, required: true },
    ...KEYS,
    require: { value: 'BINDING', about: 'what each of its tokens must be bound to', values: BINDINGS },
  },
  examples: [
    'earmark application create --account 01890000-0000-7000-8000-000000000000 --name backend --scope "read write"',
    'earmark application create --account 01890000-0000-7000-8000-000000000000 --name backend --scope read --jwks keys.json',
    'earmark application create --account 01890000-0000-7000-8000-000000000000 --name ci --scope read --trust-issuer https://token.actions.githubusercontent.com --subject repo:example/backend:ref:refs/heads/main',
  ],
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
  about:
    'Shows the scopes, the last use, the keys and the live secrets of an application. The values of secrets cannot be shown.',
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

const secureApplication = command({
  name: 'application secure',
  about:
    'Changes how an application authenticates: its keys, whether its secret is accepted, and what its tokens must be bound to.',
  detail:
    'New keys replace the present ones, whether they are a file, an address or an issuer. To rotate a key, first give a set with both keys, then one with the new key.',
  words: [CLIENT],
  options: {
    ...KEYS,
    'no-keys': { about: 'removes its keys, their address and the trusted issuer' },
    secret: { value: 'ANSWER', about: 'whether its secrets are accepted', values: ['accepted', 'refused'] },
    require: { value: 'BINDING', about: 'what each of its tokens must be bound to', values: [...BINDINGS, 'nothing'] },
  },
  examples: [
    'earmark application secure 01890000-0000-7000-8000-000000000000 --jwks keys.json',
    'earmark application secure 01890000-0000-7000-8000-000000000000 --secret refused --require dpop',
  ],
  asks: ({ words: [id], options }) =>
    options['no-keys'] || options.secret === 'refused' || (options.require ?? 'nothing') !== 'nothing'
      ? `Change how the application ${id} authenticates? Calls that do not do so are refused from now on.`
      : undefined,
  run: async (call) => (await import('../application-keys.ts')).secure(call),
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
  secureApplication,
  disableApplication,
  enableApplication,
];
