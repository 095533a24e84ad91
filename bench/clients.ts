// `npm run bench -- clients`: the CPU that each way to authenticate takes in the service and in the database: tokens by secret and by key,
// and calls with a bearer token, with proofs of a key (DPoP), with a client certificate, and for one customer. `--quick` takes a fifth.
import { constants, generateKeyPairSync, hash, type KeyObject, randomUUID, sign, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createWithoutSecret } from '../src/resources/oauth/application.ts';
import { changeTerms, type NewTerms } from '../src/resources/oauth/application-key.ts';
import type { ClientJwk } from '../src/resources/oauth/client-key.ts';
import { createAuthority } from '../test/support/certificates.ts';
import { familyOf, fineCpuSecondsOf } from './processes.ts';
import { openStage, type Stage } from './stage.ts';
import { median } from './statistics.ts';

const ALGORITHMS = ['ES256', 'EdDSA', 'PS256'] as const;
type Algorithm = (typeof ALGORITHMS)[number];
type Key = { alg: Algorithm; privateKey: KeyObject; jwk: ClientJwk };
type Client = { id: string; key: Key };
type Sent = { method: string; path: string; headers: Record<string, string>; body?: string };
/** Makes a request, outside of the measured time. The name is that of the table. */
type Way = { name: string; make: () => Sent };
/** Microseconds for each request. */
type Cost = { service: number; server: number };

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const ROUNDS = options.quick ? 5 : 15;
/** Few, so that a proof is sent within its minute on a busy machine, and the ways take turns often. */
const REQUESTS = 1000;
/** Functions are compiled during the first 10,000 requests of a way, which take up to twice the CPU time. */
const WARM_UP_ROUNDS = 12;
const AT_ONCE = 16;
/** What DPoP may take more than a bearer token, in the service. */
const DPOP_TARGET_US = 120;
const LIFE_S = 240;
const SECRET = 'token by secret';
const HEADER = 'client-cert';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const KEY_PAIRS = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
const SIGNATURES = {
  ES256: { digest: 'sha256', dsaEncoding: 'ieee-p1363' },
  EdDSA: { digest: null },
  PS256: { digest: 'sha256', padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
} as const;

const stage = await openStage({
  seeded: false,
  env: { TOKEN_FAILURES_PER_MINUTE: '0', CLIENT_CERTIFICATE_HEADER: HEADER },
});
try {
  await run(stage);
} finally {
  await stage.close();
}

async function run(stage: Stage): Promise<void> {
  const ways = [...(await callsOf(stage)), ...(await tokensOf(stage))];
  const rounds: Map<string, Cost>[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const costs = new Map<string, Cost>();
    // Forwards and backwards in turns, so that no way has the better half of a round.
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) costs.set(way.name, await measure(stage, way));
    if (round >= 0) rounds.push(costs);
  }
  const [bearer, dpop] = [ways[0]!.name, ways[1]!.name];
  console.log(`${'CPU for each request, median of rounds'.padEnd(44)}  service  database  service, times the first`);
  for (const { name } of ways) {
    const of = (part: keyof Cost) => median(rounds.map((costs) => costs.get(name)![part])).toFixed(0);
    const base = name.startsWith('call') ? bearer : SECRET;
    const times = median(rounds.map((costs) => costs.get(name)!.service / costs.get(base)!.service)).toFixed(2);
    console.log(`${name.padEnd(44)} ${of('service').padStart(5)} µs ${of('server').padStart(6)} µs  ${times}`);
  }
  const more = median(rounds.map((costs) => costs.get(dpop)!.service - costs.get(bearer)!.service));
  const isMet = more <= DPOP_TARGET_US;
  console.log(`DPoP takes ${more.toFixed(0)} µs more in the service (at most ${DPOP_TARGET_US}: ${isMet ? 'met' : 'NOT met'})`);
  if (!isMet) process.exitCode = 1;
}

