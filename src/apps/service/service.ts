// The running service: the dependencies that routes and workers share, opened and closed in one place.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { BUCKETS } from '../../core/ids.ts';
import { countHeld } from '../../ledger/log/continue.ts';
import { ensureLogKey } from '../../ledger/log/log-key.ts';
import { type Marks, openMarks } from '../../ledger/log/marks.ts';
import { instrumentLanes } from '../../ledger/transfers/instrumentation.ts';
import { type Lanes, openLanes } from '../../ledger/transfers/lane.ts';
import { prepareLanes } from '../../ledger/transfers/trial.ts';
import { startVerification, type Verification } from '../../ledger/verification/verification.ts';
import type { Config } from '../../platform/config/config.ts';
import { type Commits, followCommits } from '../../platform/db/commits.ts';
import { findPlacement } from '../../platform/db/find-placement.ts';
import type { Groups } from '../../platform/db/groups.ts';
import { shareLookUps } from '../../platform/db/look-up.ts';
import { type Database, LIMITS, openDatabase } from '../../platform/db/sql.ts';
import { type Figure, refreshBeforeExposition } from '../../platform/telemetry/backlogs.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { registerPoolMetrics } from '../../platform/telemetry/pool.ts';
import type { Peers } from '../../platform/worker-coordination.ts';
import { countUnseen } from '../../resources/balance-monitors/evaluate.ts';
import { type Documents, openDocuments } from '../../resources/documents/document-service.ts';
import { reviewQueue } from '../../resources/documents/queue.ts';
import { newestSigned } from '../../resources/documents/trust/master-list.ts';
import { type Authority, openAuthority } from '../../resources/oauth/authority.ts';
import { type Calls, openCalls } from '../../resources/oauth/calls.ts';
import { oldestDue } from '../../resources/schedules/due.ts';
import { webhookBacklog } from '../../resources/webhooks/backlog.ts';
import { declared } from './ledger-check.ts';
import { openRuntime, type Runtime } from './runtime.ts';

/** `close` answers queued requests, then closes every database connection. */
export type Service = Runtime & {
  /** For long statements that no request waits for. */
  housekeeping: Database;
  commits: Commits;
  groups: Groups;
  lanes: Lanes;
  authority: Authority;
  calls: Calls;
  documents: Documents;
  verification: Verification;
  /** Of the transparency logs. */
  marks: Marks | undefined;
  /** The other processes behind the same port; undefined for a single process. */
  peers: Peers | undefined;
  /** Whether everything that a start makes exists: clients wait for readiness, then read sandbox.json. Set by the server. */
  start: { isComplete: boolean };
};

/** One each for the ledger check, the builder of logs and the analysis of tables, and two for the running job, which may run a statement beside its transaction. */
const HOUSEKEEPING_CONNECTIONS = 5;

/** Connections of requests that stay open while the service is idle. */
export const KEPT_OPEN = 2;

type Options = {
  config: Config;
  databaseUrl: string;
  /** Migrates the database. */
  ownerUrl: string;
  log: FastifyBaseLogger;
  clock?: Clock | undefined;
  peers?: Peers | undefined;
};

/** Migrates a database and opens a service on it. Throws as openRuntime does, and then leaves no connection open. */
export async function openService(options: Options): Promise<Service> {
  const opened: { close(): Promise<void> }[] = [];
  return openParts(options, opened).catch(async (error: unknown) => {
    await Promise.all(opened.map((part) => part.close()));
    throw error;
  });
}

