// Access tokens: of the caller, or requested with client credentials and renewed shortly before they expire.
import { EarmarkError, ExpiredAccessTokenError, InvalidAccessTokenError } from './errors.ts';
import { assertions, type PrivateKey } from './keys.ts';
import type { AccessToken } from './openapi.ts';
import type { Prover, Request, Send } from './send.ts';

/** How calls are authorized. */
export type Authorization = Binding & (SecretCredentials | KeyCredentials | OwnToken);

type Binding = {
  /**
   * Binds tokens to a key (DPoP): each request proves it, so that a stolen token is of no use. `true` makes a key pair that cannot be
   * read; give your own to keep it, for example in IndexedDB. Default: bearer tokens.
   */
  dpop?: boolean | CryptoKeyPair;
};

type SecretCredentials = {
  /** Of an application, for programs that can keep a secret. The client requests its tokens and renews them. */
  clientId: string;
  clientSecret: string;
  privateKey?: never;
  token?: never;
};

type KeyCredentials = {
  /** Of an application that has the public key instead of a secret (`earmark application create --jwks`). */
  clientId: string;
  /** P-256, Ed25519, or RSA for PSS: a CryptoKey, which need not be extractable, or a private JWK. It is never sent. */
  privateKey: PrivateKey;
  clientSecret?: never;
  token?: never;
};

type OwnToken = {
  /**
   * An access token, or a function that returns one, for programs without the secret, such as a web page whose server requests the
   * tokens. The function is called for each call, so it should cache; and once more when the service answers 401. With `dpop` it gets
   * a proof, which the server sends to `POST /token` in the header `DPoP`.
   */
  token: string | ((proof?: string) => Promise<string>);
  clientId?: never;
  clientSecret?: never;
  privateKey?: never;
};

export type Tokens = {
  /** Returns the token for a call. The signal aborts only this caller's wait: others may wait for the same token. */
  current(signal?: AbortSignal): Promise<string>;
  /** Takes a token that the service refused with 401. Returns whether the next token may be accepted. */
  refuse(token: string, refusal: EarmarkError): boolean;
  /** Requests a token for somebody else, bound to the key of the proof if there is one. Throws a TypeError without credentials. */
  request(form: Record<string, string>, proof: string | undefined, signal: AbortSignal | undefined): Promise<AccessToken>;
};

/** A token is renewed when a tenth of its lifetime is left, but at most one minute before it expires. */
const RENEW_SHARE = 0.1;
const RENEW_MAX_MS = 60_000;
const TOKEN_PATH = '/token';

/** Throws a TypeError unless the options have exactly one way to get tokens. */
export function tokensOf(send: Send, url: string, authorization: Authorization, prover: Prover | undefined): Tokens {
  const { token, clientId, clientSecret, privateKey } = authorization;
  const given = [token, clientSecret, privateKey].filter((one) => one !== undefined);
  if (given.length !== 1 || (clientId === undefined) !== (token !== undefined))
    throw new TypeError('Give clientId with clientSecret or with privateKey, or token.');
  if (token !== undefined) return ownTokens(token, prover);
  if (privateKey !== undefined) return requestedTokens(send, assertions(url, clientId, privateKey), prover);
  return requestedTokens(send, async () => ({ client_id: clientId, client_secret: clientSecret }), prover);
}

function ownTokens(token: OwnToken['token'], prover: Prover | undefined): Tokens {
  const ask = async () => {
    const given: unknown = typeof token === 'function' ? await token(await prover?.prove('POST', TOKEN_PATH)) : token;
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
    request: () => Promise.reject(new TypeError('Tokens are requested with clientId, not with a token.')),
  };
}

function requestedTokens(send: Send, credentials: () => Promise<Record<string, string>>, prover: Prover | undefined): Tokens {
  let known: { token: string; freshUntilMs: number } | undefined;
  let pending: Promise<string> | undefined;

  /** Client credentials grant (RFC 6749 §4.4), with credentials as form fields (§2.3.1): a header would need a CORS preflight. */
  async function post(
    form: Record<string, string>,
    prove: () => Promise<string | undefined>,
    options: Pick<Request, 'once' | 'signal'>,
  ): Promise<AccessToken> {
    const fresh = async () => {
      const dpop = await prove();
      const headers: Request['headers'] = dpop === undefined ? {} : { dpop };
      return { headers, body: new URLSearchParams({ grant_type: 'client_credentials', ...form, ...(await credentials()) }) };
    };
    const { text } = await send({ method: 'POST', path: TOKEN_PATH, headers: {}, fresh, ...options });
    return JSON.parse(text) as AccessToken;
  }

  async function renew(): Promise<string> {
    try {
      const requestedMs = Date.now();
      const { access_token: token, expires_in } = await post({}, async () => prover?.prove('POST', TOKEN_PATH), {});
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
      pending ??= renew();
      return signal ? untilAborted(pending, signal) : pending;
    },
    refuse(token, refusal) {
      // A revoked token is invalid.
      if (!(refusal instanceof ExpiredAccessTokenError || refusal instanceof InvalidAccessTokenError)) return false;
      // Another call may have a newer one already.
      if (known?.token === token) known = undefined;
      return true;
    },
    // A proof is accepted once, so a request with one is not repeated.
    request: (form, proof, signal) => post(form, async () => proof, { once: proof !== undefined, signal }),
  };
}

/** Sends with a token, and once more with the next one if the service refuses the first: it may be expired or revoked. */
export function withToken(send: Send, tokens: Tokens, prover: Prover | undefined): Send {
  return async (request) => {
    const attempt = async () => {
      const token = await tokens.current(request.signal);
      return { token, answer: send({ ...request, ...authorized(request, token, prover) }) };
    };
    const { token, answer } = await attempt();
    return answer.catch(async (error: unknown) => {
      if (!(error instanceof EarmarkError && error.status === 401 && tokens.refuse(token, error))) throw error;
      return (await attempt()).answer;
    });
  };
}

function authorized({ method, path, headers, body }: Request, token: string, prover: Prover | undefined): Partial<Request> {
  if (!prover) return { headers: { ...headers, authorization: `Bearer ${token}` } };
  const bound = { ...headers, authorization: `DPoP ${token}` };
  return { headers: bound, fresh: async () => ({ headers: { ...bound, dpop: await prover.prove(method, path, token) }, body }) };
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
