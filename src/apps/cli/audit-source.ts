// Reads what an audit needs of a service over HTTP, as an application of the account.
import { isRetryable, pause, RETRY_AFTER_MAX_MS, waitOf } from '../../../packages/client/src/retry.ts';
import { Contradiction } from '../../../packages/proof/src/read-entries.ts';
import type { Source } from '../../../packages/proof/src/source.ts';
import { type Access, reach, requestToken, UnreachableError } from './call-service.ts';
import { UsageError } from './command.ts';

const INTERNAL = 500;
const ATTEMPTS_MAX = 4;

/** The service responds, but not with what an audit needs. */
class AccessError extends UsageError {}

/** Throws when the service does not respond, refuses the credentials or has no log. What else it does not show to the account is undefined. */
export function openSource(access: Access, account: string): Source {
  let token: string | undefined;
  const read = async (path: string, accept = '*/*'): Promise<Response | undefined> => {
    const request = () => reachReady(`${access.base_url}${path}`, { headers: { accept, authorization: `Bearer ${token}` } });
    token ??= await requestToken(access).catch((error: unknown) => {
      throw error instanceof UnreachableError ? error : new AccessError((error as Error).message);
    });
    let response = await request();
    if (response.status === 401) {
      token = await requestToken(access);
      response = await request();
    }
    // The first path of an audit shows whether there is a log, and whether the application may read at all.
    const isFirst = path.endsWith('/checkpoint');
    if (response.status === 404 && isFirst)
      throw new AccessError(`${access.base_url} shows this application no log of account ${account}.`);
    if (response.status === 404 || (response.status === 403 && !isFirst)) return undefined;
    if (response.status === INTERNAL) throw failureOf(path);
    if (!response.ok) throw new AccessError(`${access.base_url}${path} returned ${response.status}.`);
    return response;
  };
  const bytesOf = async (path: string, accept?: string) => {
    const response = await read(path, accept);
    const bytes = await response?.arrayBuffer().catch(() => Promise.reject(failureOf(path)));
    return bytes && Buffer.from(bytes);
  };
  return {
    log: (path) => bytesOf(`/accounts/${account}/log/${path}`),
    get: async <T>(path: string) => {
      const response = await read(path);
      return response?.json().catch(() => Promise.reject(failureOf(path))) as Promise<T | undefined>;
    },
    read: bytesOf,
  };
}

/** Fetches a URL. Waits while the service is not ready to show it: a new log has no checkpoint for a moment. */
async function reachReady(url: string, init: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await reach(url, init);
    if (!isRetryable(response.status) || attempt === ATTEMPTS_MAX) return response;
    await response.body?.cancel();
    await pause(Math.min(waitOf(attempt, response.headers), RETRY_AFTER_MAX_MS), undefined);
  }
}

/** The service has what was asked for, and cannot show it: its rows contradict each other. */
function failureOf(path: string): Contradiction {
  return new Contradiction(`the service fails to show ${path}`);
}
