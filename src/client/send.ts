// Sends one request until it is answered: attempts, their time limit, and what is worth another one.
import { ConnectionError, errorOf } from './errors.ts';
import { isPassing, PATIENCE_MS, pause, waitOf } from './retry.ts';

export type Request = {
  method: string;
  /** From the root of the service, with its query. */
  path: string;
  headers: Record<string, string>;
  body?: string | URLSearchParams | Uint8Array<ArrayBuffer> | undefined;
  signal?: AbortSignal | undefined;
  /** Not to be repeated where the first attempt may have had its effect. */
  once?: boolean | undefined;
};

export type Answer = { status: number; headers: Headers; text: string };

export type Send = (request: Request) => Promise<Answer>;

export type SendOptions = { url: string; fetch: typeof fetch; maxRetries: number; timeoutMs: number };

/**
 * Sends requests to a service. A request without an answer, and one answered by 429, 502, 503 or 504, is repeated unchanged, and so
 * with the same Idempotency-Key; one that is to be sent `once` only after 429.
 * Throws ConnectionError, or the EarmarkError of the last answer.
 */
export function openSend({ url, fetch, maxRetries, timeoutMs }: SendOptions): Send {
  const attempt = async ({ method, path, headers, body, signal }: Request): Promise<Answer> => {
    const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
    const init = { method, headers, body: body ?? null, signal: AbortSignal.any(limits) };
    const response = await fetch(`${url}${path}`, { ...init, redirect: 'error' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return async (request) => {
    // Else it would go on the name of the host, which then is another.
    if (!request.path.startsWith('/')) throw new TypeError(`This is no path of the service: ${request.path}`);
    for (let attempts = 1; ; attempts += 1) {
      const mayRepeat = attempts <= maxRetries;
      const answer = await attempt(request).catch((error: unknown) => {
        request.signal?.throwIfAborted();
        if (!mayRepeat || request.once) {
          throw new ConnectionError(request, attempts, error, request.headers['idempotency-key']);
        }
      });
      if (answer && answer.status < 400) return answer;
      const waitMs = waitOf(attempts, answer?.headers);
      if (answer && !(mayRepeat && isRepeatable(request, answer) && waitMs <= PATIENCE_MS)) throw errorOf(request, answer);
      await pause(waitMs, request.signal);
    }
  };
}

function isRepeatable({ once }: Request, { status }: Answer): boolean {
  return isPassing(status) && (!once || status === 429);
}
