// `earmark sandbox env`: prints the running sandbox as shell variables, for short examples.
import { readConfig } from '../../platform/config/config.ts';
import { readCredentials, sandboxFile, variablesOf } from '../sandbox/credentials.ts';
import { requestToken } from './call-service.ts';
import { UsageError } from './command.ts';
import { quoted } from './shell-word.ts';

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
  const variables = {
    ...{ BASE_URL, CLIENT_ID: client_id, CLIENT_SECRET: client_secret },
    ...{ TOKEN: await requestToken(credentials), ...resources },
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  process.stdout.write(json ? `${JSON.stringify(variables)}\n` : lines.join(''));
  return 0;
}