async function callsOf(stage: Stage): Promise<Way[]> {
  const { client_id, client_secret, customer } = stage.credentials;
  const secret = { grant_type: 'client_credentials', client_id, client_secret };
  const key = newKey('ES256');
  const certificate = { [HEADER]: await newCertificate() };
  const certified = await newClient(stage, 'ES256', { requiredBinding: 'certificate' });
  const bound = await tokenOf(stage, secret, { dpop: proofOf(key, 'POST', `${stage.url}/token`) });
  const ofCertificate = await tokenOf(stage, assertionOf(certified, stage), certificate);
  const details = JSON.stringify([{ type: 'customer', identifiers: [customer], actions: ['read'] }]);
  const narrow = await tokenOf(stage, { ...secret, authorization_details: details });
  const get = (authorization: string, headers: Record<string, string> = {}): Sent => ({
    method: 'GET',
    path: new URL(customer).pathname,
    headers: { authorization, ...headers },
  });
  return [
    { name: 'call with a bearer token', make: () => get(`Bearer ${stage.token}`) },
    { name: 'call with DPoP, ES256', make: () => get(`DPoP ${bound}`, { dpop: proofOf(key, 'GET', customer, bound) }) },
    { name: 'call with a certificate (mTLS)', make: () => get(`Bearer ${ofCertificate}`, certificate) },
    { name: 'call with a token for one customer', make: () => get(`Bearer ${narrow}`) },
  ];
}

async function tokensOf(stage: Stage): Promise<Way[]> {
  const { client_id, client_secret } = stage.credentials;
  const ask = (form: Record<string, string>, headers = {}): Sent => ({
    ...{ method: 'POST', path: '/token', headers: { ...FORM, ...headers }, body: new URLSearchParams(form).toString() },
  });
  const ways: Way[] = [{ name: SECRET, make: () => ask({ grant_type: 'client_credentials', client_id, client_secret }) }];
  for (const alg of ALGORITHMS) {
    const client = await newClient(stage, alg);
    await tokenOf(stage, assertionOf(client, stage));
    ways.push({ name: `token by private_key_jwt, ${alg}`, make: () => ask(assertionOf(client, stage)) });
    if (alg !== 'ES256') continue;
    const dpop = () => proofOf(client.key, 'POST', `${stage.url}/token`);
    ways.push({
      name: 'token by private_key_jwt and DPoP, ES256',
      make: () => ask(assertionOf(client, stage), { dpop: dpop() }),
    });
  }
  return ways;
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
  const seconds = (pid: number) => fineCpuSecondsOf(pid) ?? Number.NaN;
  const server = familyOf(pids.server).reduce((sum, pid) => sum + (fineCpuSecondsOf(pid) ?? 0), 0);
  return { service: seconds(pids.service), server };
}

/** The service knows a new application within a second. */
async function tokenOf(stage: Stage, form: Record<string, string>, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${stage.url}/token`, { method: 'POST', headers, body: new URLSearchParams(form) });
  const answer = (await response.json()) as { access_token?: string };
  if (answer.access_token === undefined) throw new Error(`no token: ${response.status} ${JSON.stringify(answer)}`);
  return answer.access_token;
}

/** An application of the account that has this key and no secret. */
async function newClient({ database, credentials }: Stage, alg: Algorithm, terms: NewTerms = {}): Promise<Client> {
  const key = newKey(alg);
  const wanted = { accountId: credentials.account_id, name: alg, scopes: ['read' as const] };
  const id = await database.transaction(async (tx) => {
    const made = await createWithoutSecret(tx, wanted);
    await changeTerms(tx, made, { ...terms, keys: [key.jwk] });
    return made;
  });
  return { id, key };
}

function newKey(alg: Algorithm): Key {
  const { privateKey, publicKey } = KEY_PAIRS[alg]();
  return { alg, privateKey, jwk: publicKey.export({ format: 'jwk' }) as ClientJwk };
}

/** As Client-Cert has it (RFC 9440). */
async function newCertificate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-bench-'));
  try {
    const { certificate } = await (await createAuthority(folder, 'clients')).certify('client');
    return `:${new X509Certificate(readFileSync(certificate)).raw.toString('base64')}:`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function assertionOf({ id, key }: Client, { url }: Stage): Record<string, string> {
  const iat = nowS();
  const claims = { iss: id, sub: id, aud: url, jti: randomUUID(), iat, exp: iat + LIFE_S };
  return { grant_type: 'client_credentials', client_assertion_type: ASSERTION, client_assertion: signed(key, {}, claims) };
}

function proofOf(key: Key, htm: string, htu: string, token?: string): string {
  const ath = token === undefined ? {} : { ath: hash('sha256', token, 'base64url') };
  return signed(key, { typ: 'dpop+jwt', jwk: key.jwk }, { htm, htu, jti: randomUUID(), iat: nowS(), ...ath });
}

function signed({ alg, privateKey }: Key, header: object, claims: object): string {
  const text = [{ alg, ...header }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const { digest, ...how } = SIGNATURES[alg];
  return `${text}.${sign(digest, Buffer.from(text), { key: privateKey, ...how }).toString('base64url')}`;
}

function nowS(): number {
  return Math.floor(Date.now() / 1000);
}
