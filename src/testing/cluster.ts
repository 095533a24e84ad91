// The PostgreSQL that the test services of a process share: thrown away with the process, however it ends.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';

export type Cluster = {
  /** A folder of its own, gone with the cluster. */
  dataDir: string;
  /** Makes a database with the schema. */
  createDatabase(): Promise<{ url: string; drop(): Promise<void> }>;
  /** Stops the server and removes all that it wrote. */
  stop(): Promise<void>;
};

const TEMPLATE = 'earmark_template';
const CONNECTIONS = '300';

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
  const dataDir = await mkdtemp(join(tmpdir(), 'earmark-testing-'));
  const stop = guard(dataDir);
  try {
    const server = await startEmbedded({ dataDir, settings: { max_connections: CONNECTIONS }, throwAway: true });
    const urlOf = (name: string) => server.url.replace(/\/earmark(?=\?)/, `/${name}`);
    await run(server.url, `create database ${TEMPLATE} strategy file_copy`);
    await migrate(urlOf(TEMPLATE));
    return {
      dataDir,
      stop,
      async createDatabase() {
        const name = `earmark_${randomBytes(8).toString('hex')}`;
        await run(server.url, `create database ${name} template ${TEMPLATE} strategy file_copy`);
        return { url: urlOf(name), drop: () => run(server.url, `drop database ${name} with (force)`) };
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
