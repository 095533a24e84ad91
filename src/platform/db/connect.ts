// Connects to the configured database: an external server, or the embedded server of the data directory.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { UserError } from '../../core/user-error.ts';
import type { Config } from '../config/config.ts';
import { newClient } from './client.ts';
import { codeOf } from './embedded/errors.ts';
import { type EmbeddedServer, hasCluster, startEmbedded } from './embedded.ts';
import { keepJoined, type Use } from './rejoin.ts';
import { requireSession, requireVersion, UnsuitableError, warnOfRisks } from './start-checks.ts';
import { DatabaseTimeoutError, withTimeout } from './unavailable.ts';

export type Connection = {
  url: string;
  /** For what the role of services may not do: to migrate, to restore and to copy everything. */
  ownerUrl: string;
  /** Disconnects. The last process to disconnect from the embedded server stops it. */
  stop(): Promise<void>;
};

/** The database cannot be used. The message is one line. */
export class ConnectError extends UserError {}

const CONNECT_TIMEOUT_MS = 10_000;
const JOIN_TIMEOUT_MS = 60_000;
const RETRY_MS = 50;
/** How long a service waits for its predecessor to release the data directory; the session of a killed process ends within moments. */
const EXCLUSIVE_TIMEOUT_MS = 2000;
/** How long a disconnecting process waits for the server. */
const LEAVE_TIMEOUT_MS = 2000;
const CONNECTIONS_MIN = 100;
/** Those of a process for housekeeping. */
const CONNECTIONS_BESIDE = 5;
/** For commands, migrations, psql sessions, and the three connections that PostgreSQL reserves for superusers. */
const CONNECTIONS_SPARE = 30;

/** Codes of OpenSSL for a certificate whose authority is not known. */
const UNTRUSTED = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
];
const UNTRUSTED_REASON =
  'no known authority has signed the certificate of the server. Name a private one by sslrootcert=FILE in DATABASE_URL';

/** Advisory locks of the embedded server. Every user shares IN_USE; the one service holds EXCLUSIVE. */
const IN_USE = 4_027_303;
const EXCLUSIVE = 4_027_302;

/**
 * Connects a service. With the embedded server, the service has exclusive use of the data directory and restarts the server when
 * it dies.
 */
export async function connectService(config: Config, log: FastifyBaseLogger): Promise<Connection> {
  if (config.databaseUrl) return connectExternal(config.databaseUrl, (client) => warnOfRisks(client, config, log));
  const join = () => connectEmbedded(config, { service: true });
  return keepJoined(await join(), join, log);
}

/**
 * Connects a command: to the server of a running service, or to an embedded server that it starts for its own run. Creates a database
 * cluster only with `create`: otherwise a data directory without one is a mistyped DATA_DIR.
 */
export async function connectCommand(config: Config, { create = false } = {}): Promise<Connection> {
  if (config.databaseUrl) return connectExternal(config.databaseUrl);
  if (!create) await requireCluster(config.dataDir);
  return connectEmbedded(config, { service: false });
}

async function requireCluster(dataDir: string): Promise<void> {
  await checkDataDir(dataDir);
  // An unreadable directory is reported by the start.
  if (await hasCluster(dataDir).catch(() => true)) return;
  throw new ConnectError(
    `DATA_DIR ${dataDir} contains no database. Set DATA_DIR to that of the service, or start it: earmark serve.`,
  );
}

