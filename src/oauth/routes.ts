// OAuth routes: issue, revoke and inspect access tokens, server metadata and verification keys.
import formbody from '@fastify/formbody';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Document } from '../http/content.ts';
import type { Links } from '../http/links.ts';
import type { App } from '../http/route.ts';
import type { Service } from '../service.ts';
import { type Application, SCOPES, type Scope } from './application.ts';
import { openAttempts } from './attempts.ts';
import { type Form, readCredentials, readForm, requireParameter } from './client.ts';
import { answerOAuthError, OAuthError, OAuthErrorSchema } from './oauth-error.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'client_credentials';
const AUTHENTICATION_METHODS = ['client_secret_basic', 'client_secret_post'];

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

const Metadata = Type.Object(
  {
    issuer: Type.String(),
    token_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    jwks_uri: Type.String(),
    scopes_supported: Type.Array(Type.String()),
    response_types_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
    introspection_endpoint_auth_methods_supported: Type.Array(Type.String()),
  },
  { title: 'AuthorizationServer' },
);

const Jwk = Type.Object(
  {
    kty: Type.Literal('OKP'),
    crv: Type.String(),
    x: Type.String(),
    kid: Type.String(),
    use: Type.Literal('sig'),
    alg: Type.Literal('EdDSA'),
  },
  { title: 'Jwk' },
);
const JwkSet = Type.Object({ keys: Type.Array(Jwk) }, { title: 'JwkSet' });

/** Errors raised before the handler of an OAuth endpoint have our media type. */
const ENDPOINT_PROBLEMS = ['requestTooLarge', 'unsupportedType', 'tooManyRequests', 'serverError', 'unavailable'] as const;

const oauthErrors = { 400: OAuthErrorSchema, 401: OAuthErrorSchema };
const config = { public: true, plain: true };
const open = { tags: ['authentication'], produces: ['application/json'] };

export function oauthRoutes(app: App, service: Service): void {
  // Registered in a separate scope: only these routes parse forms (where every member is text), and they do not parse JSON.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(formbody);
    openEndpoints(scope.withTypeProvider<TypeBoxTypeProvider>(), service);
    openMetadata(scope.withTypeProvider<TypeBoxTypeProvider>(), service);
  });
}

function openEndpoints(app: App, service: Service): void {
  const { authority, metrics, config: settings } = service;
  const attempts = openAttempts(settings.tokenFailuresPerMinute);
  // The body schema is for documentation only: the checks below report errors in the OAuth format.
  const endpoint = {
    config: { ...config, problems: ENDPOINT_PROBLEMS },
    attachValidation: true,
    errorHandler: answerOAuthError,
    onRequest: preventCaching,
  };
  const form = { ...open, consumes: [FORM], security: [{ client: [] }, NO_HEADER] };

  /** Client authentication (RFC 6749 §2.3). */
  async function authenticateClient(request: FastifyRequest, form: Form): Promise<Application> {
    const credentials = readCredentials(request.headers.authorization, form);
    const succeed = attempts.begin(credentials.clientId, request.ip);
    const application = await authority.authenticate(credentials);
    if (!application) throw new OAuthError('invalid_client', 'Client authentication failed.');
    succeed();
    request.current.application = application.id;
    return application;
  }

  app.post(
    '/token',
    {
      ...endpoint,
      schema: {
        ...form,
        operationId: 'createToken',
        summary: 'Issue an application access token',
        description:
          'Uses the OAuth 2.0 client credentials grant (RFC 6749 §4.4). Send the credentials in a Basic header, in form fields, or in both.',
        body: TokenRequest,
        response: { 200: TokenAnswer, ...oauthErrors },
      },
    },
    async (request, reply) => {
      const form = readForm(request.body);
      const application = await authenticateClient(request, form);
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

  app.post(
    '/token/revoke',
    {
      ...endpoint,
      schema: {
        ...form,
        operationId: 'revokeToken',
        summary: 'Revoke an access token',
        description: 'Follows RFC 7009. An invalid, expired or revoked token is not an error.',
        body: TokenParameter,
        response: { 200: Revoked, ...oauthErrors },
      },
    },
    async (request, reply) => {
      const form = readForm(request.body);
      const application = await authenticateClient(request, form);
      const claims = await authority.introspect(requireParameter(form, 'token'));
      if (claims && claims.client_id !== application.id) {
        throw new OAuthError('invalid_request', 'The token was issued to another client.');
      }
      if (claims) await authority.revoke(claims);
      return reply.send(undefined);
    },
  );

  app.post(
    '/token/introspect',
    {
      ...endpoint,
      schema: {
        ...form,
        operationId: 'introspectToken',
        summary: 'Inspect an access token',
        description: 'Follows RFC 7662. Tokens of other accounts are reported as inactive.',
        body: TokenParameter,
        response: { 200: Introspection, ...oauthErrors },
      },
    },
    async (request) => {
      const form = readForm(request.body);
      const application = await authenticateClient(request, form);
      const claims = await authority.introspect(requireParameter(form, 'token'));
      if (claims?.account_id !== application.accountId) return { active: false };
      return { active: true, token_type: 'Bearer' as const, ...claims };
    },
  );
}

function openMetadata(app: App, { authority, links }: Service): void {
  const [server, keys]: [Document, Document] = [{ mediaType: JSON_TYPE }, { mediaType: JSON_TYPE }];
  app.get(
    '/.well-known/oauth-authorization-server',
    {
      config: { ...config, problems: ['serverError', 'unavailable'] },
      schema: {
        ...open,
        operationId: 'getAuthorizationServer',
        summary: 'Retrieve the OAuth server metadata',
        description: 'The metadata of RFC 8414: endpoints, scopes, grant types and client authentication methods.',
        response: { 200: Metadata },
      },
    },
    async (_request, reply) => reply.sendDocument(server, JSON.stringify(metadata(links))),
  );

  app.get(
    '/.well-known/jwks.json',
    {
      config: { ...config, problems: ['serverError', 'unavailable'] },
      schema: {
        ...open,
        operationId: 'getJwks',
        summary: 'Retrieve the verification keys',
        description: 'The JWK set (RFC 7517) with the public keys of access tokens, to verify tokens offline.',
        response: { 200: JwkSet },
      },
    },
    async (_request, reply) => reply.sendDocument(keys, JSON.stringify(authority.jwks() satisfies Static<typeof JwkSet>)),
  );
}

function metadata(links: Links): Static<typeof Metadata> {
  return {
    issuer: links.url(''),
    token_endpoint: links.url('/token'),
    revocation_endpoint: links.url('/token/revoke'),
    introspection_endpoint: links.url('/token/introspect'),
    jwks_uri: links.url('/.well-known/jwks.json'),
    scopes_supported: [...SCOPES],
    response_types_supported: [],
    grant_types_supported: [GRANT],
    token_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
    revocation_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
    introspection_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
  };
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
