// A client with oauth4webapi.
import * as oauth from 'oauth4webapi';

const { BASE_URL = '', CLIENT_ID: client_id = '', PRIVATE_JWK = '' } = process.env;
const P256 = { name: 'ECDSA', namedCurve: 'P-256' };
const key = await crypto.subtle.importKey('jwk', JSON.parse(PRIVATE_JWK), P256, false, ['sign']);
const insecure = { [oauth.allowInsecureRequests]: true };

const issuer = new URL(BASE_URL);
const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
const server = await oauth.processDiscoveryResponse(issuer, discovery);
const client: oauth.Client = { client_id };
const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
const response = await oauth.clientCredentialsGrantRequest(server, client, oauth.PrivateKeyJwt(key), {}, { DPoP, ...insecure });
const { access_token, token_type } = await oauth.processClientCredentialsResponse(server, client, response);

const statuses: number[] = [];
for (const path of ['/', '/customers?limit=1']) {
  const url = new URL(path, BASE_URL);
  const answer = await oauth.protectedResourceRequest(access_token, 'GET', url, new Headers(), null, { DPoP, ...insecure });
  statuses.push(answer.status);
}
console.log(JSON.stringify({ tokenType: token_type === 'dpop' ? 'DPoP' : token_type, statuses }));
