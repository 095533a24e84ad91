// The rehearsal of a start: some requests before the first one, which would otherwise wait until V8 has compiled the code and the database has
// planned the statements that it is the first to use. A second application answers them, and nothing of it stays.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { duplexPair } from 'node:stream';
import { randomBucket } from '../../core/ids.ts';
import { instrumentLanes } from '../../ledger/transfers/instrumentation.ts';
import { openLanes } from '../../ledger/transfers/lane.ts';
import { addTrialLabels, TRIAL_MAX_MS, type Trial, undone } from '../../ledger/transfers/trial.ts';
import { followCommits } from '../../platform/db/commits.ts';
import { shareLookUps } from '../../platform/db/look-up.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { withTimeout } from '../../platform/db/unavailable.ts';
import { openLinks } from '../../platform/http/links.ts';
import type { App } from '../../platform/http/route.ts';
import { openLog } from '../../platform/telemetry/log.ts';
import { openMetrics } from '../../platform/telemetry/metrics.ts';
import { signToken } from '../../resources/oauth/token.ts';
import { issuerOf, openVerifiedTokens } from '../../resources/oauth/verified-tokens.ts';
import { KEPT_OPEN, type Service } from '../service/service.ts';
import { buildApp, rehearsed } from './app.ts';

type Request = { method: string; path: string; headers?: Record<string, string>; body?: string };

const PUBLIC_URL = 'http://localhost';
const SCOPE = 'read write';

/** Rehearses on the connections that stay open. A rehearsal that fails changes nothing. */
export async function rehearse(service: Service): Promise<void> {
  const beganMs = performance.now();
  const all = Promise.all(Array.from({ length: KEPT_OPEN }, () => rehearseOnce(service)));
  await withTimeout(TRIAL_MAX_MS, all).then(
    () => service.log.debug({ durationMs: Math.round(performance.now() - beganMs) }, 'rehearsed the first requests'),
    (error: unknown) => service.log.debug({ err: error }, 'could not rehearse the first requests'),
  );
}

/** Moves money between two labels that exist in a transaction only, and reads one of them. */
async function rehearseOnce(service: Service): Promise<void> {
  await undone(service.database.transaction, async (tx: Sql) => {
    const trial = await addTrialLabels(tx, randomBucket());
    const stage = setStage(service, tx);
    const token = admit(stage, trial);
    const app = await buildApp(stage, rehearsed);
    try {
      await app.ready();
      for (const each of requestsOf(trial))
        await send(app, each, { authorization: `Bearer ${token}`, accept: stage.links.mediaType });
    } finally {
      await app.close();
    }
  });
}

/** A service that reads in a transaction, moves no money, and counts, limits and logs for itself. */
function setStage(service: Service, tx: Sql): Service {
  const config = { ...service.config, publicUrl: PUBLIC_URL };
  const metrics = openMetrics();
  const database = { ...service.database, sql: tx };
  shareLookUps(tx, { isByBucket: service.groups.isShownInParts });
  // The lanes were prepared with a transfer. Nothing that is returned means that each was posted.
  const posting = { ...service.groups, database: () => ({ ...database, sql: async () => [] }) };
  const shared = { clock: service.clock, commits: followCommits(), instrumentation: instrumentLanes(metrics, undefined) };
  return {
    ...{ ...service, config, metrics, database },
    links: openLinks(config),
    log: openLog(config.logLevel, { write() {} }),
    lanes: openLanes(shared, posting, config),
    calls: { ...service.calls, count() {} },
    authority: { ...service.authority },
    tracing: undefined,
    peers: undefined,
  };
}

/** Lets the service accept the tokens of an application and a key that exist here only, and returns such a token. */
function admit({ authority, clock, config }: Service, { accountId }: Trial): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const id = randomUUID();
  const keyTerms = { keys: [], jwksUri: null, trust: null, isSecretForbidden: false, requiredBinding: null };
  const directory = {
    application: () => ({
      id,
      accountId,
      scopes: ['read' as const, 'write' as const],
      disabled: false,
      secrets: [],
      ...keyTerms,
    }),
    signingKey: () => ({ publicKey }),
    isRevoked: () => false,
    refresh: async () => {},
  };
  const tokens = openVerifiedTokens({ config, directory, clock });
  authority.verify = async (token) => (await tokens.verify(token)).caller;
  authority.verifyCached = (token) => tokens.verifyCached(token)?.caller;
  const [iat, iss] = [Math.floor(clock.now(accountId).getTime() / 1000), issuerOf(config)];
  const claims = {
    iss,
    aud: iss,
    sub: id,
    client_id: id,
    iat,
    exp: iat + config.tokenTtlSeconds,
    jti: randomUUID(),
    scope: SCOPE,
  };
  return signToken({ ...claims, account_id: accountId }, { kid: 'rehearsal', privateKey });
}

function requestsOf({ fromId, toId }: Trial): Request[] {
  const href = (id: string) => ({ href: `${PUBLIC_URL}/labels/${id}` });
  const body = JSON.stringify({ _links: { from: href(fromId), to: href(toId) }, amount: { value: '1.00', currency: 'USD' } });
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  return [
    { method: 'POST', path: '/label-reallocations', headers, body },
    { method: 'GET', path: `/labels/${fromId}` },
  ];
}

/** Sends a request past the network. Throws if it is refused. */
async function send(app: App, { body, headers, ...target }: Request, common: Record<string, string>): Promise<void> {
  const [client, server] = duplexPair();
  app.server.emit('connection', server);
  const signal = AbortSignal.timeout(TRIAL_MAX_MS);
  const sent = request({ ...target, headers: { ...common, ...headers }, createConnection: () => client, signal });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  if (response.statusCode! >= 300) throw new Error(`${target.method} ${target.path} was answered with ${response.statusCode}`);
}
