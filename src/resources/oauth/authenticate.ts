// Authentication by token (RFC 6750, RFC 9449), and authorization by scope.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ProblemName, type Refusal, refuse } from '../../core/problems.ts';
import type { App } from '../../platform/http/route.ts';
import type { Anonymous } from './anonymous.ts';
import type { Authority } from './authority.ts';
import type { Presented } from './binding.ts';
import { isForCustomers } from './customer-token.ts';
import type { Scope } from './scope.ts';
import type { Caller } from './token.ts';

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

/** The usual spellings of the schemes. */
const BEARER = 'Bearer ';
const DPOP = 'DPoP ';
const SCHEME = /^(bearer|dpop)(?: |$)/i;
const CREDENTIALS = /^(?:bearer|dpop) +([A-Za-z0-9._~+/-]+=*) *$/i;

/**
 * Accepts tokens that were verified before; other requests are limited as anonymous.
 * Must be installed before any hook that may refuse a request.
 */
export function useAdmission(app: App, authority: Authority, anonymous: Anonymous): void {
  app.decorateRequest('caller');
  app.addHook('onRequest', (request, reply, done) => {
    const caller = needsToken(request) && knownCaller(authority, request.headers.authorization);
    if (!caller) return anonymous.admit(request, reply, done);
    // A token that is bound to something is not enough.
    if (!caller.cnf) request.caller = caller;
    done();
  });
}

function knownCaller(authority: Authority, authorization: string | undefined): Caller | undefined {
  if (authorization?.startsWith(BEARER)) return authority.verifyCached(authorization.slice(BEARER.length));
  const bound = authorization?.startsWith(DPOP) ? authority.verifyCached(authorization.slice(DPOP.length)) : undefined;
  return bound?.cnf && bound;
}

/** Verifies tokens and scopes. A request that matches no route needs no token to get its 404. */
export function useAuthentication(app: App, authority: Authority): void {
  async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const presented = readAuthorization(request.headers.authorization);
    const caller = await authority.verify(presented.token);
    await authority.bindings.check(caller, presented, request, reply);
    return caller;
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!needsToken(request)) return done();
    const { config } = request.routeOptions;
    const authorize = (caller: Caller) => {
      request.caller = caller;
      const { scope, forbidden, checksScope } = config;
      if (caller.customerId !== undefined && !isForCustomers(operationOf(request))) return done(refuse(forbidden ?? 'forbidden'));
      done(scope === undefined || checksScope ? undefined : scopeRefusal(caller, scope, forbidden));
    };
    if (request.caller) authorize(request.caller);
    else authenticate(request, reply).then(authorize, done);
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

function operationOf({ routeOptions }: FastifyRequest): string | undefined {
  return (routeOptions.schema as { operationId?: string } | undefined)?.operationId;
}

function needsToken(request: FastifyRequest): boolean {
  return !request.is404 && !request.routeOptions.config.public;
}

/** Reads an Authorization header (RFC 6750 §2.1, RFC 9449 §7.1). Without credentials, the challenge contains no error (RFC 6750 §3.1). */
function readAuthorization(authorization: string | undefined): Presented {
  const scheme = SCHEME.exec(authorization ?? '')?.[1];
  if (authorization === undefined || scheme === undefined) {
    throw refuse('invalidAccessToken', { headers: { 'www-authenticate': 'Bearer realm="earmark"' } });
  }
  const token = CREDENTIALS.exec(authorization)?.[1];
  if (token === undefined) throw refuse('invalidAccessToken');
  return { scheme: scheme.length === DPOP.length - 1 ? 'DPoP' : 'Bearer', token };
}
