// The access token: asked for once for all who wait for it, and anew shortly before it ends.
import type { AccessToken } from './openapi.ts';
import type { Send } from './send.ts';

export type Tokens = {
  /** A token that is good for some time yet. A signal ends this wait only: others wait for the same token. */
  current(signal?: AbortSignal): Promise<string>;
  /** Forgets a token that was refused; a newer one stays. */
  drop(token: string): void;
};

/** A token is replaced when this part of its life is left, though never earlier than this time before its end. */
const LEFT = 0.1;
const LEFT_MAX_MS = 60_000;

export function openTokens(send: Send, { clientId, clientSecret }: { clientId: string; clientSecret: string }): Tokens {
  let known: { token: string; freshUntilMs: number } | undefined;
  let asking: Promise<string> | undefined;

  /** Client credentials as RFC 6749 §4.4 has them, in the form fields of §2.3.1, so that a browser asks no leave for a header. */
  async function ask(): Promise<string> {
    try {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
      const askedMs = Date.now();
      const { text } = await send({ method: 'POST', path: '/token', headers: {}, body });
      const { access_token: token, expires_in } = JSON.parse(text) as AccessToken;
      const lifeMs = expires_in * 1000;
      known = { token, freshUntilMs: askedMs + lifeMs - Math.min(lifeMs * LEFT, LEFT_MAX_MS) };
      return token;
    } finally {
      asking = undefined;
    }
  }

  return {
    async current(signal) {
      if (known && Date.now() < known.freshUntilMs) return known.token;
      signal?.throwIfAborted();
      asking ??= ask();
      return signal ? untilAborted(asking, signal) : asking;
    },
    drop(token) {
      if (known?.token === token) known = undefined;
    },
  };
}

/** What comes first: the outcome, or the abortion with the signal's reason. */
async function untilAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([outcome, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
