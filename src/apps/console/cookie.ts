// Cookies of the console: the session, and what a sign-in needs. The API never reads them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';

/**
 * `session`: 12 hours, not sent with requests of other sites. The others come back from an identity provider too. `attempt`: a sign-in in
 * progress. `return`: the page to show after the sign-in. `form`: the form that was sent when the session had ended.
 */
type CookieName = 'session' | 'attempt' | 'return' | 'form';

export type Cookies = {
  read(request: FastifyRequest, name: CookieName): string | undefined;
  set(reply: FastifyReply, name: CookieName, value: { secret: string; seconds: number }): void;
  clear(reply: FastifyReply, name: CookieName): void;
};

/**
 * Outside a sandbox cookies are Secure and have the prefix `__Host-`, so that no other host can set them (RFC 6265bis §4.1.3). A sandbox
 * has no TLS; its port is part of the names, because browsers share cookies between the ports of localhost.
 */
export function openCookies(config: Pick<Config, 'mode' | 'publicUrl'>): Cookies {
  const isSecure = () => config.mode === 'production' || config.publicUrl?.startsWith('https:') === true;
  const nameOf = (name: CookieName) =>
    isSecure() ? `__Host-earmark-${name}` : `earmark-${name}-${new URL(config.publicUrl!).port || '80'}`;
  const write = (reply: FastifyReply, name: CookieName, value: string, seconds: number) => {
    const sameSite = name === 'session' ? 'Strict' : 'Lax';
    const secure = isSecure() ? '; Secure' : '';
    reply.header('set-cookie', `${nameOf(name)}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure}`);
  };
  return {
    read: ({ headers }, name) => valueIn(headers.cookie, nameOf(name)),
    set: (reply, name, { secret, seconds }) => write(reply, name, secret, seconds),
    clear: (reply, name) => write(reply, name, '', 0),
  };
}

function valueIn(header: string | undefined, name: string): string | undefined {
  const prefix = `${name}=`;
  const pair = header
    ?.split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(prefix));
  return pair?.slice(prefix.length);
}
