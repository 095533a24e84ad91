// Databases for tests: created from the template, dropped and queried.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { clusterPorts, onEveryServer } from '../cluster/databases.ts';
import { databaseUrl, TEMPLATE } from '../global-setup.ts';
import type { TestScope } from './test-scope.ts';
import { waitUntil } from './wait.ts';

const OBJECT_IN_USE = '55006';

/** Creates a migrated database without rows, or an empty one; drop it with `dropDatabase`. */
export async function createDatabase({ empty = false }: { empty?: boolean } = {}): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(`create database ${name} template ${empty ? 'template0' : TEMPLATE} strategy file_copy`);
  return databaseUrl(serverUrl(), name);
}

/** Creates a database that is dropped after the test. */
export async function makeDatabase(t: TestScope, options: { empty?: boolean } = {}): Promise<string> {
  const url = await createDatabase(options);
  t.after(() => dropDatabase(url));
  return url;
}

export async function dropDatabase(url: string): Promise<void> {
  const name = /test_[0-9a-f]+/.exec(url)![0];
  // The servers of a cluster, and a background process of each, would connect again while one after another drops it.
  if (clusterPorts) await onServer(`update pg_database set datallowconn = false where datname = '${name}'`);
  await waitUntil('no server uses the database', async () => {
    try {
      await onServer(`drop database if exists ${name} with (force)`);
      return true;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== OBJECT_IN_USE) throw error;
      return false;
    }
  });
}

function serverUrl(): string {
  const url = process.env.EARMARK_TEST_SERVER;
  assert.ok(url, 'run tests with `npm test`, which starts the database they share');
  return url;
}

/** Runs a statement on the server, or on every server of the cluster. */
export async function onServer(statement: string): Promise<void> {
  if (clusterPorts) return onEveryServer(clusterPorts, statement);
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** The URL of a database, or those on every server of the cluster. */
export function urlsOf(url: string): string[] {
  return clusterPorts?.map((port) => Object.assign(new URL(url), { port }).href) ?? [url];
}

/** Runs a query on a new connection. */
export async function query<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
