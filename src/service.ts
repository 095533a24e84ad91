// The running service: the dependencies that routes and workers share, opened and closed in one place.
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { type Commits, followCommits } from './db/commits.ts';
import { type Database, LIMITS, openDatabase } from './db/sql.ts';
import { type Documents, openDocuments } from './documents/document-service.ts';
import { reviewQueue } from './documents/queue.ts';
import { type Links, openLinks } from './http/links.ts';
import { instrumentLanes } from './ledger/instrumentation.ts';
import { type Lanes, openLanes } from './ledger/lane.ts';
import { startVerification, type Verification } from './ledger/verification.ts';
import { type Authority, openAuthority } from './oauth/authority.ts';
import { openSandboxTools, type SandboxTools } from './sandbox/tools.ts';
import { openSealer, type Sealer } from './sealing.ts';
import { type Figure, refreshBeforeExposition } from './telemetry/backlogs.ts';
import { type Metrics, openMetrics } from './telemetry/metrics.ts';
import { openOutage } from './telemetry/outage.ts';
import { registerPoolMetrics } from './telemetry/pool.ts';
import { registerProcessMetrics } from './telemetry/process.ts';
import { openTracingIfConfigured, type Tracing } from './telemetry/trace.ts';
import { webhookBacklog } from './webhooks/backlog.ts';

export type Service = {
  config: Config;
  log: FastifyBaseLogger;
  clock: Clock;
  links: Links;
  database: Database;
  /** For long statements that no request waits for. */
  housekeeping: Database;
  commits: Commits;
  lanes: Lanes;
  sealer: Sealer;
  authority: Authority;
  documents: Documents;
  metrics: Metrics;
  /** Undefined if tracing is not configured. */
  tracing: Tracing | undefined;
  verification: Verification;
  /** Only in sandbox mode. */
  sandboxTools: SandboxTools | undefined;
  /** Answers queued requests, then closes every database connection. */
  close(): Promise<void>;
};

/** One for the ledger check and two for the running job, which may run a statement beside its transaction. */
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
  const baseClock = options.clock ?? systemClock;
  const onError = openOutage(log, 'database connection lost').note;
  const commits = followCommits();
  const database = openDatabase(databaseUrl, {
    max: config.poolSize,
    onError,
    limits: LIMITS.request,
    onCommit: commits.note,
  });
  const sandboxTools =
    config.mode === 'sandbox' ? await openSandboxTools({ sql: database.sql, log, base: baseClock }) : undefined;
  const clock = sandboxTools?.clock ?? baseClock;
  const laneDatabase = openDatabase(databaseUrl, { max: config.lanes, onError, limits: LIMITS.request });
  const housekeeping = openDatabase(databaseUrl, { max: HOUSEKEEPING_CONNECTIONS, onError, limits: LIMITS.housekeeping });
  const metrics = openMetrics();
  const tracing = await openTracingIfConfigured(config, { registry: metrics.registry, log });
  const lanes = openLanes(
    {
      database: laneDatabase,
      clock,
      commits,
      instrumentation: instrumentLanes(metrics, tracing),
    },
    config,
  );
  const sealer = openSealer(options.keys);
  const authority = await openAuthority({ config, database, sealer, log, clock });
  const documents = openDocuments({ config, database, sealer, log, clock });
  const closeProcessMetrics = registerProcessMetrics(metrics.registry);
  registerPoolMetrics(metrics, 'requests', database);
  registerPoolMetrics(metrics, 'lanes', laneDatabase);
  registerBacklogMetrics(metrics, { database, lanes, log, clock });
  const verification = startVerification({
    database: housekeeping,
    everySeconds: config.verifyEverySeconds,
    clock,
    log,
  });
  registerVerificationMetrics(metrics, verification);
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
      closeProcessMetrics();
      await verification.stop();
      await lanes.drain();
      await authority.close();
      await documents.close();
      await sandboxTools?.close();
      await Promise.all([laneDatabase.close(), database.close(), housekeeping.close(), tracing?.close()]);
    },
  };
}

function registerVerificationMetrics({ registry, verification }: Metrics, { last, broken }: Verification): void {
  registry.beforeExposition(() => {
    const run = last();
    verification.brokenRules.set(broken().length);
    verification.finished.set(run && run.finished.getTime() / 1000);
    verification.seconds.set(run && run.durationMs / 1000);
  });
}

function registerBacklogMetrics(
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
  refreshBeforeExposition(metrics, read, log);
}
