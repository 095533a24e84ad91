// Sign-in with the identity provider of a company (OpenID Connect Core 1.0, authorization code with PKCE).
import * as openid from 'openid-client';
import type { Config } from '../../platform/config/config.ts';
import type { Attempt } from './attempt.ts';
import { cleanName, isReserved, NAME_LENGTH } from './operator.ts';
import { ROLES, type Role } from './role.ts';

export type OpenIdConfig = NonNullable<Config['openId']>;
type OpenIdAttempt = Extract<Attempt, { kind: 'openid' }>;

/** Who signed in. `roles`: those of the claim; undefined when the provider sends no claim. */
export type Identity = { issuer: string; subject: string; name: string; roles: Role[] | undefined };

type Provider = {
  /** The URL to send the browser to, and what to remember until it returns. */
  begin(redirectUri: string): Promise<{ url: string; attempt: OpenIdAttempt }>;
  /** The identity behind the URL to which the browser returned. Throws when the answer is not valid. */
  finish(returned: URL, attempt: OpenIdAttempt): Promise<Identity>;
};

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/;
const TIMEOUT_SECONDS = 10;
const NAME_CLAIMS = ['name', 'preferred_username', 'email'];
/** The provider issues the token when the browser returns, so it is new: what is left is the difference of the clocks. */
const IAT_TOLERANCE_SECONDS = 300;
/** OpenID Connect Core 1.0 §2 allows ASCII only. */
const SUBJECT = /^[!-~](?:[ -~]{0,253}[!-~])?$/;

/** Opens a provider. Its metadata are read at the first sign-in, and again after a failure. */
export function openProvider({ issuer, clientId, clientSecret, rolesClaim }: OpenIdConfig): Provider {
  let discovered: Promise<openid.Configuration> | undefined;
  const configuration = () => {
    // A provider without TLS is for tests on this machine only.
    const execute = LOOPBACK.test(issuer) ? [openid.allowInsecureRequests] : [];
    // By default the library trusts the TLS connection to the provider instead of the signature of the ID token.
    execute.push(openid.enableNonRepudiationChecks);
    discovered ??= openid
      .discovery(new URL(issuer), clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_SECONDS })
      .catch((error: unknown) => {
        discovered = undefined;
        throw error;
      });
    return discovered;
  };
  return {
    async begin(redirectUri) {
      const attempt: OpenIdAttempt = {
        kind: 'openid',
        verifier: openid.randomPKCECodeVerifier(),
        state: openid.randomState(),
        nonce: openid.randomNonce(),
      };
      const url = openid.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        state: attempt.state,
        nonce: attempt.nonce,
      });
      return { url: url.href, attempt };
    },
    async finish(returned, { verifier, state, nonce }) {
      const tokens = await openid.authorizationCodeGrant(await configuration(), returned, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      checkClaims(claims);
      return { issuer: claims.iss, subject: claims.sub, name: nameIn(claims), roles: rolesIn(claims[rolesClaim]) };
    },
  };
}

/** Checks what the library does not: when the token was issued, and that the subject can identify somebody. */
function checkClaims({ iat, sub }: openid.IDToken): void {
  if (Math.abs(Date.now() / 1000 - iat) > IAT_TOLERANCE_SECONDS) throw new Error('iat of the ID token is not the present time');
  if (!SUBJECT.test(sub)) throw new Error('sub of the ID token does not identify a person');
}

/** The first claim with a name that people can see, or the subject. */
function nameIn(claims: openid.IDToken): string {
  const given = [...NAME_CLAIMS.map((claim) => claims[claim]), claims.sub];
  const names = given.map((value) => (typeof value === 'string' ? cleanName(value).slice(0, NAME_LENGTH) : ''));
  return names.find((name) => name !== '' && !isReserved(name)) ?? names.at(-1)!;
}

/** The known roles of a claim: a list, or one text with spaces or commas. */
function rolesIn(claim: unknown): Role[] | undefined {
  const given = Array.isArray(claim) ? claim : typeof claim === 'string' ? claim.split(/[\s,]+/) : undefined;
  return given && ROLES.filter((role) => given.includes(role));
}
