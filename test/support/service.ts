// Starts the application for a test on a loopback port and a new database, with a client that checks answers against the OpenAPI document.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, startServer } from '../../src/apps/api/server.ts';
import type { Service } from '../../src/apps/service/service.ts';
import type { Clock } from '../../src/core/clock.ts';
import { settleEvents } from '../../src/ledger/feed/feed.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import type { Sql } from '../../src/platform/db/sql.ts';
import { openLog } from '../../src/platform/telemetry/log.ts';
import { createAccount } from '../../src/resources/accounts/account.ts';
import { createApplication } from '../../src/resources/oauth/application.ts';
import { SCOPES, type Scope } from '../../src/resources/oauth/scope.ts';
import { bePatient, clusterPorts } from '../cluster/databases.ts';
import { type Contract, committedContract, type Document, openContract } from './contract.ts';
import { createDatabase, dropDatabase } from './database.ts';
import { allEvents } from './events.ts';
import { type Client as Credentials, idOf, request } from './http.ts';
import { type Call, type Client, openPlatform } from './platform.ts';
import { assertNothingSealed, watchValue } from './sealed-values.ts';
import { catchUp, DEFAULT_PROCESSES, startTwo } from './second-server.ts';
import type { TestScope } from './test-scope.ts';
import { waitUntil } from './wait.ts';

if (clusterPorts) bePatient();

const UNAVAILABLE = 503;

export type TestService = Awaited<ReturnType<typeof startService>>;

/** The database and data directory of a service, and the stops of others that share them. */
type Home = { databaseUrl: string; dataDir: string; besides: (() => Promise<void>)[] };

type Settings = {
  /** Environment settings, in addition to the defaults of the tests. */
  env?: Record<string, string>;
  clock?: Clock;
  /** By default 1, or 2 with EARMARK_TEST_WORKERS=2. Tests that count or replace parts of a process ask for 1. */
  processes?: 1 | 2;
  /** Another service whose database and data directory this one shares. */
  beside?: Home;
};

/**
 * Starts a service that stops after the test, or after the file for shared ones. The test fails when sealed data appears in its answers
 * or log lines.
 */
export async function startService(t: TestScope, settings: Settings = {}) {
  const { databaseUrl, dataDir } = settings.beside ?? (await makeHome());
  const logs: string[] = [];
  const server = await openServer({ databaseUrl, dataDir }, logs, settings);
  const { service, port, url } = server;
  const agent = new http.Agent({ keepAlive: true });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    agent.destroy();
    stopped ??= server.stop();
    return stopped;
  };
  const besides: Home['besides'] = [];
  settings.beside?.besides.push(stop);
  t.after(async () => {
    await Promise.all(besides.map((stop) => stop()));
    await stop();
    if (!settings.beside) {
      await dropDatabase(databaseUrl);
      rmSync(dataDir, { recursive: true, force: true });
    }
    assertNothingSealed(logs.join(''));
  });
  const { ports = [port], services = [service] } = server;
  let sent = 0;
  const send: Call = async (method, address, options = {}) => {
    const path = address.replace(url, '');
    const answer = await request({ agent, port: ports[sent++ % ports.length]!, method, path, ...options });
    if (method !== 'GET') await catchUp(services, path);
    return answer;
  };
  const contract = await contractOf(settings, async () => (await send('GET', '/openapi.json')).body);
  /** Sends a request and checks the answer against the OpenAPI document. */
  const checked: Call = async (method, path, options) => {
    const answer = await send(method, path, options);
    contract(method, path.replace(url, ''), answer);
    return answer;
  };
  const clients = openClients(service, send);
  const newPlatform = async () => openPlatform(service, await clients.newClient(), checked);
  const { sql } = service.database;
  return {
    ...{ url, port, ports, databaseUrl, dataDir, besides, service, services, sql, logs, stop, send, newPlatform, ...clients },
    /** The stored state, to check that a refusal leaves it unchanged. */
    snapshot: () => snapshot(sql),
    /** The topics of the events about a resource, in order. */
    async topics(url: string): Promise<string[]> {
      const rows = await sql<{
        topic: string;
      }>`select topic from ${await allEvents(sql)} where resource_id = ${idOf(url)} order by id`;
      return rows.map((row) => row.topic);
    },
    ...(await newPlatform()),
  };
}

/** A service with a new account, for files whose tests share the service. */
export async function openAccount(service: TestService): Promise<TestService> {
  return { ...service, ...(await service.newPlatform()) };
}

/** A new account with two labels of one customer; the first has 100.00 USD. */
export async function openLabels(service: TestService) {
  const account = await openAccount(service);
  return { ...account, ...(await account.newLabels()) };
}

/**
 * The committed contract, unless these settings change the document or the file is being written. Requests take turns between two
 * processes, and tests of what one of them shows count on the turn after that for the document.
 */
async function contractOf(
  { env = {}, processes = DEFAULT_PROCESSES }: Settings,
  served: () => Promise<Document>,
): Promise<Contract> {
  const isOther = [env.MODE, env.MEDIA_TYPE_VENDOR, process.env.OPENAPI_WRITE].some(Boolean) || processes === 2;
  return isOther ? openContract(await served()) : committedContract();
}

async function makeHome(): Promise<Pick<Home, 'databaseUrl' | 'dataDir'>> {
  return { dataDir: mkdtempSync(join(tmpdir(), 'earmark-service-')), databaseUrl: await createDatabase() };
}

/** Starts the server on a free port; its log lines go to `logs`. */
function openServer(
  home: Pick<Home, 'databaseUrl' | 'dataDir'>,
  logs: string[],
  { env, clock, processes = DEFAULT_PROCESSES }: Settings,
): Promise<Server & { ports?: number[]; services?: Service[] }> {
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    MODE: 'sandbox',
    LOG_LEVEL: 'debug',
    DATA_DIR: home.dataDir,
    DATABASE_URL: home.databaseUrl,
    ...env,
  });
  const log = openLog(config.logLevel, { write: (line: string) => void logs.push(line) });
  if (processes === 2) return startTwo({ config, log, clock, databaseUrl: home.databaseUrl });
  return startServer(config, log, {
    connection: { url: home.databaseUrl, ownerUrl: home.databaseUrl, stop: async () => {} },
    clock,
  });
}

/** Creates applications, in their own accounts by default, and gets their tokens. */
function openClients(service: Service, send: Call) {
  async function tokenOf({ client_id, client_secret }: Credentials): Promise<string> {
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString();
    // On a busy machine the application may be read too late for the first request.
    const answer = await waitUntil('the token request is answered', async () => {
      const sent = await send('POST', '/token', { form });
      return sent.status !== UNAVAILABLE && sent;
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.access_token;
  }
  async function newClient(scopes: readonly Scope[] = SCOPES, accountId?: string): Promise<Client> {
    const account_id = accountId ?? (await createAccount(service.database.sql, 'Test')).id;
    const made = await service.database.transaction((tx) =>
      createApplication(tx, service.sealer, { accountId: account_id, name: 'Test', scopes: [...scopes] }),
    );
    watchValue(made.client_secret);
    return { ...made, account_id, token: await tokenOf(made) };
  }
  return { newClient, tokenOf };
}

async function snapshot(sql: Sql): Promise<unknown> {
  await settleEvents(sql);
  return sql`
    select (select jsonb_agg(a order by id) from ledger_account a) as accounts, (select count(*) from transfer) as transfers,
      (select count(*) from event) as events,
      (select count(*) from idempotency_key) as keys, (select jsonb_agg(to_jsonb(c) - 'sealed' order by id) from customer c) as customers`;
}
