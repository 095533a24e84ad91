// Authentication: who makes a request, by its bearer token (RFC 6750), and whether its scopes allow the route.
import type { App } from '../http/route.ts';
import { type ProblemName, type Refusal, refuse } from '../problems.ts';
import type { Scope } from './application.ts';
import type { Authority, Caller } from './authority.ts';
import { refuseToken } from './token.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no token. */
    public?: boolean;
    /** Neither demands nor answers the versioned media type. */
    plain?: boolean;
    /** What the token must allow; checked before the body is read. */
    scope?: Scope;
    /** The route calls `requireScope` itself, as it checks its syntax first. */
    checksScope?: true;
    /** How a missing scope is refused; `forbidden` unless said. */
    forbidden?: ProblemName;
    /** How a path that can name nothing is refused; `notFound` unless said. */
    missing?: ProblemName;
    /** Every fault of the body is told with its place. */
    form?: boolean;
  }
  interface FastifyRequest {
    /** Set on every route that is not public. */
    caller: Caller;
  }
}

/** How nearly all write the scheme. */
const USUAL = 'Bearer ';
const BEARER = /^bearer(?: |$)/i;
const BEARER_TOKEN = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** Installs the hook. An unknown route is answered as such without a token. */
export function useAuthentication(app: App, authority: Authority): void {
  app.decorateRequest('caller');
  app.addHook('onRequest', (request, _reply, done) => {
    const { config } = request.routeOptions;
    if (request.is404 || config.public) return done();
    const enter = (caller: Caller) => {
      request.caller = caller;
      const { scope, forbidden, checksScope } = config;
      done(scope === undefined || checksScope ? undefined : scopeRefusal(caller, scope, forbidden));
    };
    const { authorization } = request.headers;
    const known = authorization?.startsWith(USUAL) && authority.known(authorization.slice(USUAL.length));
    if (known) enter(known);
    else authority.verify(bearerToken(authorization)).then(enter, done);
  });
}

/** Refuses a caller whose token does not allow a scope. */
export function requireScope(caller: Pick<Caller, 'scopes'>, scope: Scope, forbidden?: ProblemName): void {
  const refusal = scopeRefusal(caller, scope, forbidden);
  if (refusal) throw refusal;
}

function scopeRefusal(
  { scopes }: Pick<Caller, 'scopes'>,
  scope: Scope,
  forbidden: ProblemName = 'forbidden',
): Refusal | undefined {
  if (scopes.has(scope)) return undefined;
  const challenge = `Bearer realm="earmark", error="insufficient_scope", scope="${scope}"`;
  return refuse(forbidden, { headers: { 'www-authenticate': challenge } });
}

/** The token of an Authorization header (RFC 6750 §2.1). Who sent none is challenged without an error (§3.1). */
function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || !BEARER.test(authorization)) {
    throw refuse('invalidAccessToken', { headers: { 'www-authenticate': 'Bearer realm="earmark"' } });
  }
  const token = BEARER_TOKEN.exec(authorization)?.[1];
  if (token === undefined) throw refuseToken('invalidAccessToken');
  return token;
}
