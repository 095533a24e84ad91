// Sends requests with a time limit and retries.
import { ConnectionError, errorOf } from './errors.ts';
import { isRetryable, pause, RETRY_AFTER_MAX_MS, waitOf } from './retry.ts';

export type Request = {
  method: string;
  /** Absolute path with query. */
  path: string;
  headers: Record<string, string>;
  body?: string | URLSearchParams | Uint8Array<ArrayBuffer> | undefined;
  signal?: AbortSignal | undefined;
  /** Must not be retried when the first attempt may have taken effect. */
  once?: boolean | undefined;
  /** Reads the content of a successful response as bytes, not as text. */
  asBlob?: boolean | undefined;
};

/** `text` is empty when the request is for a Blob, and successful. */
export type Answer = { status: number; headers: Headers; text: string; blob?: Blob };

export type Send = (request: Request) => Promise<Answer>;

type SendOptions = { url: string; fetch: typeof fetch; maxRetries: number; timeoutMs: number };

/**
 * Sends requests to a service. Retries after no response and after 429, 502, 503 or 504, with the same request and Idempotency-Key.
 * Retries a request with `once` only after 429. Throws ConnectionError, or the EarmarkError of the last response.
 */
export function createSend({ url, fetch, maxRetries, timeoutMs }: SendOptions): Send {
  const attempt = async ({ method, path, headers, body, signal, asBlob }: Request): Promise<Answer> => {
    const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
    const init = { method, headers, body: body ?? null, signal: AbortSignal.any(limits) };
    const response = await fetch(`${url}${path}`, { ...init, redirect: 'error' });
    const { status, headers: received } = response;
    if (asBlob && response.ok) return { status, headers: received, text: '', blob: await response.blob() };
    return { status, headers: received, text: await response.text() };
  };
  return async (request) => {
    // Without the slash the path would extend the host name.
    if (!request.path.startsWith('/')) throw new TypeError(`Not a path of the service: ${request.path}`);
    for (let attempts = 1; ; attempts += 1) {
      const hasRetry = attempts <= maxRetries;
      const answer = await attempt(request).catch((error: unknown) => {
        request.signal?.throwIfAborted();
        if (!hasRetry || request.once) {
          throw new ConnectionError(request, attempts, error, request.headers['idempotency-key']);
        }
      });
      if (answer && answer.status < 400) return answer;
      const waitMs = waitOf(attempts, answer?.headers);
      if (answer && !(hasRetry && mayRetry(request, answer) && waitMs <= RETRY_AFTER_MAX_MS)) throw errorOf(request, answer);
      await pause(waitMs, request.signal);
    }
  };
}

function mayRetry({ once }: Request, { status }: Answer): boolean {
  return isRetryable(status) && (!once || status === 429);
}
