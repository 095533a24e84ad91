// The runtime of a process that serves or delivers: a migrated database and its keys, the clock, links, metrics and traces.
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, noteDatabaseTime, systemClock } from '../../core/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { awaitMigrated, migrate } from '../../platform/db/migrate.ts';
import { requireMode } from '../../platform/db/mode.ts';
import { type Database, openDatabase, type Sql } from '../../platform/db/sql.ts';
import { type Links, openLinks } from '../../platform/http/links.ts';
import { loadKeys, loadOrMakeKey } from '../../platform/keys/key-file.ts';
import { openSealer, type Sealer } from '../../platform/keys/sealing.ts';
import { openSandboxTools, type SandboxTools } from '../../platform/sandbox/tools.ts';
import { type Metrics, openMetrics } from '../../platform/telemetry/metrics.ts';
import { registerProcessMetrics } from '../../platform/telemetry/process.ts';
import type { Tracing } from '../../platform/telemetry/trace.ts';
import { hasSigningKey } from '../../resources/oauth/signing-key.ts';

export type Runtime = {
  config: Config;
  log: FastifyBaseLogger;
  clock: Clock;
  links: Links;
  database: Database;
  sealer: Sealer;
  metrics: Metrics;
  /** Undefined if tracing is not configured. */
  tracing: Tracing | undefined;
  /** Only in sandbox mode. */
  sandboxTools: SandboxTools | undefined;
  close(): Promise<void>;
};

type Options = {
  config: Config;
  databaseUrl: string;
  /** Of the role that migrates the database. */
  ownerUrl: string;
  log: FastifyBaseLogger;
  clock?: Clock | undefined;
  pool: Parameters<typeof openDatabase>[1];
};

/** Migrates a database, or waits until it is migrated, and opens a runtime on it. Throws user errors for a database of another mode, and for missing keys. */
export async function openRuntime(options: Options): Promise<Runtime> {
  const { config, databaseUrl, log } = options;
  if (config.migrates) await migrate(options.ownerUrl);
  else await awaitMigrated(databaseUrl, log);
  await requireMode(databaseUrl, config.mode);
  const database = openDatabase(databaseUrl, options.pool);
  return openOn(database, options).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
}

async function openOn(database: Database, { config, log, clock: base = systemClock }: Options): Promise<Runtime> {
  await compareClocks(database.sql);
  const sealer = openSealer(await findKeys({ config, database }));
  const sandboxTools = config.mode === 'sandbox' ? await openSandboxTools({ sql: database.sql, log, base }) : undefined;
  const metrics = openMetrics();
  const tracing = config.tracing && (await loadTracing()).openTracing(config.tracing, { registry: metrics.registry, log });
  const stopProcessMetrics = registerProcessMetrics(metrics.registry, config);
  return {
    config,
    log,
    clock: sandboxTools?.clock ?? base,
    links: openLinks(config),
    database,
    sealer,
    metrics,
    tracing,
    sandboxTools,
    async close() {
      stopProcessMetrics();
      await sandboxTools?.close();
      await Promise.all([database.close(), tracing?.close()]);
    },
  };
}

/** Call before idempotency keys are freed: the machine's clock may be ahead of the database's. */
export async function compareClocks(sql: Sql): Promise<void> {
  const askedMs = Date.now();
  const [row] = await sql<{ time: Date }>`select clock_timestamp() as time`;
  noteDatabaseTime(row!.time, askedMs);
}

/** Without tracing its code is not loaded. */
const loadTracing = () => import('../../platform/telemetry/tracing.ts');

/** Returns the encryption keys, newest first. Generates one only if nothing is sealed yet: otherwise a missing key means a mistyped DATA_DIR. */
export async function findKeys({
  config,
  database,
}: {
  config: Pick<Config, 'encryptionKeys' | 'dataDir'>;
  database: Database;
}): Promise<Buffer[]> {
  if (config.encryptionKeys.length > 0) return config.encryptionKeys;
  return (await hasSigningKey(database.sql)) ? loadKeys(config.dataDir) : loadOrMakeKey(config.dataDir);
}
