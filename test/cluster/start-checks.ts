// What a start says of a cluster whose groups cannot move. Run by run.ts.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratch, serve } from '../support/process.ts';
import { createClusterDatabase, startCluster, urlOf } from './cluster.ts';

const DATABASE = 'earmark';

test('a cluster without a log for moves is reported', async (t) => {
  const { coordinator, workers, stop } = await startCluster({ workers: 1, settings: { wal_level: 'replica' } });
  t.after(stop);
  await createClusterDatabase(
    [coordinator, ...workers].map(({ port }) => port),
    DATABASE,
  );
  const env = { DATABASE_URL: urlOf(coordinator.port, DATABASE), DATA_DIR: join(scratch(t), 'data'), PORT: '0' };
  const service = await serve(t, { ...env, MODE: 'production', PUBLIC_URL: 'http://localhost' });
  assert.match(service.stdout(), /wal_level is replica: groups of the cluster cannot move .* Set wal_level = logical/);
});