/** `opened`: what has connections, and was opened before an error. */
async function openParts(options: Options, opened: { close(): Promise<void> }[]): Promise<Service> {
  const { config, databaseUrl, log, peers } = options;
  const marks = await openMarks(config.checkpointDir);
  const onError = openOutage(log, 'database connection lost').note;
  const commits = followCommits();
  const pool = { max: config.poolSize, min: KEPT_OPEN, onError, limits: LIMITS.request, onCommit: commits.note };
  const runtime = await openRuntime({ ...options, pool });
  opened.push(runtime);
  const { database, clock, metrics } = runtime;
  const { openGroups, isShownInParts } = await findPlacement(database.sql);
  shareLookUps(database.sql, { isByBucket: isShownInParts });
  const requests = { database, open: (url: string) => openDatabase(url, pool) };
  const groups = await openGroups({ databaseUrl, lanes: config.lanes, requests, log, onError });
  const housekeeping = openDatabase(databaseUrl, { max: HOUSEKEEPING_CONNECTIONS, onError, limits: LIMITS.housekeeping });
  opened.push(groups, housekeeping);
  await prepareLanes(groups);
  const instrumentation = instrumentLanes(metrics, runtime.tracing);
  const lanes = openLanes({ clock, commits, instrumentation }, groups, config);
  const authority = await openAuthority(runtime);
  const calls = openCalls({ sql: database.sql, log });
  await ensureLogKey(database, runtime.sealer);
  const documents = openDocuments(runtime);
  const verification = openVerification({ config, database: housekeeping, clock, log, peers });
  peers?.provideMetrics(metrics.registry.expose);
  registerPoolMetrics(metrics, 'requests', database);
  registerPoolMetrics(metrics, 'lanes', groups);
  registerBacklogMetrics(metrics, { database, lanes, log, clock });
  registerVerificationMetrics(metrics, verification);
  return {
    ...runtime,
    housekeeping,
    commits,
    groups,
    lanes,
    authority,
    calls,
    documents,
    verification,
    marks,
    peers,
    start: { isComplete: false },
    async close() {
      await verification.stop();
      await lanes.drain();
      await authority.close();
      await calls.close();
      await documents.close();
      await Promise.all([groups.close(), housekeeping.close(), runtime.close()]);
    },
  };
}

/** Starts the ledger check, in one process of the service. The others know its state, and can ask for a run. */
function openVerification(
  options: Pick<Service, 'config' | 'database' | 'clock' | 'log'> & { peers: Peers | undefined },
): Verification {
  const { config, peers } = options;
  if (peers && !peers.isFirst) return { check: peers.check, runNow: peers.requestCheck, stop: async () => {} };
  const shared = { before: peers?.check(), onChange: peers?.reportCheck };
  const verification = startVerification({ ...options, ...shared, declared, everySeconds: config.verifyEverySeconds });
  peers?.onCheckRequest(verification.runNow);
  return verification;
}

function registerVerificationMetrics({ registry, verification }: Metrics, { check }: Verification): void {
  registry.beforeExposition(() => {
    const { last, newest, broken } = check();
    verification.brokenRules.set(broken.length);
    verification.finished.set(last ? last.finished.getTime() / 1000 : 0);
    verification.proven.set(newest?.buckets === BUCKETS ? newest.asOf.getTime() / 1000 : 0);
    verification.seconds.set(last && last.durationMs / 1000);
  });
}

function registerBacklogMetrics(
  metrics: Metrics,
  { database: { sql }, lanes, log, clock }: Pick<Service, 'database' | 'lanes' | 'log' | 'clock'>,
): void {
  const { ledger, webhooks, reviews, heldLogs, masterListSeconds, scheduleLagSeconds, monitorBacklog, registry } = metrics;
  registry.beforeExposition(() => ledger.queued.set(lanes.queued()));
  const age = (since: Date | undefined) => (since ? Math.max(0, clock.now().getTime() - since.getTime()) / 1000 : 0);
  const read = async (): Promise<Figure[]> => {
    const [backlog, queue, held, signed, due, unseen] = await Promise.all([
      webhookBacklog(sql),
      reviewQueue(sql),
      countHeld(sql),
      newestSigned(sql),
      oldestDue(sql),
      countUnseen(sql),
    ]);
    return [
      [webhooks.backlog, backlog.events],
      [webhooks.lagSeconds, age(backlog.oldest)],
      [webhooks.waiting, backlog.due],
      [reviews.pending, queue.pending],
      [reviews.oldestSeconds, age(queue.oldest)],
      [heldLogs, held],
      [masterListSeconds, age(signed)],
      [scheduleLagSeconds, age(due)],
      [monitorBacklog, unseen],
    ];
  };
  refreshBeforeExposition(metrics, read, log);
}
