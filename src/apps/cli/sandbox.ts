// `earmark sandbox env`: prints the running sandbox as shell variables, for short examples.
import { readConfig } from '../../platform/config/config.ts';
import { readCredentials, sandboxFile, variablesOf } from '../sandbox/credentials.ts';
import { reach, requestToken } from './call-service.ts';
import { UsageError } from './command.ts';
import { quoted } from './shell-word.ts';

const RESET =
  'A reset deleted the customer and the labels of CUSTOMER, FROM and TO. The next start of the service makes new ones.';

/** The folder depends on where the command runs, so the message names it. */
export function missingSandbox({ dataDir }: { dataDir: string }): string {
  return `DATA_DIR ${dataDir} contains no sandbox.json.`;
}

/** Prints `export NAME='value'` lines, for `eval`. */
export async function printEnvironment({ json }: { json: boolean }): Promise<number> {
  const config = readConfig();
  const credentials = readCredentials(sandboxFile(config));
  if (!credentials)
    throw new UsageError(`${missingSandbox(config)} Set DATA_DIR to that of the service, or start it: earmark serve.`);
  const { client_id, client_secret } = credentials;
  const { BASE_URL, ...resources } = variablesOf(credentials);
  const TOKEN = await requestToken(credentials);
  const variables = { BASE_URL, CLIENT_ID: client_id, CLIENT_SECRET: client_secret, TOKEN, ...resources };
  const { status } = await reach(resources.CUSTOMER, { headers: { authorization: `Bearer ${TOKEN}` } });
  if (status === 404) process.stderr.write(`${RESET}\n`);
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  process.stdout.write(json ? `${JSON.stringify(variables)}\n` : lines.join(''));
  return 0;
}
