// Access tokens: of the caller, or requested with client credentials and renewed shortly before they expire.
import { EarmarkError, ExpiredAccessTokenError } from './errors.ts';
import type { AccessToken } from './openapi.ts';
import type { Send } from './send.ts';

/** How calls are authorized. */
export type Authorization = Credentials | OwnToken;

type Credentials = {
  /** Of an application, for programs that can keep a secret. The client requests its tokens and renews them. */
  clientId: string;
  clientSecret: string;
  token?: never;
};

type OwnToken = {
  /**
   * An access token, or a function that returns one, for programs without the secret, such as a web page whose server requests the
   * tokens. The function is called for each call, so it should cache; and once more when the service answers 401.
   */
  token: string | (() => Promise<string>);
  clientId?: never;
  clientSecret?: never;
};

export type Tokens = {
  /** Returns the token for a call. The signal aborts only this caller's wait: others may wait for the same token. */
  current(signal?: AbortSignal): Promise<string>;
  /** Takes a token that the service refused with 401. Returns whether the next token may be accepted. */
  refuse(token: string, refusal: EarmarkError): boolean;
};

/** A token is renewed when a tenth of its lifetime is left, but at most one minute before it expires. */
const RENEW_SHARE = 0.1;
const RENEW_MAX_MS = 60_000;

/** Throws a TypeError unless the options have exactly one way to get tokens. */
export function tokensOf(send: Send, { token, clientId, clientSecret }: Authorization): Tokens {
  const isOwn = token !== undefined;
  const hasCredentials = clientId !== undefined && clientSecret !== undefined;
  const hasPart = clientId !== undefined || clientSecret !== undefined;
  if (isOwn ? hasPart : !hasCredentials) throw new TypeError('Give either clientId and clientSecret, or token.');
  if (hasCredentials) return requestedTokens(send, clientId, clientSecret);
  return ownTokens(token!);
}

function ownTokens(token: string | (() => Promise<string>)): Tokens {
  const ask = async () => {
    const given: unknown = typeof token === 'function' ? await token() : token;
    // A header would name a missing token `undefined`.
    if (typeof given !== 'string' || given === '') throw new TypeError('`token` must give an access token as a string.');
    return given;
  };
  return {
    async current(signal) {
      signal?.throwIfAborted();
      return signal ? untilAborted(ask(), signal) : ask();
    },
    refuse: () => typeof token === 'function',
  };
}

function requestedTokens(send: Send, clientId: string, clientSecret: string): Tokens {
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
    refuse(token, refusal) {
      if (!(refusal instanceof ExpiredAccessTokenError)) return false;
      // Another call may have a newer one already.
      if (known?.token === token) known = undefined;
      return true;
    },
  };
}

/** Sends with a token, and once more with the next one if the service refuses the first: it may be expired or revoked. */
export function withToken(send: Send, tokens: Tokens): Send {
  return async (request) => {
    const attempt = async () => {
      const token = await tokens.current(request.signal);
      return { token, answer: send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }) };
    };
    const { token, answer } = await attempt();
    return answer.catch(async (error: unknown) => {
      if (!(error instanceof EarmarkError && error.status === 401 && tokens.refuse(token, error))) throw error;
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
