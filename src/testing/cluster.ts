// The PostgreSQL that the test services of a process share: thrown away with the process, however it ends.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { NAME } from '../db/embedded/site.ts';
import { startEmbedded } from '../db/embedded.ts';
import { makeFolder } from './folder.ts';

export type Cluster = {
  /** A folder of its own, gone with the cluster. */
  dataDir: string;
  /** An empty database: the server's own for whoever asks first, as making one takes a while. */
  createDatabase(): Promise<{ name: string; url: string; drop(): Promise<void> }>;
  /** Stops the server and removes all that it wrote. */
  stop(): Promise<void>;
};

/** Small enough for memory. */
const SETTINGS = { max_connections: '300', min_wal_size: '32MB', max_wal_size: '128MB' };

/**
 * Waits until the process that holds the other end of its input lets go of it or is no more, then stops the server at once and
 * removes its folder.
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
        const own = { name: NAME, url: server.url, drop: async () => {} };
        if (!isTaken) {
          isTaken = true;
          return own;
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

/** Sees to the end of a data directory. A process of its own, as this one may be killed. */
function guard(dataDir: string): () => Promise<void> {
  // Not in this process's group: a Ctrl-C in the terminal would end it first.
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
