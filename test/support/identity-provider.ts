// An OpenID provider on loopback for tests. Each test chooses the claims and the signature of its ID tokens, valid or not.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { TestService } from './service.ts';
import type { TestScope } from './test-scope.ts';

const CLIENT_ID = 'earmark-console';
const OWN = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };

/** What the next ID token has instead of the valid claims; undefined leaves a claim out. `isForged`: signed by another key. */
type Token = { claims?: Record<string, unknown>; isForged?: boolean };

export async function startIdentityProvider(t: TestScope) {
  const [own, other] = [await generateKeyPair('RS256', { extractable: true }), await generateKeyPair('RS256')];
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'test', alg: 'RS256', use: 'sig' };
  let next: Token & { nonce?: string } = {};
  const server = http.createServer(async (request, response) => {
    const answers: Record<string, () => unknown> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      '/keys': () => ({ keys: [jwk] }),
      '/token': async () => ({ access_token: 'unused', token_type: 'Bearer', expires_in: 60, id_token: await makeToken() }),
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await answers[request.url!]!()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function makeToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const valid = {
      iss: issuer,
      aud: CLIENT_ID,
      sub: 'ada',
      iat: now,
      exp: now + 60,
      nonce: next.nonce,
      name: 'Ada',
      roles: ['viewer'],
    };
    const claims = { ...valid, ...next.claims } as JWTPayload;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' }).sign((next.isForged ? other : own).privateKey);
  }

  return {
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: 'a client secret of the test' },
    /** Signs in as a browser does, and returns the answer to the callback. */
    async signIn({ send }: Pick<TestService, 'send'>, token: Token = {}) {
      const begun = await send('GET', '/console/openid', { headers: OWN });
      const { searchParams } = new URL(String(begun.headers.location));
      next = { ...token, nonce: searchParams.get('nonce')! };
      const query = new URLSearchParams({ code: 'code', state: searchParams.get('state')! });
      const cookie = String(begun.headers['set-cookie']).split(';')[0]!;
      return send('GET', `/console/openid/callback?${query}`, {
        headers: { accept: 'text/html', cookie, 'sec-fetch-site': 'cross-site' },
      });
    },
  };
}
