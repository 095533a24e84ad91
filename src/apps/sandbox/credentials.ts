// Sandbox credentials: stored in sandbox.json in the data directory.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../core/user-error.ts';

/** The content of sandbox.json: credentials, and the URLs of the customer and its labels. */
export type Credentials = {
  base_url: string;
  account_id: string;
  client_id: string;
  client_secret: string;
  customer: string;
  labels: [from: string, to: string];
};

/** The names of the variables of `earmark sandbox env`. */
export const SANDBOX_NAMES = ['BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'TOKEN', 'ACCOUNT', 'CUSTOMER', 'FROM', 'TO'];

/** Those that name resources. Samples of the documentation read them. */
export function variablesOf({ base_url, account_id, customer, labels }: Credentials) {
  return {
    BASE_URL: base_url,
    ACCOUNT: `${base_url}/accounts/${account_id}`,
    CUSTOMER: customer,
    FROM: labels[0],
    TO: labels[1],
  };
}

/** sandbox.json cannot be read or written; the message is one line. */
export class SandboxError extends UserError {}

const FILE = 'sandbox.json';

/** The path of sandbox.json in a data directory. */
export function sandboxFile({ dataDir }: { dataDir: string }): string {
  return join(dataDir, FILE);
}

/** The credentials in a sandbox.json, or undefined when there is none. */
export function readCredentials(file: string): Credentials | undefined {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : undefined;
  } catch (error) {
    throw new SandboxError(
      `${file} cannot be read (${reasonOf(error)}). Move it away, and the next start creates another sandbox.`,
    );
  }
}

/** The error code, or `not JSON`: the message of a JSON error would quote the file, which contains a secret. */
export function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'not JSON';
}
