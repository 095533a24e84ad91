// The database of a configuration: an external server by its URL, or the embedded one of the data directory.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import type { Config } from '../config.ts';
import { UserError } from '../user-error.ts';
import { LateError, within } from './away.ts';
import { type EmbeddedServer, hasCluster, startEmbedded } from './embedded.ts';
import { keepJoined, type Use } from './rejoin.ts';

export type Connection = {
  url: string;
  /** Lets the server go; the embedded one is stopped by whoever leaves it last. */
  stop(): Promise<void>;
};

/** The database cannot be used; one line that says why. */
export class ConnectError extends UserError {}

const CONNECT_TIMEOUT_MS = 10_000;
const JOIN_TIMEOUT_MS = 60_000;
const RETRY_MS = 50;
/** How long a service waits for the one before it to let go of the data directory; a killed one does so within moments. */
const HOLD_TIMEOUT_MS = 2000;
/** How long whoever leaves waits for the answer of the server. */
const LEAVE_TIMEOUT_MS = 2000;
const CONNECTIONS_MIN = 100;
/** For commands, migrations, a look by hand, and the three that PostgreSQL keeps for its superuser. */
const CONNECTIONS_SPARE = 30;

/** Locks of the embedded server. Those who use it share the first; the service has the second for itself. */
const IN_USE = 4_027_303;
const HOLD = 4_027_302;

/**
 * Connects for a service, which has the data directory of the embedded server for itself for as long as it lives, and starts that
 * server again when it dies.
 */
export async function connectService(config: Config, log: FastifyBaseLogger): Promise<Connection> {
  if (config.databaseUrl) return connectExternal(config.databaseUrl);
  const join = () => connectEmbedded(config, { service: true });
  return keepJoined(await join(), join, log);
}

/**
 * Connects for a command: beside a running service, or with the embedded server for as long as the command runs. Only with `create`
 * does it make a database cluster: elsewhere a data directory without one is a mistyped DATA_DIR.
 */
export async function connectCommand(config: Config, { create = false } = {}): Promise<Connection> {
  if (config.databaseUrl) return connectExternal(config.databaseUrl);
  if (!create) await requireCluster(config.dataDir);
  return connectEmbedded(config, { service: false });
}

async function requireCluster(dataDir: string): Promise<void> {
  await checkDataDir(dataDir);
  // What cannot be read is reported by the start.
  if (await hasCluster(dataDir).catch(() => true)) return;
  throw new ConnectError(
    `DATA_DIR ${dataDir} holds no database. Set DATA_DIR to that of the service, or start it: earmark serve.`,
  );
}

async function connectExternal(url: string): Promise<Connection> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client.on('error', () => {});
    await client.connect();
  } catch (error) {
    throw new ConnectError(`The database of DATABASE_URL cannot be used: ${reasonOf(error)}.`);
  } finally {
    await client?.end().catch(() => {});
  }
  return { url, stop: async () => {} };
}

/** Starts or finds the embedded server and joins it; again when it was just being stopped by another process. */
async function connectEmbedded(config: Config, { service }: { service: boolean }): Promise<Use> {
  const { dataDir } = config;
  await checkDataDir(dataDir);
  const connections = Math.max(CONNECTIONS_MIN, config.lanes + config.poolSize + CONNECTIONS_SPARE);
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

/** Joins a server, as a service with what only a service claims. Fails with another error than ConnectError where trying again can help. */
async function join(server: EmbeddedServer, claim: { dataDir: string; connections: number } | undefined): Promise<Use> {
  const session = await openSession(server.url);
  const lost = new Promise<void>((resolve) => session.once('end', resolve));
  let left: Promise<void> | undefined;
  const stop = () => {
    left ??= leave(session, server);
    return left;
  };
  try {
    if (claim && !(await holdDataDir(session))) {
      throw new ConnectError(`Another Earmark service is using the data directory ${claim.dataDir}.`);
    }
    // One that was left behind may have been started for other settings; leaving it ends it.
    if (claim && (await connectionsOf(session)) < claim.connections) {
      throw new Error('it was started with fewer connections than LANES and POOL_SIZE need, and something else is using it');
    }
    return { url: server.url, lost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A folder that is not there yet is made by whoever needs it. */
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

/** A session that marks the server as in use: it ends with its process, however the process ends. */
async function openSession(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'earmark hold',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    // Waits for one who is stopping the server, and breaks with it.
    await client.query('select pg_advisory_lock_shared($1)', [IN_USE]);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

async function holdDataDir(session: pg.Client): Promise<boolean> {
  const deadline = performance.now() + HOLD_TIMEOUT_MS;
  while (!(await tryLock(session, HOLD))) {
    if (performance.now() > deadline) return false;
    await sleep(RETRY_MS);
  }
  return true;
}

/**
 * Ends the use of a server, and stops it when nobody else is using it. A newcomer meanwhile waits for the lock and then
 * starts the server anew.
 */
async function leave(session: pg.Client, server: EmbeddedServer): Promise<void> {
  let last = true;
  try {
    await within(LEAVE_TIMEOUT_MS, session.query('select pg_advisory_unlock_shared($1)', [IN_USE]));
    last = await tryLock(session, IN_USE);
  } catch (error) {
    // The session broke, which it does when the server stops or crashes; then there is nobody to stop it for. A server that does
    // not answer stays, as others may use it.
    last = !(error instanceof LateError);
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

/** In one line, without the full stop. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').replace(/\.$/, '');
}
