// How a command calls a running service: with an access token, and one line where the service does not answer.
import type { Credentials } from '../sandbox/credentials.ts';
import { UsageError } from './command.ts';

export type Access = Pick<Credentials, 'base_url' | 'client_id' | 'client_secret'>;

/** The service does not answer; one line that says so. */
export class UnreachableError extends UsageError {}

/** Fetches. Throws an UnreachableError where nobody answers. */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, init).catch((error: unknown) => {
    throw new UnreachableError(`${new URL(url).origin} does not answer. Start the service first: earmark serve.`, {
      cause: error,
    });
  });
}

/** Gets a token for an application. Throws a UsageError when its credentials are refused. */
export async function requestToken({ base_url, client_id, client_secret }: Access): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await reach(`${base_url}/token`, { method: 'POST', body });
  if (!response.ok) throw new UsageError(`${base_url} refused the credentials: ${response.status}.`);
  return ((await response.json()) as { access_token: string }).access_token;
}