async function connectExternal(url: string, check?: (client: pg.Client) => Promise<void>): Promise<Connection> {
  const clients: pg.Client[] = [];
  const connect = async () => {
    const client = newClient(url, { connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    clients.push(client);
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  try {
    const client = await connect();
    await requireVersion(client);
    await requireSession(client, connect);
    await check?.(client);
  } catch (error) {
    if (error instanceof UnsuitableError) throw error;
    const reason = UNTRUSTED.includes(codeOf(error) ?? '') ? UNTRUSTED_REASON : reasonOf(error);
    throw new ConnectError(`The database of DATABASE_URL cannot be used: ${reason}.`);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
  return { url, ownerUrl: url, stop: async () => {} };
}

/** Starts or finds the embedded server and joins it. Retries when another process is just stopping it. */
async function connectEmbedded(config: Config, { service }: { service: boolean }): Promise<Use> {
  const { dataDir } = config;
  await checkDataDir(dataDir);
  const each = config.lanes + Math.ceil(config.poolSize / config.workers) + CONNECTIONS_BESIDE;
  const connections = Math.max(CONNECTIONS_MIN, config.workers * each + CONNECTIONS_SPARE);
  const deadline = performance.now() + JOIN_TIMEOUT_MS;
  for (;;) {
    const server = await startEmbedded({ dataDir, settings: { max_connections: `${connections}` } });
    try {
      return await join(server, service ? { dataDir, connections } : undefined);
    } catch (error) {
      if (error instanceof ConnectError) throw error;
      if (performance.now() > deadline) {
        throw new ConnectError(`The database server of ${dataDir} cannot be used: ${reasonOf(error)}.`, { cause: error });
      }
    }
    await sleep(RETRY_MS);
  }
}

/** Joins a server; a service also passes its exclusive claim. An error other than ConnectError can be retried. */
async function join(server: EmbeddedServer, claim: { dataDir: string; connections: number } | undefined): Promise<Use> {
  const session = await openSession(server.serviceUrl);
  const lost = new Promise<void>((resolve) => session.once('end', resolve));
  let left: Promise<void> | undefined;
  const stop = () => {
    left ??= leave(session, server);
    return left;
  };
  try {
    if (claim && !(await lockDataDir(session))) {
      throw new ConnectError(`Another Earmark service is using the data directory ${claim.dataDir}.`);
    }
    // A server left by a killed service may have other settings. If nobody else uses it, leaving stops it, and the retry starts it again.
    if (claim && (await connectionsOf(session)) < claim.connections) {
      throw new Error('it was started with fewer connections than LANES and POOL_SIZE need, and something else is using it');
    }
    return { url: server.serviceUrl, ownerUrl: server.url, lost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Checks that the data directory, if it exists, is a folder this process can write to. */
async function checkDataDir(dataDir: string): Promise<void> {
  const found = await stat(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new ConnectError(`DATA_DIR ${dataDir} cannot be reached: ${reasonOf(error)}.`);
  });
  if (!found) return;
  if (!found.isDirectory()) throw new ConnectError(`DATA_DIR ${dataDir} is not a folder.`);
  await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw new ConnectError(`DATA_DIR ${dataDir} cannot be written: ${reasonOf(error)}.`);
  });
}

/** Opens the session whose lock marks the server as in use. The session ends with its process, even after SIGKILL. */
async function openSession(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'earmark hold',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    // Waits for a process that is stopping the server, and fails when the server stops.
    await client.query('select pg_advisory_lock_shared($1)', [IN_USE]);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

async function lockDataDir(session: pg.Client): Promise<boolean> {
  const deadline = performance.now() + EXCLUSIVE_TIMEOUT_MS;
  while (!(await tryLock(session, EXCLUSIVE))) {
    if (performance.now() > deadline) return false;
    await sleep(RETRY_MS);
  }
  return true;
}

/**
 * Leaves a server, and stops it when nobody else uses it. A process that connects meanwhile waits for the lock and then starts the
 * server again.
 */
async function leave(session: pg.Client, server: EmbeddedServer): Promise<void> {
  let last = true;
  try {
    await withTimeout(LEAVE_TIMEOUT_MS, session.query('select pg_advisory_unlock_shared($1)', [IN_USE]));
    last = await tryLock(session, IN_USE);
  } catch (error) {
    // A broken session means that the server stopped or crashed; stopping it again is safe. A server that does not respond keeps
    // running, because others may use it.
    last = !(error instanceof DatabaseTimeoutError);
  }
  if (last) await server.stop();
  await session.end().catch(() => {});
}

async function tryLock(session: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await session.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lock]);
  return rows[0]?.locked === true;
}

async function connectionsOf(session: pg.Client): Promise<number> {
  const { rows } = await session.query<{ max_connections: string }>('show max_connections');
  return Number(rows[0]?.max_connections);
}

/** The message of an error on one line, without the final period. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').replace(/\.$/, '');
}
