// `earmark/testing`: a temporary service for a test suite. It runs in the process of the suite, so it needs Node.js 24.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Earmark } from '../../../packages/client/src/client.ts';
import { UserError } from '../../core/user-error.ts';
import { NODE_MAJOR } from '../../core/version.ts';
import type { Cluster } from './cluster.ts';

export type TestEarmark = {
  url: string;
  clientId: string;
  clientSecret: string;
  /** An empty account, whose application has every scope. */
  accountId: string;
  /**
   * A client with these credentials, of the version of the service. Its classes are not those of an installed `@earmark/client`: for
   * `instanceof`, make a client of that package with the credentials.
   */
  client: Earmark;
  /** Deletes all data of the account and resets its clock. The credentials stay valid. */
  reset(): Promise<void>;
  /** Stops the service. The database server stops with the last service of the process, or with the process. */
  stop(): Promise<void>;
};

/** Overrides of the defaults. Webhook receivers usually run inside the test, so private addresses are allowed. */
const SETTINGS = {
  HOST: 'localhost',
  PORT: '0',
  MODE: 'sandbox',
  LOG_LEVEL: 'error',
  LANES: '1',
  POOL_SIZE: '5',
  SANDBOX_REVIEW_DELAY_MS: '0',
  DOCUMENT_CHECKERS: 'off',
  WEBHOOK_ALLOW_PRIVATE: 'true',
};

let shared: Promise<Cluster> | undefined;
let users = 0;

/**
 * Starts a service in this process, on a free loopback port and with an empty database. Needs Node.js 24 or newer, as the service
 * does: throws a UserError otherwise. (`@earmark/client` needs Node.js 20.) The services of a process share one PostgreSQL server.
 * `settings` are those of `earmark help config`; the environment is not read.
 */
export async function startEarmark(settings: Record<string, string> = {}): Promise<TestEarmark> {
  requireNode();
  users += 1;
  shared ??= import('./cluster.ts').then(({ openCluster }) => openCluster());
  const leave = async () => {
    users -= 1;
    if (users > 0) return;
    const cluster = shared;
    shared = undefined;
    await (await cluster?.catch(() => undefined))?.stop();
  };
  try {
    // Loads the service while the server starts: each takes most of a second.
    const [cluster, { startTestService }] = await Promise.all([shared, import('./service.ts')]);
    const { name, url, drop } = await cluster.createDatabase();
    const dataDir = join(cluster.dataDir, `of-${name}`);
    await mkdir(dataDir);
    const service = await startTestService({ ...SETTINGS, ...settings, DATABASE_URL: url, DATA_DIR: dataDir });
    const stop = async () => {
      await service.stop();
      await drop();
      await leave();
    };
    let stopped: Promise<void> | undefined;
    return {
      ...service,
      stop() {
        stopped ??= stop();
        return stopped;
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}

/** An older Node.js cannot load the modules of the service, so they are imported after this check. */
function requireNode(): void {
  if (Number.parseInt(process.version.slice(1), 10) < NODE_MAJOR)
    throw new UserError(`Earmark needs Node.js ${NODE_MAJOR} or newer, and this is ${process.version}.`);
}
