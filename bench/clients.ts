// `npm run bench -- clients`: the CPU time that each way to authenticate takes in the service and in the database: tokens by secret and by
// key, and calls with a bearer token, with a token bound to a key (DPoP), and with one for one customer. `--quick` takes a fifth of the time.
import { generateKeyPairSync, hash, type KeyObject, randomUUID, sign } from 'node:crypto';
import { changeTerms } from '../src/resources/oauth/application-key.ts';
import { type ClientJwk, readKey } from '../src/resources/oauth/client-key.ts';
import { cpuSecondsOf, serverCpuSeconds } from './processes.ts';
import { openStage, type Stage } from './stage.ts';
import { median } from './statistics.ts';

type Key = { privateKey: KeyObject; jwk: ClientJwk };
type Sent = { method: string; path: string; headers: Record<string, string>; body?: string };
/** Makes a request, outside of the measured time. */
type Way = { name: string; make: () => Sent };
type Cost = { service: number; server: number };

const QUICK = process.argv.includes('--quick');
const ROUNDS = QUICK ? 3 : 11;
const REQUESTS = QUICK ? 300 : 1_500;
const AT_ONCE = 16;
/** Of interface.md: what DPoP may take more than a bearer token, in the service. */
const DPOP_TARGET_US = 120;
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const stage = await openStage({ env: { TOKEN_FAILURES_PER_MINUTE: '0' } });
try {
  await run(stage);
} finally {
  await stage.close();
}

async function run(stage: Stage): Promise<void> {
  const { client_id, client_secret, customer } = stage.credentials;
  const key = newKey();
  await changeTerms(stage.database.sql, client_id, { keys: [key.jwk] });
  const secret = { grant_type: 'client_credentials', client_id, client_secret };
  const bound = await tokenOf(stage, secret, { dpop: proofOf(key, 'POST', `${stage.url}/token`) });
  const details = JSON.stringify([{ type: 'customer', identifiers: [customer], actions: ['read'] }]);
  const narrow = await tokenOf(stage, { ...secret, authorization_details: details });
  const path = new URL(customer).pathname;
  const get = (authorization: string, dpop?: string): Sent => ({
    method: 'GET',
    path,
    headers: { authorization, ...(dpop && { dpop }) },
  });
  const ask = (form: Record<string, string>, headers = {}): Sent => ({
    ...{ method: 'POST', path: '/token', headers: { ...FORM, ...headers }, body: new URLSearchParams(form).toString() },
  });
  const ways: Way[] = [
    { name: 'call with a bearer token', make: () => get(`Bearer ${stage.token}`) },
    { name: 'call with DPoP', make: () => get(`DPoP ${bound}`, proofOf(key, 'GET', customer, bound)) },
    { name: 'call with a token for one customer', make: () => get(`Bearer ${narrow}`) },
    { name: 'token by secret', make: () => ask(secret) },
    { name: 'token by key', make: () => ask(assertionOf(key, stage)) },
    {
      name: 'token by key, with DPoP',
      make: () => ask(assertionOf(key, stage), { dpop: proofOf(key, 'POST', `${stage.url}/token`) }),
    },
  ];
  const rounds: Cost[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const costs: Cost[] = [];
    for (const way of ways) costs.push(await measure(stage, way));
    // The first does not count.
    if (round > 0) rounds.push(costs);
  }
  for (const [index, { name }] of ways.entries()) {
    const of = (part: keyof Cost) => median(rounds.map((costs) => costs[index]![part])).toFixed(0);
    console.log(
      `${name.padEnd(36)} ${of('service').padStart(5)} µs in the service ${of('server').padStart(5)} µs in the database`,
    );
  }
  const more = median(rounds.map(([bearer, dpop]) => dpop!.service - bearer!.service));
  const isMet = more <= DPOP_TARGET_US;
  console.log(`DPoP takes ${more.toFixed(0)} µs more in the service (at most ${DPOP_TARGET_US}: ${isMet ? 'met' : 'NOT met'})`);
  if (!isMet) process.exitCode = 1;
}

async function measure(stage: Stage, { name, make }: Way): Promise<Cost> {
  const requests = Array.from({ length: REQUESTS }, make);
  const before = cpuOf(stage);
  const work = async () => {
    for (let request = requests.pop(); request; request = requests.pop()) {
      const { path, ...init } = request;
      const response = await fetch(`${stage.url}${path}`, init);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${name}: ${response.status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const after = cpuOf(stage);
  const each = (part: keyof Cost) => ((after[part] - before[part]) * 1e6) / REQUESTS;
  return { service: each('service'), server: each('server') };
}

function cpuOf({ pids }: Stage): Cost {
  return { service: cpuSecondsOf(pids.service) ?? Number.NaN, server: serverCpuSeconds(pids.server) ?? Number.NaN };
}

async function tokenOf(stage: Stage, form: Record<string, string>, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${stage.url}/token`, { method: 'POST', headers, body: new URLSearchParams(form) });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error(`no token: ${response.status}`);
  return access_token;
}

function newKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const read = readKey(publicKey.export({ format: 'jwk' }));
  if (typeof read === 'string') throw new Error(read);
  return { privateKey, jwk: read.jwk };
}

function assertionOf(key: Key, { url, credentials: { client_id } }: Stage): Record<string, string> {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: client_id, sub: client_id, aud: url, jti: randomUUID(), iat, exp: iat + 120 };
  return { grant_type: 'client_credentials', client_assertion_type: ASSERTION, client_assertion: signed(key, {}, claims) };
}

function proofOf(key: Key, htm: string, htu: string, token?: string): string {
  const ath = token === undefined ? {} : { ath: hash('sha256', token, 'base64url') };
  const claims = { htm, htu, jti: randomUUID(), iat: Math.floor(Date.now() / 1000), ...ath };
  return signed(key, { typ: 'dpop+jwt', jwk: key.jwk }, claims);
}

function signed({ privateKey }: Key, header: object, claims: object): string {
  const text = [{ alg: 'ES256', ...header }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}
