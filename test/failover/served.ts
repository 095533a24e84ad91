// A service on servers of a database that fail or are restored, with customers, and a connection to look at what it stored.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/platform/db/sql.ts';
import { makeCustomers, openSandboxService } from '../crash/target.ts';
import type { Env } from '../support/process.ts';
import type { TestScope } from '../support/test-scope.ts';

export type Served = Awaited<ReturnType<typeof openServed>>;

/** Starts the service, which keeps checkpoints in `marks` of the folder. */
export async function openServed(t: TestScope, folder: string, databaseUrl: string, env: Env = {}) {
  const [dataDir, marks] = [join(folder, 'data'), join(folder, 'marks')];
  mkdirSync(marks, { recursive: true });
  const settings = { DATABASE_URL: databaseUrl, MODE: 'sandbox', CHECKPOINT_DIR: marks, ...env };
  const service = await openSandboxService(t, dataDir, settings);
  const database = openDatabase(databaseUrl, { max: 2, onError: () => {} });
  t.after(() => database.close());
  const customers = await makeCustomers(service.url, service.token);
  return { ...service, database, databaseUrl, dataDir, marks, settings, customers, accountId: service.sandbox.account_id };
}
