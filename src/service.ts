// A running service: what every room is handed, opened in one place and closed in the reverse order.
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { type Commits, followCommits } from './db/commits.ts';
import { type Database, LIMITS, openDatabase } from './db/sql.ts';
import { type Documents, openDocuments } from './documents/desk.ts';
import { reviewQueue } from './documents/queue.ts';
import { type Links, openLinks } from './http/links.ts';
import { instrumentLanes } from './ledger/instrumentation.ts';
import { type Lanes, openLanes } from './ledger/lane.ts';
import { startVerification, type Verification } from './ledger/verification.ts';
import { type Authority, openAuthority } from './oauth/authority.ts';
import { openSandboxTools, type SandboxTools } from './sandbox/tools.ts';
import { openSealer, type Sealer } from './sealing.ts';
import { askBeforeExposition, type Figure } from './telemetry/backlogs.ts';
import { type Metrics, openMetrics } from './telemetry/metrics.ts';
import { openOutage } from './telemetry/outage.ts';
import { watchPool } from './telemetry/pool.ts';
import { watchProcess } from './telemetry/process.ts';
import { openTracingOf, type Tracing } from './telemetry/trace.ts';
import { webhookBacklog } from './webhooks/backlog.ts';

export type Service = {
  config: Config;
  log: FastifyBaseLogger;
  clock: Clock;
  links: Links;
  database: Database;
  /** For statements that no request waits for, which may take long. */
  housekeeping: Database;
  commits: Commits;
  lanes: Lanes;
  sealer: Sealer;
  authority: Authority;
  documents: Documents;
  metrics: Metrics;
  /** Undefined where nothing is traced. */
  tracing: Tracing | undefined;
  verification: Verification;
  /** In a sandbox. */
  sandboxTools: SandboxTools | undefined;
  /** Answers what is queued, then closes every connection. */
  close(): Promise<void>;
};

/** The ledger check and the job under way, which may have a statement within a transaction of its own. */
const HOUSEKEEPING_CONNECTIONS = 3;

/** Opens a service on a migrated database. `keys` are the encryption keys, newest first. */
export async function openService(options: {
  config: Config;
  databaseUrl: string;
  keys: Buffer[];
  log: FastifyBaseLogger;
  clock?: Clock | undefined;
}): Promise<Service> {
  const { config, databaseUrl, log } = options;
  const base = options.clock ?? systemClock;
  const onError = openOutage(log, 'database connection lost').note;
  const commits = followCommits();
  const database = openDatabase(databaseUrl, {
    max: config.poolSize,
    onError,
    limits: LIMITS.request,
    onCommit: commits.note,
  });
  const sandboxTools = config.mode === 'sandbox' ? await openSandboxTools({ sql: database.sql, log, base }) : undefined;
  const clock = sandboxTools?.clock ?? base;
  const laneDatabase = openDatabase(databaseUrl, { max: config.lanes, onError, limits: LIMITS.request });
  const housekeeping = openDatabase(databaseUrl, { max: HOUSEKEEPING_CONNECTIONS, onError, limits: LIMITS.housekeeping });
  const metrics = openMetrics();
  const tracing = await openTracingOf(config, { registry: metrics.registry, log });
  const lanes = openLanes(
    {
      database: laneDatabase,
      clock,
      commits,
      instrumentation: instrumentLanes(metrics, tracing && { tracing, sql: laneDatabase.sql }),
    },
    config,
  );
  const sealer = openSealer(options.keys);
  const authority = await openAuthority({ config, database, sealer, log, clock });
  const documents = openDocuments({ config, database, sealer, log, clock });
  const unwatch = watchProcess(metrics.registry);
  watchPool(metrics, 'requests', database);
  watchPool(metrics, 'lanes', laneDatabase);
  watchBacklogs(metrics, { database, lanes, log, clock });
  const verification = startVerification({
    database: housekeeping,
    everySeconds: config.verifyEverySeconds,
    clock,
    log,
  });
  watchVerification(metrics, verification);
  return {
    config,
    log,
    clock,
    links: openLinks(config),
    database,
    housekeeping,
    commits,
    lanes,
    sealer,
    authority,
    documents,
    metrics,
    tracing,
    verification,
    sandboxTools,
    async close() {
      unwatch();
      await verification.stop();
      await lanes.drain();
      await authority.close();
      await documents.close();
      await sandboxTools?.close();
      await Promise.all([laneDatabase.close(), database.close(), housekeeping.close(), tracing?.close()]);
    },
  };
}

function watchVerification({ registry, verification }: Metrics, { last, broken }: Verification): void {
  registry.beforeExposition(() => {
    const run = last();
    verification.brokenRules.set(broken().length);
    verification.finished.set(run && run.finished.getTime() / 1000);
    verification.seconds.set(run && run.durationMs / 1000);
  });
}

function watchBacklogs(
  metrics: Metrics,
  { database: { sql }, lanes, log, clock }: Pick<Service, 'database' | 'lanes' | 'log' | 'clock'>,
): void {
  const { ledger, webhooks, reviews, registry } = metrics;
  registry.beforeExposition(() => ledger.queued.set(lanes.queued()));
  const age = (since: Date | undefined) => (since ? Math.max(0, clock.now().getTime() - since.getTime()) / 1000 : 0);
  const read = async (): Promise<Figure[]> => {
    const [backlog, queue] = await Promise.all([webhookBacklog(sql), reviewQueue(sql)]);
    return [
      [webhooks.backlog, backlog.events],
      [webhooks.lagSeconds, age(backlog.oldest)],
      [webhooks.waiting, backlog.due],
      [reviews.pending, queue.pending],
      [reviews.oldestSeconds, age(queue.oldest)],
    ];
  };
  askBeforeExposition(metrics, read, log);
}
