// Authentication: who makes a request, by its bearer token (RFC 6750), and whether its scopes allow the route.
import type { FastifyRequest } from 'fastify';
import type { App } from '../http/route.ts';
import { type ProblemName, type Refusal, refuse } from '../problems.ts';
import type { Anonymous } from './anonymous.ts';
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

/** Recognizes a token that was verified before; every other request is admitted as anonymous. Must be installed before what may refuse one. */
export function useAdmission(app: App, authority: Authority, anonymous: Anonymous): void {
  app.decorateRequest('caller');
  app.addHook('onRequest', (request, reply, done) => {
    const { authorization } = request.headers;
    const known = needsToken(request) && authorization?.startsWith(USUAL) && authority.known(authorization.slice(USUAL.length));
    if (!known) return anonymous.admit(request, reply, done);
    request.caller = known;
    done();
  });
}

/** Verifies tokens and their scopes. An unknown route is answered as such without a token. */
export function useAuthentication(app: App, authority: Authority): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!needsToken(request)) return done();
    const { config } = request.routeOptions;
    const enter = (caller: Caller) => {
      request.caller = caller;
      const { scope, forbidden, checksScope } = config;
      done(scope === undefined || checksScope ? undefined : scopeRefusal(caller, scope, forbidden));
    };
    if (request.caller) enter(request.caller);
    else authority.verify(bearerToken(request.headers.authorization)).then(enter, done);
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

function needsToken(request: FastifyRequest): boolean {
  return !request.is404 && !request.routeOptions.config.public;
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
