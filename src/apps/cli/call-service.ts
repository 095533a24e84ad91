// Calls to a running service from commands: fetch with a user error, and access tokens.
import type { Credentials } from '../sandbox/credentials.ts';
import { UsageError } from './command.ts';

export type Access = Pick<Credentials, 'base_url' | 'client_id' | 'client_secret'>;

/** The service does not respond. The message is one line. */
export class UnreachableError extends UsageError {}

/** Fetches a URL. Throws an UnreachableError when the service does not respond. */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, init).catch((error: unknown) => {
    throw new UnreachableError(`${new URL(url).origin} does not respond. Start the service first: earmark serve.`, {
      cause: error,
    });
  });
}

/** Requests an access token. Throws a UsageError when the credentials are refused. */
export async function requestToken({ base_url, client_id, client_secret }: Access): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await reach(`${base_url}/token`, { method: 'POST', body });
  if (!response.ok) throw new UsageError(`${base_url} refused the credentials: ${response.status}.`);
  return ((await response.json()) as { access_token: string }).access_token;
}
