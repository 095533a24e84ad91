// The commands to try Earmark with: serve, sandbox env, demo and listen.
import { command } from '../command.ts';

const serve = command({
  name: 'serve',
  about: 'Runs the service: migrates the database, listens, and stops on SIGTERM or Ctrl-C.',
  detail: 'Settings are read from the environment: see `earmark help config`.',
  examples: ['earmark serve', 'PORT=9000 earmark serve', 'DATABASE_URL=postgres://user:password@host/earmark earmark serve'],
  run: async (call) => (await import('../serve.ts')).serve(call),
});

const sandboxEnv = command({
  name: 'sandbox env',
  about: 'Prints the sandbox as shell variables: its credentials, an access token, its customer and its two labels.',
  detail: 'The variables are BASE_URL, CLIENT_ID, CLIENT_SECRET, TOKEN, CUSTOMER, FROM and TO. The service must be running.',
  examples: ['eval "$(npx earmark sandbox env)"', 'earmark sandbox env --json | jq -r .TOKEN'],
  run: async (call) => (await import('../sandbox.ts')).printEnvironment(call),
});

const demo = command({
  name: 'demo',
  about: 'Plays the whole story against the running sandbox, or a temporary one, and prints each request and answer.',
  examples: ['earmark demo'],
  run: async (call) => (await import('../demo.ts')).demo(call),
});

const listen = command({
  name: 'listen',
  about: 'Forwards the events that happen from now on, as signed webhooks, to a URL of your machine, and prints each answer.',
  options: {
    forward: { value: 'URL', about: 'where to POST the events', required: true },
    secret: { value: 'SECRET', about: 'what to sign them with', fallback: 'a new one, which is printed' },
    credentials: {
      value: 'FILE',
      about: 'a file with base_url, client_id and client_secret of an application',
      fallback: 'sandbox.json of DATA_DIR',
    },
  },
  examples: ['earmark listen --forward http://localhost:3000/webhooks'],
  run: async (call) => (await import('../listen.ts')).listen(call),
});

export const tryCommands = [serve, sandboxEnv, demo, listen];
