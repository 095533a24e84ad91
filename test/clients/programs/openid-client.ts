// A client with openid-client.
import * as client from 'openid-client';

const { BASE_URL = '', CLIENT_ID = '', PRIVATE_JWK = '' } = process.env;
const P256 = { name: 'ECDSA', namedCurve: 'P-256' };
const key = await crypto.subtle.importKey('jwk', JSON.parse(PRIVATE_JWK), P256, false, ['sign']);

const config = await client.discovery(new URL(BASE_URL), CLIENT_ID, undefined, client.PrivateKeyJwt(key), {
  algorithm: 'oauth2',
  execute: [client.allowInsecureRequests],
});
const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair());
const { access_token, token_type } = await client.clientCredentialsGrant(config, { scope: 'read' }, { DPoP });

const statuses: number[] = [];
for (const path of ['/', '/customers?limit=1']) {
  const url = new URL(path, BASE_URL);
  const answer = await client.fetchProtectedResource(config, access_token, url, 'GET', null, new Headers(), { DPoP });
  statuses.push(answer.status);
}
console.log(JSON.stringify({ tokenType: token_type === 'dpop' ? 'DPoP' : token_type, statuses }));
