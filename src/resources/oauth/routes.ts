// OAuth routes: issue, revoke and inspect access tokens.
import formbody from '@fastify/formbody';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import type { App } from '../../platform/http/route.ts';
import type { SandboxTools } from '../../platform/sandbox/tools.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Peers } from '../../platform/worker-coordination.ts';
import type { Application } from './application.ts';
import type { Authority } from './authority.ts';
import { GRANT, readForm, requireParameter } from './client.ts';
import { type Authenticate, openAuthentication } from './client-authentication.ts';
import { readDetails, scopesIn } from './customer-token.ts';
import { metadataRoutes } from './metadata.ts';
import { answerOAuthError, OAuthError, OAuthErrorSchema } from './oauth-error.ts';
import { SCOPES, type Scope } from './scope.ts';
import { Introspection, Revoked, TokenAnswer, TokenParameter, TokenRequest } from './token-schemas.ts';

type Tools = {
  authority: Authority;
  config: Config;
  database: Pick<Database, 'sql'>;
  links: Links;
  metrics: Metrics;
  peers: Peers | undefined;
  sandboxTools: SandboxTools | undefined;
};

const FORM = 'application/x-www-form-urlencoded';

/** An OpenAPI security requirement without schemes: the header is optional. */
const NO_HEADER: Record<string, string[]> = {};

// The body schema is for documentation only: the handlers report errors in the OAuth format. Earlier errors have our media type.
const endpoint = {
  config: {
    public: true,
    plain: true,
    problems: ['requestTooLarge', 'unsupportedType', 'tooManyRequests', 'serverError', 'unavailable'],
  },
  attachValidation: true,
  errorHandler: answerOAuthError,
  onRequest: preventCaching,
} as const;
const documented = {
  tags: ['authentication'],
  produces: ['application/json'],
  consumes: [FORM],
  security: [{ client: [] }, NO_HEADER],
};
const errors = { 400: OAuthErrorSchema, 401: OAuthErrorSchema };

export function oauthRoutes(app: App, service: Tools): void {
  // Registered in a separate scope: only these routes parse forms (where every member is text), and they do not parse JSON.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(formbody);
    const routes = scope.withTypeProvider<TypeBoxTypeProvider>();
    const authenticate = openAuthentication(service);
    addCreateToken(routes, service, authenticate);
    addRevokeToken(routes, service, authenticate);
    addIntrospectToken(routes, service, authenticate);
    metadataRoutes(routes, service);
  });
}

function addCreateToken(app: App, service: Tools, authenticate: Authenticate): void {
  const { authority, metrics } = service;
  const tools = { sql: service.database.sql, links: service.links };

  app.post(
    '/token',
    {
      ...endpoint,
      schema: {
        ...documented,
        operationId: 'createToken',
        summary: 'Issue an application access token',
        description:
          'Uses the OAuth 2.0 client credentials grant (RFC 6749 §4.4). Send the credentials in a Basic header, in form fields, or in both.',
        body: TokenRequest,
        response: { 200: TokenAnswer, ...errors },
      },
    },
    async (request, reply) => {
      const form = readForm(request.body);
      const application = await authenticate(request, form);
      await service.sandboxTools?.injectFault(request, reply, application.accountId);
      if (reply.sent) return reply;
      if (requireParameter(form, 'grant_type') !== GRANT) {
        throw new OAuthError('unsupported_grant_type', `The only supported grant_type is ${GRANT}.`);
      }
      const granted = grantScopes(application, form.get('scope'));
      const details = await readDetails(tools, application.accountId, form.get('authorization_details'));
      const scopes = details ? scopesIn(details, granted) : granted;
      if (scopes.length === 0)
        throw new OAuthError('invalid_scope', 'No scope is left for the actions of authorization_details.');
      const cnf = await authority.bindings.begin(application, request, reply);
      const token = authority.issue(application, scopes, { cnf, details });
      metrics.tokensIssued.add();
      return token;
    },
  );
}

function addRevokeToken(app: App, { authority }: Tools, authenticate: Authenticate): void {
  app.post(
    '/token/revoke',
    {
      ...endpoint,
      schema: {
        ...documented,
        operationId: 'revokeToken',
        summary: 'Revoke an access token',
        description: 'Follows RFC 7009. An invalid, expired or revoked token is not an error.',
        body: TokenParameter,
        response: { 200: Revoked, ...errors },
      },
    },
    async (request, reply) => {
      const form = readForm(request.body);
      const application = await authenticate(request, form);
      const claims = await authority.signedClaims(requireParameter(form, 'token'));
      if (claims && claims.client_id !== application.id) {
        throw new OAuthError('invalid_request', 'The token was issued to another client.');
      }
      if (claims) await authority.revoke(claims);
      return reply.send(undefined);
    },
  );
}

function addIntrospectToken(app: App, { authority }: Tools, authenticate: Authenticate): void {
  app.post(
    '/token/introspect',
    {
      ...endpoint,
      schema: {
        ...documented,
        operationId: 'introspectToken',
        summary: 'Inspect an access token',
        description: 'Follows RFC 7662. Tokens of other accounts are reported as inactive.',
        body: TokenParameter,
        response: { 200: Introspection, ...errors },
      },
    },
    async (request) => {
      const form = readForm(request.body);
      const application = await authenticate(request, form);
      const claims = await authority.introspect(requireParameter(form, 'token'));
      if (claims?.account_id !== application.accountId) return { active: false };
      return { active: true, token_type: claims.cnf?.jkt ? ('DPoP' as const) : ('Bearer' as const), ...claims };
    },
  );
}

/** Forbids caches to store credentials and tokens (RFC 6749 §5.1). */
function preventCaching(_request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
  done();
}

/** Returns the scopes to grant (RFC 6749 §3.3): the requested ones in the order of SCOPES, or all of the application. */
function grantScopes(application: Application, requested: string | undefined): Scope[] {
  if (requested === undefined) return application.scopes;
  const words = requested.split(' ');
  const refused = words.find((word) => !application.scopes.includes(word as Scope));
  if (refused !== undefined)
    throw new OAuthError('invalid_scope', `The application may request only these scopes: ${application.scopes.join(' ')}.`);
  return SCOPES.filter((scope) => words.includes(scope));
}
