// The temporary PostgreSQL shared by the test services of a process. It is removed when the process ends, even after SIGKILL.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { NAME } from '../../platform/db/embedded/site.ts';
import { startEmbedded } from '../../platform/db/embedded.ts';
import { makeFolder } from './folder.ts';

export type Cluster = {
  /** A temporary folder, removed with the cluster. */
  dataDir: string;
  /** Returns an empty database. The first call uses the server's initial database, because creating one is slow. */
  createDatabase(): Promise<{ name: string; url: string; drop(): Promise<void> }>;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
};

/** Small enough for an in-memory file system. */
const SETTINGS = { max_connections: '300', min_wal_size: '32MB', max_wal_size: '128MB' };

/**
 * Reads its standard input until the parent closes it or exits, then stops the server with an immediate shutdown and removes the
 * folder.
 */
const GUARD = `
read -r _
read -r pid < "$0/postgres/postmaster.pid"
kill -QUIT "$pid"
while kill -0 "$pid"; do sleep 0.05; done
rm -rf "$0"`;

export async function openCluster(): Promise<Cluster> {
  const dataDir = await makeFolder('earmark-testing-');
  const stop = guard(dataDir);
  try {
    const server = await startEmbedded({ dataDir, settings: SETTINGS, throwAway: true });
    let isTaken = false;
    return {
      dataDir,
      stop,
      async createDatabase() {
        const initial = { name: NAME, url: server.url, drop: async () => {} };
        if (!isTaken) {
          isTaken = true;
          return initial;
        }
        const name = `${NAME}_${randomBytes(8).toString('hex')}`;
        await run(server.url, `create database ${name}`);
        const drop = () => run(server.url, `drop database ${name} with (force)`);
        return { name, url: server.url.replace(`/${NAME}?`, `/${name}?`), drop };
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a process that cleans up the data directory, because this process may be killed. */
function guard(dataDir: string): () => Promise<void> {
  // Detached from this process group: Ctrl-C in the terminal would kill it too early.
  const child = spawn('sh', ['-c', GUARD, dataDir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  const ended = once(child, 'exit');
  return async () => {
    child.ref();
    child.stdin.end();
    await ended;
  };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
