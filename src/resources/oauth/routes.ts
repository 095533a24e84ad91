// OAuth routes: issue, revoke and inspect access tokens.
import formbody from '@fastify/formbody';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Links } from '../../platform/http/links.ts';
import type { App } from '../../platform/http/route.ts';
import { sourceOf } from '../../platform/http/source.ts';
import type { SandboxTools } from '../../platform/sandbox/tools.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Peers } from '../../platform/worker-coordination.ts';
import { type Application, SCOPES, type Scope } from './application.ts';
import { openAttempts } from './attempts.ts';
import type { Authority } from './authority.ts';
import { type Form, GRANT, readCredentials, readForm, requireParameter } from './client.ts';
import { metadataRoutes } from './metadata.ts';
import { answerOAuthError, OAuthError, OAuthErrorSchema } from './oauth-error.ts';

type Tools = {
  authority: Authority;
  config: Config;
  links: Links;
  metrics: Metrics;
  peers: Peers | undefined;
  sandboxTools: SandboxTools | undefined;
};

const FORM = 'application/x-www-form-urlencoded';

/** An OpenAPI security requirement without schemes: the header is optional. */
const NO_HEADER: Record<string, string[]> = {};

const credentials = {
  client_id: Type.Optional(Type.String({ description: 'Application key. Required without a Basic header.' })),
  client_secret: Type.Optional(Type.String({ description: 'Application secret. Required without a Basic header.' })),
};

const TokenRequest = Type.Object(
  {
    grant_type: Type.Literal(GRANT),
    scope: Type.Optional(
      Type.String({ description: 'Requested scopes, separated by spaces. Default: all scopes of the application.' }),
    ),
    ...credentials,
  },
  { title: 'TokenRequest' },
);

const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT (RFC 9068).' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Lifetime in seconds.' }),
    scope: Type.String(),
  },
  { title: 'AccessToken' },
);

const TokenParameter = Type.Object(
  { token: Type.String(), token_type_hint: Type.Optional(Type.String()), ...credentials },
  { title: 'TokenParameter' },
);

const Revoked = Type.Unsafe<undefined>({ type: 'null', description: 'The token is not valid any more.' });

const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    token_type: Type.Optional(Type.Literal('Bearer')),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    account_id: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String()),
    aud: Type.Optional(Type.String()),
    iss: Type.Optional(Type.String()),
    jti: Type.Optional(Type.String()),
    iat: Type.Optional(Type.Integer({ format: 'int64' })),
    exp: Type.Optional(Type.Integer({ format: 'int64' })),
  },
  {
    title: 'Introspection',
    description: 'Members other than `active` are present only for an active token of the caller’s account.',
  },
);

type Authenticate = (request: FastifyRequest, form: Form) => Promise<Application>;

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

/** Client authentication (RFC 6749 §2.3). Limits failed attempts over all endpoints. */
function openAuthentication({ authority, config, peers }: Tools): Authenticate {
  const attempts = openAttempts(config.tokenFailuresPerMinute, { name: 'client authentication', peers });
  return async (request, form) => {
    const credentials = readCredentials(request.headers.authorization, form);
    const succeed = attempts.begin(credentials.clientId, sourceOf(request.ip));
    const application = await authority.authenticate(credentials);
    if (!application) throw new OAuthError('invalid_client', 'Client authentication failed.');
    succeed();
    request.current.application = application.id;
    return application;
  };
}

function addCreateToken(app: App, service: Tools, authenticate: Authenticate): void {
  const { authority, metrics } = service;

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
      const token = authority.issue(application, grantScopes(application, form.get('scope')));
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
      const claims = await authority.introspect(requireParameter(form, 'token'));
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
      return { active: true, token_type: 'Bearer' as const, ...claims };
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
