// `earmark serve`: runs the service until it is told to stop.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { readConfig } from '../config.ts';
import type { Credentials, Sandbox } from '../sandbox/sandbox.ts';
import { type Server, startServer } from '../server.ts';
import { openLog } from '../telemetry/log.ts';
import { command, UsageError } from './command.ts';
import { listenForSignals } from './until-signal.ts';

/**
 * What belongs to a request waits for a commit. Where V8 sees that twice it takes it for long-lived, puts all of its kind where
 * only a full collection looks, and by it keeps what is young: in one process of ten, each of its short collections then takes 10 ms.
 * And a full collection, a stop of 10 ms and more in 50 of work beside, may wait until what was kept has grown to three times, some
 * 100 MB, instead of by a quarter: under load that is every minute instead of every ten seconds.
 */
export const V8_FLAGS = '--no-allocation-site-pretenuring --heap-growing-percent=200';

export const serve = command({
  name: 'serve',
  about: 'Runs the service: migrates the database, listens, and stops on SIGTERM or Ctrl-C.',
  detail: 'Settings are read from the environment: see `earmark help config`.',
  examples: ['earmark serve', 'PORT=9000 earmark serve', 'DATABASE_URL=postgres://user:password@host/earmark earmark serve'],
  async run({ json }) {
    setFlagsFromString(V8_FLAGS);
    const config = readConfig();
    const log = openLog(config.logLevel);
    const { first, again } = listenForSignals();
    const server = await unless(again, startServer(config, log));
    if (!server) throw new UsageError('Stopped before it had started.');
    announce(server, json);
    log.info({ signal: await first }, 'stopping');
    const limit = sleep(config.drainSeconds * 1000, undefined, { ref: false });
    const drained = await unless(
      Promise.race([limit, again]),
      server.stop().then(() => true),
    );
    // Not left to the event loop, which a connection that somebody keeps open would hold.
    if (drained) process.exit(0);
    await server.abort();
    throw new UsageError('Stopped before every request under way was answered.');
  },
});

/** The result of some work, or undefined when something else came first. */
function unless<T>(other: Promise<unknown>, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, other.then(() => undefined)]);
}

function announce({ url, sandbox, service }: Server, json: boolean | undefined): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ url, sandbox: sandbox?.file })}\n`);
    return;
  }
  process.stdout.write(`Earmark listens on ${url} (${service.config.mode}).\n`);
  if (sandbox?.created) process.stdout.write(welcome(sandbox, service.links.mediaType));
  else if (sandbox) process.stdout.write(`Sandbox credentials are in ${sandbox.file}.\n`);
}

function welcome({ file, credentials }: Sandbox, mediaType: string): string {
  return `
A sandbox account was made: one application with all scopes, a verified business customer with 1,000.00 USD available,
and two labels. Its credentials are kept in ${file}:

  client_id      ${credentials.client_id}
  client_secret  ${credentials.client_secret}

Get a token, then move 25.00 USD from one label to the other:

${requests(credentials, mediaType)}
`;
}

/** Two requests to paste into a terminal. */
export function requests(credentials: Credentials, mediaType: string): string {
  const { base_url, client_id, client_secret, labels } = credentials;
  const body = JSON.stringify({
    _links: { from: { href: labels[0] }, to: { href: labels[1] } },
    amount: { value: '25.00', currency: 'USD' },
  });
  return `TOKEN=$(curl -s ${base_url}/token -u ${client_id}:${client_secret} -d grant_type=client_credentials \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

curl -i ${base_url}/label-reallocations -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: ${mediaType}" -H "Accept: ${mediaType}" \\
  -d '${body}'`;
}
