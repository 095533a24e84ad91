// Schemas of the token endpoints: requests, the issued token, and what introspection shows.
import { Type } from '../../core/type.ts';
import { ASSERTION_TYPE } from './assertion.ts';
import { GRANT } from './client.ts';
import { DETAILS_TYPE } from './customer-token.ts';

const credentials = {
  client_id: Type.Optional(
    Type.String({ description: 'Application key. Required without a Basic header or a client_assertion.' }),
  ),
  client_secret: Type.Optional(
    Type.String({ description: 'Application secret. Required without a Basic header or a client_assertion.' }),
  ),
  client_assertion_type: Type.Optional(Type.Literal(ASSERTION_TYPE)),
  client_assertion: Type.Optional(
    Type.String({ description: 'A JWT signed with a key of the application (RFC 7523), in place of a secret.' }),
  ),
};

const AuthorizationDetails = Type.Array(
  Type.Object({
    type: Type.Literal(DETAILS_TYPE),
    identifiers: Type.Array(Type.String({ format: 'uri' }), {
      minItems: 1,
      maxItems: 1,
      description: 'The URL of the customer.',
    }),
    actions: Type.Array(Type.Enum(['read', 'write']), { minItems: 1, maxItems: 2 }),
  }),
  { minItems: 1, maxItems: 1, description: 'The one customer that the token is for (RFC 9396).' },
);

export const TokenRequest = Type.Object(
  {
    grant_type: Type.Literal(GRANT),
    scope: Type.Optional(
      Type.String({ description: 'Requested scopes, separated by spaces. Default: all scopes of the application.' }),
    ),
    authorization_details: Type.Optional(
      Type.String({
        description:
          'JSON (RFC 9396), for a token that can use one customer only: `[{"type": "customer", "identifiers": [URL], "actions": ["read"]}]`.',
      }),
    ),
    ...credentials,
  },
  { title: 'TokenRequest' },
);

export const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT (RFC 9068).' }),
    token_type: Type.Enum(['Bearer', 'DPoP'], {
      description: 'DPoP if the request had a proof, to whose key the token is bound (RFC 9449).',
    }),
    expires_in: Type.Integer({ description: 'Lifetime in seconds.' }),
    scope: Type.String(),
    authorization_details: Type.Optional(AuthorizationDetails),
  },
  { title: 'AccessToken' },
);

export const TokenParameter = Type.Object(
  { token: Type.String(), token_type_hint: Type.Optional(Type.String()), ...credentials },
  { title: 'TokenParameter' },
);

export const Revoked = Type.Unsafe<undefined>({ type: 'null', description: 'The token is not valid any more.' });

export const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    token_type: Type.Optional(Type.Enum(['Bearer', 'DPoP'])),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    account_id: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String()),
    aud: Type.Optional(Type.String()),
    iss: Type.Optional(Type.String()),
    jti: Type.Optional(Type.String()),
    iat: Type.Optional(Type.Integer({ format: 'int64' })),
    exp: Type.Optional(Type.Integer({ format: 'int64' })),
    authorization_details: Type.Optional(AuthorizationDetails),
    cnf: Type.Optional(
      Type.Object(
        { jkt: Type.Optional(Type.String()), 'x5t#S256': Type.Optional(Type.String()) },
        { description: 'The key or the client certificate that the token is bound to (RFC 7800).' },
      ),
    ),
  },
  {
    title: 'Introspection',
    description: 'Members other than `active` are present only for an active token of the caller’s account.',
  },
);
