// Once before all test files: one embedded PostgreSQL in a temporary directory, or a running cluster, with a migrated template database.
import { rmSync } from 'node:fs';
import pg from 'pg';
import { makeFolder } from '../src/apps/testing/folder.ts';
import { type EmbeddedServer, startEmbedded } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { clusterPorts, createTemplate } from './cluster/databases.ts';

/** Small enough for memory. */
const SETTINGS = { max_connections: '400', min_wal_size: '64MB', max_wal_size: '256MB' };

export const TEMPLATE = 'earmark_template';

let dataDir: string | undefined;
let server: EmbeddedServer | undefined;

export async function globalSetup(): Promise<void> {
  if (clusterPorts) {
    process.env.EARMARK_TEST_SERVER = await createTemplate(clusterPorts, TEMPLATE);
    return;
  }
  dataDir = await makeFolder('earmark-test-');
  // Databases come and go by the hundred here; what is durable is proven on other servers (test/process.test.ts, test/crash).
  server = await startEmbedded({ dataDir, settings: SETTINGS, throwAway: true });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  await migrate(databaseUrl(server.url, TEMPLATE));
  process.env.EARMARK_TEST_SERVER = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
  if (dataDir) rmSync(dataDir, { recursive: true, force: true });
}

/** The same server's URL with another database. */
export function databaseUrl(serverUrl: string, name: string): string {
  return serverUrl.replace(/\/earmark(?=\?|$)/, `/${name}`);
}
