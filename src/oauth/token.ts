// An access token: a signed JWT that says which application asks, for which account and with which scopes (RFC 9068).
import { sign } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { type ProblemName, problems, type Refusal, refuse } from '../problems.ts';
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
  /** Words with a space between, RFC 8693 §4.2. */
  scope: string;
  account_id: string;
};

const TYPE = 'at+jwt';
const REQUIRED: (keyof Claims)[] = ['iss', 'sub', 'client_id', 'aud', 'iat', 'exp', 'jti', 'scope', 'account_id'];

/** Signs with node:crypto and not jose, as this is the dearest part of an issue and takes a third of the time here. */
export function signToken(claims: Claims, { kid, privateKey }: Signer): string {
  const content = `${encode({ alg: ALGORITHM, typ: TYPE, kid })}.${encode(claims)}`;
  return `${content}.${sign(null, Buffer.from(content), privateKey).toString('base64url')}`;
}

/**
 * The claims of a token as RFC 9068 §4 has it checked: type, algorithm, signature, issuer, audience, expiry.
 * Refuses with `expiredAccessToken` only what is right in every other way.
 */
export async function verifyToken(
  token: string,
  options: { issuer: string; nowMs: number; findKey: (kid: string) => Promise<SigningKey | undefined> },
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
    if (error instanceof errors.JWTExpired) throw refuseToken('expiredAccessToken');
    if (error instanceof errors.JOSEError) throw refuseToken('invalidAccessToken');
    throw error;
  }
}

/** The refusal of a token that was sent, with the challenge of RFC 6750 §3. */
export function refuseToken(problem: ProblemName): Refusal {
  const challenge = `Bearer realm="earmark", error="invalid_token", error_description="${problems[problem].message}"`;
  return refuse(problem, { headers: { 'www-authenticate': challenge } });
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
