// Access tokens: signed JWTs with application, account and scopes (RFC 9068), and the caller that they identify.
import { sign } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { refuse } from '../../core/problems.ts';
import { type CustomerDetails, customerIn } from './customer-token.ts';
import type { Scope } from './scope.ts';
import { ALGORITHM, type Signer, type SigningKey } from './signing-key.ts';

/** The claims, named as in RFC 9068 §2.2; times are seconds since 1970. */
export type Claims = {
  iss: string;
  sub: string;
  client_id: string;
  aud: string;
  iat: number;
  exp: number;
  jti: string;
  /** Scopes separated by spaces (RFC 8693 §4.2). */
  scope: string;
  account_id: string;
  /** What it is bound to; absent for a bearer token. */
  cnf?: Cnf;
  /** One customer, if the token is for no more (RFC 9396). */
  authorization_details?: [CustomerDetails];
};

/** The authenticated sender of a request. */
export type Caller = {
  accountId: string;
  applicationId: string;
  scopes: ReadonlySet<Scope>;
  cnf?: Cnf;
  /** The only customer that the caller may use. */
  customerId?: string;
};

/** What a token is bound to (RFC 7800): the thumbprint of a key (RFC 9449), of a certificate (RFC 8705), or of both. */
export type Cnf = { jkt?: string; 'x5t#S256'?: string };

const TYPE = 'at+jwt';
const REQUIRED: (keyof Claims)[] = ['iss', 'sub', 'client_id', 'aud', 'iat', 'exp', 'jti', 'scope', 'account_id'];

/** Signs with node:crypto, which takes a third of the time of jose. Signing is the most expensive part of issuing a token. */
export function signToken(claims: Claims, { kid, privateKey }: Signer): string {
  const content = `${encode({ alg: ALGORITHM, typ: TYPE, kid })}.${encode(claims)}`;
  return `${content}.${sign(null, Buffer.from(content), privateKey).toString('base64url')}`;
}

/**
 * Verifies a token by RFC 9068 §4 (type, algorithm, signature, issuer, audience, expiry) and returns its claims.
 * Refuses with `expiredAccessToken` if only the expiry is wrong, else with `invalidAccessToken`.
 */
export async function verifyToken(
  token: string,
  options: { issuer: string; nowMs: number; findKey: (kid: string) => Promise<Pick<SigningKey, 'publicKey'> | undefined> },
): Promise<Claims> {
  const keyOf = async ({ kid }: { kid?: string | undefined }) => {
    const key = kid === undefined ? undefined : await options.findKey(kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key.publicKey;
  };
  try {
    const { payload } = await jwtVerify<Claims>(token, keyOf, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: options.issuer,
      audience: options.issuer,
      requiredClaims: REQUIRED,
      currentDate: new Date(options.nowMs),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw refuse('expiredAccessToken');
    if (error instanceof errors.JOSEError) throw refuse('invalidAccessToken');
    throw error;
  }
}

export function toCaller({ account_id, client_id, scope, cnf, authorization_details: details }: Claims): Caller {
  const scopes = new Set(scope.split(' ') as Scope[]);
  return {
    accountId: account_id,
    applicationId: client_id,
    scopes,
    ...(cnf && { cnf }),
    ...(details && { customerId: customerIn(details[0]) }),
  };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
