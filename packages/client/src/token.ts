// Access tokens: cached, requested once for concurrent calls, and renewed shortly before they expire.
import { ExpiredAccessTokenError } from './errors.ts';
import type { AccessToken } from './openapi.ts';
import type { Send } from './send.ts';

export type Tokens = {
  /** Returns a token that does not expire soon. The signal aborts only this caller's wait: others may wait for the same token. */
  current(signal?: AbortSignal): Promise<string>;
  /** Drops a refused token from the cache. A newer one stays. */
  drop(token: string): void;
};

/** A token is renewed when a tenth of its lifetime is left, but at most one minute before it expires. */
const RENEW_SHARE = 0.1;
const RENEW_MAX_MS = 60_000;

export function openTokens(send: Send, { clientId, clientSecret }: { clientId: string; clientSecret: string }): Tokens {
  let known: { token: string; freshUntilMs: number } | undefined;
  let pending: Promise<string> | undefined;

  /** Client credentials grant (RFC 6749 §4.4), with credentials as form fields (§2.3.1): a header would need a CORS preflight. */
  async function request(): Promise<string> {
    try {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
      const requestedMs = Date.now();
      const { text } = await send({ method: 'POST', path: '/token', headers: {}, body });
      const { access_token: token, expires_in } = JSON.parse(text) as AccessToken;
      const lifeMs = expires_in * 1000;
      known = { token, freshUntilMs: requestedMs + lifeMs - Math.min(lifeMs * RENEW_SHARE, RENEW_MAX_MS) };
      return token;
    } finally {
      pending = undefined;
    }
  }

  return {
    async current(signal) {
      if (known && Date.now() < known.freshUntilMs) return known.token;
      signal?.throwIfAborted();
      pending ??= request();
      return signal ? untilAborted(pending, signal) : pending;
    },
    drop(token) {
      if (known?.token === token) known = undefined;
    },
  };
}

/** Sends with a token, and once more with a new one when the service reports it as expired, because clocks differ. */
export function withToken(send: Send, tokens: Tokens): Send {
  return async (request) => {
    const attempt = async () => {
      const token = await tokens.current(request.signal);
      return { token, answer: send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }) };
    };
    const { token, answer } = await attempt();
    return answer.catch(async (error: unknown) => {
      if (!(error instanceof ExpiredAccessTokenError)) throw error;
      tokens.drop(token);
      return (await attempt()).answer;
    });
  };
}

/** Awaits the outcome, or rejects with the signal's reason when it aborts first. */
async function untilAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([outcome, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
