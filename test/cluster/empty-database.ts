// An empty database on servers of the cluster.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { dropDatabase } from '../support/database.ts';
import type { TestScope } from '../support/test-scope.ts';
import { createClusterDatabase, urlOf } from './cluster.ts';
import { clusterPorts } from './databases.ts';

/** Creates a database without tables on all servers of the cluster, or on some, the coordinator first. It is dropped after the test. */
export async function makeClusterDatabase(t: TestScope, ports = clusterPorts): Promise<string> {
  assert.ok(ports, 'run with `npm run long -- cluster`');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await createClusterDatabase(ports, name);
  const url = urlOf(ports[0]!, name);
  t.after(() => dropDatabase(url));
  return url;
}
