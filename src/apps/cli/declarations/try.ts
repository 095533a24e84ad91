// Declarations of `earmark serve`, `sandbox env`, `demo` and `listen`.
import { command } from '../command.ts';
import { catchReloadSignals } from '../until-signal.ts';
import { migrateOption } from './operation.ts';

const serve = command({
  name: 'serve',
  about: 'Runs the service: migrates the database, listens for requests, and stops on SIGTERM or Ctrl-C.',
  detail: 'Settings are read from the environment. See `earmark help config`.',
  options: migrateOption,
  examples: ['earmark serve', 'PORT=9000 earmark serve', 'DATABASE_URL=postgres://user:password@host/earmark earmark serve'],
  isService: true,
  async run(call) {
    const reloads = catchReloadSignals();
    return (await import('../serve.ts')).serve({ ...call, reloads });
  },
});

const sandboxEnv = command({
  name: 'sandbox env',
  about:
    'Prints the credentials, an access token, the account, the customer and the two labels of the sandbox as shell variables.',
  detail:
    'The variables are BASE_URL, CLIENT_ID, CLIENT_SECRET, TOKEN, ACCOUNT, CUSTOMER, FROM and TO. The service must be running.',
  examples: ['eval "$(npx earmark sandbox env)"', 'earmark sandbox env --json | jq -r .TOKEN'],
  run: async (call) => (await import('../sandbox.ts')).printEnvironment(call),
});

const demo = command({
  name: 'demo',
  about: 'Runs an example against the running sandbox, or a temporary one, and prints each request and response.',
  examples: ['earmark demo'],
  run: async (call) => (await import('../demo.ts')).demo(call),
});

const listen = command({
  name: 'listen',
  about: 'Forwards new events as signed webhooks to a URL on your machine, and prints the status of each response.',
  options: {
    forward: { value: 'URL', about: 'the URL that receives the events by POST', required: true },
    secret: { value: 'SECRET', about: 'the secret that signs them', fallback: 'a new secret, which is printed' },
    credentials: {
      value: 'FILE',
      about: 'a file with base_url, client_id and client_secret of an application',
      fallback: 'DATA_DIR/sandbox.json',
    },
  },
  examples: ['earmark listen --forward http://localhost:3000/webhooks'],
  run: async (call) => (await import('../listen.ts')).listen(call),
});

export const tryCommands = [serve, sandboxEnv, demo, listen];
