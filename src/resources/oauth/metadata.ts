// Routes of the OAuth server metadata and of the keys that verify access tokens and webhooks.
import type { Static } from 'typebox';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Document } from '../../platform/http/content.ts';
import type { Links } from '../../platform/http/links.ts';
import type { App } from '../../platform/http/route.ts';
import type { Authority } from './authority.ts';
import { GRANT } from './client.ts';
import { ALGORITHMS } from './client-key.ts';
import { DETAILS_TYPE } from './customer-token.ts';
import { SCOPES } from './scope.ts';

type Tools = { authority: Authority; links: Links; config: Pick<Config, 'clientCertificateHeader'> };

const JSON_TYPE = 'application/json; charset=utf-8';
const AUTHENTICATION_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

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
    token_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    introspection_endpoint_auth_methods_supported: Type.Array(Type.String()),
    introspection_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    authorization_details_types_supported: Type.Array(Type.String()),
    dpop_signing_alg_values_supported: Type.Array(Type.String()),
    tls_client_certificate_bound_access_tokens: Type.Boolean(),
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

const config = { public: true, plain: true, tagged: true, problems: ['serverError', 'unavailable'] } as const;
const open = { tags: ['authentication'], produces: ['application/json'] };

export function metadataRoutes(app: App, service: Tools): void {
  addGetAuthorizationServer(app, service);
  addGetJwks(app, service);
}

function addGetAuthorizationServer(app: App, service: Tools): void {
  const document: Document = { mediaType: JSON_TYPE };
  app.get(
    '/.well-known/oauth-authorization-server',
    {
      config,
      schema: {
        ...open,
        operationId: 'getAuthorizationServer',
        summary: 'Retrieve the OAuth server metadata',
        description: 'The metadata of RFC 8414: endpoints, scopes, grant types and client authentication methods.',
        response: { 200: Metadata },
      },
    },
    async (_request, reply) => reply.sendDocument(document, JSON.stringify(metadataOf(service))),
  );
}

function addGetJwks(app: App, { authority }: Tools): void {
  const document: Document = { mediaType: JSON_TYPE };
  app.get(
    '/.well-known/jwks.json',
    {
      config,
      schema: {
        ...open,
        operationId: 'getJwks',
        summary: 'Retrieve the verification keys',
        description: 'The JWK set (RFC 7517) with the public keys of access tokens and webhooks, to verify both offline.',
        response: { 200: JwkSet },
      },
    },
    async (_request, reply) => reply.sendDocument(document, JSON.stringify(authority.jwks() satisfies Static<typeof JwkSet>)),
  );
}

function metadataOf({ links, config }: Tools): Static<typeof Metadata> {
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
    token_endpoint_auth_signing_alg_values_supported: [...ALGORITHMS],
    revocation_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: [...ALGORITHMS],
    introspection_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
    introspection_endpoint_auth_signing_alg_values_supported: [...ALGORITHMS],
    authorization_details_types_supported: [DETAILS_TYPE],
    dpop_signing_alg_values_supported: [...ALGORITHMS],
    tls_client_certificate_bound_access_tokens: config.clientCertificateHeader !== undefined,
  };
}
