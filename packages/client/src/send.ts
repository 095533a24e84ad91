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
  /** What is made anew for each attempt, because the service accepts it once. */
  fresh?: (() => Promise<Pick<Request, 'headers' | 'body'>>) | undefined;
};

/** Proves the possession of a key (RFC 9449). */
export type Prover = {
  /** Returns a proof for a request, and for its token. A query in the path does not count. */
  prove(method: string, path: string, token?: string): Promise<string>;
  /** Takes the nonce of a response. Returns whether it is new: a request that was refused for lack of it can be repeated. */
  note(headers: Headers): boolean;
};

/** `text` is empty when the request is for a Blob, and successful. */
export type Answer = { status: number; headers: Headers; text: string; blob?: Blob };

export type Send = (request: Request) => Promise<Answer>;

type SendOptions = { url: string; fetch: typeof fetch; maxRetries: number; timeoutMs: number; prover?: Prover | undefined };

/** The statuses of a refusal that asks for a nonce: of a request, and of the token endpoint. */
const WITHOUT_NONCE = [401, 400];

/**
 * Sends requests to a service. Retries after no response and after 429, 502, 503 or 504, with the same request and Idempotency-Key.
 * Retries a request with `once` only after 429. Throws ConnectionError, or the EarmarkError of the last response.
 */
export function createSend({ url, fetch, maxRetries, timeoutMs, prover }: SendOptions): Send {
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
    let hadNonce = false;
    for (let attempts = 1; ; attempts += 1) {
      const hasRetry = attempts <= maxRetries;
      const sent = request.fresh ? { ...request, ...(await request.fresh()) } : request;
      const answer = await attempt(sent).catch((error: unknown) => {
        request.signal?.throwIfAborted();
        if (!hasRetry || request.once) {
          throw new ConnectionError(request, attempts, error, request.headers['idempotency-key']);
        }
      });
      const isNonceNew = answer && prover?.note(answer.headers);
      if (answer && answer.status < 400) return answer;
      if (isNonceNew && !hadNonce && WITHOUT_NONCE.includes(answer.status)) {
        hadNonce = true;
        continue;
      }
      const waitMs = waitOf(attempts, answer?.headers);
      if (answer && !(hasRetry && mayRetry(request, answer) && waitMs <= RETRY_AFTER_MAX_MS)) throw errorOf(request, answer);
      await pause(waitMs, request.signal);
    }
  };
}

function mayRetry({ once }: Request, { status }: Answer): boolean {
  return isRetryable(status) && (!once || status === 429);
}
