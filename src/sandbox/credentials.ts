// The credentials of the sandbox, as a data directory keeps them in sandbox.json.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../user-error.ts';

/** What sandbox.json holds: credentials, and the URLs of the customer and its labels. */
export type Credentials = {
  base_url: string;
  account_id: string;
  client_id: string;
  client_secret: string;
  customer: string;
  labels: [from: string, to: string];
};

/** The file of the sandbox is of no use; one line that says why. */
export class SandboxError extends UserError {}

const FILE = 'sandbox.json';

/** Where a data directory keeps its sandbox. */
export function sandboxFile({ dataDir }: { dataDir: string }): string {
  return join(dataDir, FILE);
}

/** The credentials in a sandbox.json, or undefined when there is none. */
export function readCredentials(file: string): Credentials | undefined {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : undefined;
  } catch (error) {
    throw new SandboxError(
      `${file} cannot be read (${reasonOf(error)}). Move it away, and the next start makes another sandbox.`,
    );
  }
}

/** The code where there is one: the message of bad JSON quotes it, and here that is a secret. */
export function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'not JSON';
}
