// The database of a configuration: an external server by its URL, or the embedded one of the data directory.
import pg from 'pg';
import type { Config } from '../config.ts';
import { startEmbedded } from './embedded.ts';

export type Connection = {
  url: string;
  /** Stops the embedded server where this process started or adopted it. */
  stop(): Promise<void>;
};

/** The database cannot be used; one line that says why. */
export class ConnectError extends Error {}

const HOLD = 4_027_302;
const HOLD_TRIES = 20;
const HOLD_PAUSE_MS = 250;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects for a service: with the embedded server, the service holds the data directory for itself for as long as it
 * lives. The hold is a session of the database, so that it ends with the process however the process ends.
 */
export async function connectService(config: Config): Promise<Connection> {
  if (config.databaseUrl) return connectExternal(config.databaseUrl);
  const server = await startEmbedded({ dataDir: config.dataDir });
  const hold = await holdDataDir(server.url);
  if (!hold) throw new ConnectError(`Another Earmark service is using the data directory ${config.dataDir}.`);
  return {
    url: server.url,
    async stop() {
      await hold.end();
      await server.stop();
    },
  };
}

/** Connects for a command: beside a running service, or with the embedded server for as long as the command runs. */
export async function connectCommand(config: Config): Promise<Connection> {
  if (config.databaseUrl) return connectExternal(config.databaseUrl);
  const server = await startEmbedded({ dataDir: config.dataDir });
  const hold = await holdDataDir(server.url, { tries: 1 });
  return {
    url: server.url,
    async stop() {
      await hold?.end();
      if (hold) await server.stop();
    },
  };
}

async function connectExternal(url: string): Promise<Connection> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
  } catch (error) {
    throw new ConnectError(`The database of DATABASE_URL cannot be reached: ${reasonOf(error)}`);
  }
  await client.end();
  return { url, stop: async () => {} };
}

/** A session that holds the data directory, or undefined while another process does. A killed one lets go within moments. */
async function holdDataDir(url: string, options: { tries: number } = { tries: HOLD_TRIES }): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString: url, application_name: 'earmark hold' });
  client.on('error', () => {});
  await client.connect();
  for (let attempt = 0; attempt < options.tries; attempt++) {
    if (attempt > 0) await new Promise((resume) => setTimeout(resume, HOLD_PAUSE_MS));
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [HOLD]);
    if (rows[0]?.held) return client;
  }
  await client.end();
  return undefined;
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
