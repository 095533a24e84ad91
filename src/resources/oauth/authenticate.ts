// Authentication by bearer token (RFC 6750), and authorization by scope.
import type { FastifyRequest } from 'fastify';
import { type ProblemName, type Refusal, refuse } from '../../core/problems.ts';
import type { App } from '../../platform/http/route.ts';
import type { Anonymous } from './anonymous.ts';
import type { Scope } from './application.ts';
import type { Authority } from './authority.ts';
import { type Caller, refuseToken } from './token.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The required scope, checked before the body is read. */
    scope?: Scope;
    /** The route calls `requireScope` itself, after it has checked the syntax of the body. */
    checksScope?: true;
  }
  interface FastifyRequest {
    /** Set on every route that is not public. */
    caller: Caller;
  }
}

/** The usual spelling of the scheme. */
const PREFIX = 'Bearer ';
const BEARER = /^bearer(?: |$)/i;
const BEARER_TOKEN = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/**
 * Accepts tokens that were verified before; other requests are limited as anonymous.
 * Must be installed before any hook that may refuse a request.
 */
export function useAdmission(app: App, authority: Authority, anonymous: Anonymous): void {
  app.decorateRequest('caller');
  app.addHook('onRequest', (request, reply, done) => {
    const { authorization } = request.headers;
    const caller =
      needsToken(request) && authorization?.startsWith(PREFIX) && authority.verifyCached(authorization.slice(PREFIX.length));
    if (!caller) return anonymous.admit(request, reply, done);
    request.caller = caller;
    done();
  });
}

/** Verifies tokens and scopes. A request that matches no route needs no token to get its 404. */
export function useAuthentication(app: App, authority: Authority): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!needsToken(request)) return done();
    const { config } = request.routeOptions;
    const authorize = (caller: Caller) => {
      request.caller = caller;
      const { scope, forbidden, checksScope } = config;
      done(scope === undefined || checksScope ? undefined : scopeRefusal(caller, scope, forbidden));
    };
    if (request.caller) authorize(request.caller);
    else authority.verify(bearerToken(request.headers.authorization)).then(authorize, done);
  });
}

/** Refuses a caller without the scope. */
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

/** Returns the token of an Authorization header (RFC 6750 §2.1). Without credentials, the challenge contains no error (§3.1). */
function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined || !BEARER.test(authorization)) {
    throw refuse('invalidAccessToken', { headers: { 'www-authenticate': 'Bearer realm="earmark"' } });
  }
  const token = BEARER_TOKEN.exec(authorization)?.[1];
  if (token === undefined) throw refuseToken('invalidAccessToken');
  return token;
}
