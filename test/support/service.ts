// Starts the application for a test on a loopback port and a new database, with a client that checks answers against the OpenAPI document.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../src/accounts/account.ts';
import type { Clock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import type { Sql } from '../../src/db/sql.ts';
import { createApplication, SCOPES, type Scope } from '../../src/oauth/application.ts';
import { startServer } from '../../src/server.ts';
import type { Service } from '../../src/service.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { openContract } from './contract.ts';
import { createDatabase, dropDatabase } from './database.ts';
import { freePort } from './free-port.ts';
import { type Answer, type Options, request } from './http.ts';
import { CLI } from './paths.ts';
import { assertNothingSealed, watchValue } from './sealed-values.ts';
import type { TestScope } from './test-scope.ts';

export type Client = { client_id: string; client_secret: string; account_id: string; token: string };
export type TestService = Awaited<ReturnType<typeof startService>>;

const PROCESS_START_MS = 30_000;

type Settings = {
  /** Environment settings, in addition to the defaults of the tests. */
  env?: Record<string, string>;
  clock?: Clock;
  /** Another service whose database and data directory this one shares. */
  beside?: { databaseUrl: string; dataDir: string; besides: (() => Promise<void>)[] };
};

/**
 * Starts a service that stops after the test, or after the file for shared ones. The test fails when sealed data appears in its answers
 * or log lines.
 */
export async function startService(t: TestScope, settings: Settings = {}) {
  const dataDir = settings.beside?.dataDir ?? mkdtempSync(join(tmpdir(), 'earmark-service-'));
  const url = settings.beside?.databaseUrl ?? (await createDatabase());
  const logs: string[] = [];
  const stream = { write: (line: string) => void logs.push(line) };
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    MODE: 'sandbox',
    LOG_LEVEL: 'debug',
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    ...settings.env,
  });
  const server = await startServer(config, openLog(config.logLevel, stream), {
    connection: { url, stop: async () => {} },
    clock: settings.clock,
  });
  const agent = new http.Agent({ keepAlive: true });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    agent.destroy();
    stopped ??= server.stop();
    return stopped;
  };
  const besides: (() => Promise<void>)[] = [];
  settings.beside?.besides.push(stop);
  t.after(async () => {
    await Promise.all(besides.map((stop) => stop()));
    await stop();
    if (!settings.beside) {
      await dropDatabase(url);
      rmSync(dataDir, { recursive: true, force: true });
    }
    assertNothingSealed(logs.join(''));
  });
  const { service } = server;
  const { port } = server;
  const send = (method: string, path: string, options: Options = {}) =>
    request({ agent, port, method, path: path.replace(server.url, ''), ...options });
  const contract = openContract((await send('GET', '/openapi.json')).body);

  const newClient = async (scopes: readonly Scope[] = SCOPES, accountId?: string): Promise<Client> => {
    const account_id = accountId ?? (await createAccount(service.database.sql, 'Test')).id;
    const made = await service.database.transaction((tx) =>
      createApplication(tx, service.sealer, { accountId: account_id, name: 'Test', scopes: [...scopes] }),
    );
    watchValue(made.client_secret);
    return { ...made, account_id, token: await tokenOf(made) };
  };
  const tokenOf = async ({ client_id, client_secret }: { client_id: string; client_secret: string }): Promise<string> => {
    const answer = await send('POST', '/token', {
      form: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString(),
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.access_token;
  };
  /** The calls of an account, which owns no resources yet. */
  const openPlatform = (client: Client) => {
    /** Calls the service with a path or a URL, and checks the answer against the OpenAPI document. */
    async function call(method: string, path: string, options: Options = {}): Promise<Answer> {
      const answer = await send(method, path, { token: client.token, ...options });
      contract(method, path.replace(server.url, ''), answer);
      return answer;
    }
    return { client, token: client.token, call, ...resourceFactories(call, service) };
  };

  return {
    url: server.url,
    port,
    databaseUrl: url,
    dataDir,
    besides,
    service,
    sql: service.database.sql,
    logs,
    stop,
    send,
    newClient,
    newPlatform: async () => openPlatform(await newClient()),
    tokenOf,
    /** The stored state, to check that a refusal leaves it unchanged. */
    snapshot: () => snapshot(service.database.sql),
    ...openPlatform(await newClient()),
  };
}

/**
 * Starts a second service as a separate process on the database and under the URL of the first, as behind a load balancer.
 * It has its own port and stops before the first service.
 */
export async function startProcess(beside: TestService, env: Record<string, string> = {}) {
  const port = await freePort();
  const settings = {
    DATABASE_URL: beside.databaseUrl,
    DATA_DIR: beside.dataDir,
    PUBLIC_URL: beside.url,
    MODE: beside.service.config.mode,
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, [CLI, 'serve'], {
    env: { ...process.env, ...settings, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.pipe(process.stderr, { end: false });
  // Checked for sealed data with the log of the first service.
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => beside.logs.push(text));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const agent = new http.Agent({ keepAlive: true });
  beside.besides.push(async () => {
    agent.destroy();
    child.kill('SIGTERM');
    await ended;
  });
  const send = (method: string, path: string, options: Options = {}) =>
    request({ agent, port, method, path: path.replace(beside.url, ''), ...options });
  const begin = performance.now();
  while ((await send('GET', '/health/ready').catch(() => undefined))?.status !== 200) {
    assert.ok(child.exitCode === null && performance.now() - begin < PROCESS_START_MS, 'the second process does not start');
    await new Promise((resume) => setTimeout(resume, 50));
  }
  return { port, pid: child.pid!, send };
}

/** Creates common resources over HTTP; each function returns a URL. */
function resourceFactories(call: (method: string, path: string, options?: Options) => Promise<Answer>, service: Service) {
  const made = (answer: Answer): string => {
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.location!;
  };
  return {
    /** Creates a verified business customer with an available balance. */
    async newCustomer(
      options: { available?: string; currency?: string; token?: string; form?: Record<string, unknown> } = {},
    ): Promise<string> {
      const customer = made(
        await call('POST', '/customers', {
          body: { ...customerForm(), ...options.form },
          ...(options.token && { token: options.token }),
        }),
      );
      if (options.available) {
        const amount = { value: options.available, currency: options.currency ?? 'USD' };
        made(await call('POST', `${customer}/deposits`, { body: { amount }, ...(options.token && { token: options.token }) }));
      }
      return customer;
    },
    async newLabel(customer: string, value = '0', options: { currency?: string; token?: string } = {}): Promise<string> {
      const amount = { value, currency: options.currency ?? 'USD' };
      return made(await call('POST', `${customer}/labels`, { body: { amount }, ...(options.token && { token: options.token }) }));
    },
    reallocation,
    /** The URL of a resource that does not exist. */
    nowhere: (kind: string) => service.links.locate({ type: kind, id: '01890000-0000-7000-8000-000000000000' }),
  };
}

/** The body of a reallocation between the URLs of two labels. */
export function reallocation(from: string, to: string, value: unknown, currency: unknown = 'USD') {
  return { _links: { from: { href: from }, to: { href: to } }, amount: { value, currency } };
}

export function customerForm() {
  return {
    type: 'business',
    firstName: 'Grace',
    lastName: 'Example',
    email: `${randomUUID()}@example.com`,
    address1: '1 Main Street',
    city: 'Springfield',
    state: 'IL',
    postalCode: '62701',
    dateOfBirth: '1980-01-02',
    ssn: '987-65-4321',
    businessName: 'Example Works',
    businessType: 'soleProprietorship',
    businessClassification: 'retail',
  };
}

async function snapshot(sql: Sql): Promise<unknown> {
  return sql`
    select (select jsonb_agg(a order by id) from ledger_account a) as accounts, (select count(*) from transfer) as transfers,
      (select count(*) from ledger_entry) as entries, (select count(*) from event) as events,
      (select count(*) from idempotency_key) as keys, (select jsonb_agg(to_jsonb(c) - 'sealed' order by id) from customer c) as customers`;
}
