// Every metric of the service: name, help and labels. Label values must be few and known (never an id).
import { openRegistry, type Registry } from './registry.ts';

export type Metrics = ReturnType<typeof openMetrics>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/** Registers the metrics in the order in which they are exposed. */
export function openMetrics() {
  const registry = openRegistry();
  return {
    registry,
    http: httpMetrics(registry),
    ledger: ledgerMetrics(registry),
    verification: verificationMetrics(registry),
    tokensIssued: registry.counter('earmark_tokens_issued_total', 'Access tokens issued.'),
    heldLogs: registry.gauge(
      'earmark_transparency_logs_held',
      'Transparency logs that are held: nothing is signed until an operator continues them.',
    ),
    witnessAnswers: registry.counters(
      'earmark_log_witness_answers_total',
      'Answers of witnesses of the transparency logs: cosigned, away (no answer or a fault), unknown (the witness does not know the log or its key), or refused (the checkpoint does not extend what it cosigned).',
      'witness',
      'answer',
    ),
    webhooks: webhookMetrics(registry),
    reviews: reviewMetrics(registry),
    documentChecks: documentCheckMetrics(registry),
    masterListSeconds: registry.gauge(
      'earmark_master_list_age_seconds',
      'Age of the newest master list of states that sign chips; 0 without one.',
    ),
    scheduleLagSeconds: registry.gauge(
      'earmark_schedule_lag_seconds',
      'How late the oldest occurrence of a schedule is that was not decided.',
    ),
    monitorBacklog: registry.gauge(
      'earmark_monitor_backlog_events',
      'Events that the balance monitors of their account have not seen.',
    ),
    jobs: jobMetrics(registry),
    database: databaseMetrics(registry),
  };
}

function httpMetrics({ counters, gauge, histograms }: Registry) {
  return {
    requests: counters(
      'earmark_http_requests_total',
      'Requests by route and status class; status "aborted": the client disconnected before the response.',
      'method',
      'route',
      'status',
    ),
    seconds: histograms(
      'earmark_http_request_duration_seconds',
      'From the headers of a request to the end of its response.',
      SECONDS,
      'method',
      'route',
    ),
    inFlight: gauge('earmark_http_requests_in_flight', 'Requests in flight.'),
    refusals: counters(
      'earmark_refusals_total',
      'Refusals by error code, and for ValidationError by the code of its first fault.',
      'code',
      'fault',
    ),
  };
}

function ledgerMetrics({ counter, counters, gauge, histogram }: Registry) {
  return {
    queued: gauge('earmark_lane_queue_length', 'Transfers waiting for a batch, in all lanes.'),
    waitSeconds: histogram('earmark_lane_wait_seconds', 'Time that a transfer waited for its batch to start.', SECONDS),
    batchSize: histogram('earmark_batch_size', 'Transfers in a batch.', SIZES),
    commitSeconds: histogram(
      'earmark_batch_commit_seconds',
      'From the start of a batch to its commit, including retries.',
      SECONDS,
    ),
    failedBatches: counter('earmark_batch_failures_total', 'Batches that the database refused or that timed out.'),
    retries: counter('earmark_batch_retries_total', 'Batches posted again after a conflict or a broken connection.'),
    transfers: counters(
      'earmark_transfers_total',
      'Transfers by kind and outcome; posted transfers moved money.',
      'kind',
      'outcome',
    ),
  };
}

function verificationMetrics({ gauge }: Registry) {
  return {
    brokenRules: gauge('earmark_ledger_broken_rules', 'Ledger rules that the last ledger check found broken; must be 0.'),
    finished: gauge(
      'earmark_ledger_check_timestamp_seconds',
      'When the last ledger check finished, in seconds since the epoch; 0 if none did since the start.',
    ),
    proven: gauge(
      'earmark_ledger_proven_timestamp_seconds',
      'Until when all committed money is proven, in seconds since the epoch; 0 if no increment of the ledger check has proven all since the start.',
    ),
    seconds: gauge('earmark_ledger_check_duration_seconds', 'Duration of the last ledger check, including its pauses.'),
  };
}

function webhookMetrics({ counter, counters, gauge, histogram }: Registry) {
  return {
    deliveries: counters(
      'earmark_webhook_deliveries_total',
      'Webhooks sent, by outcome: taken (status 2xx), refused (another status), or failed (no complete response).',
      'outcome',
    ),
    deliverySeconds: histogram(
      'earmark_webhook_delivery_duration_seconds',
      'From the request to the end of its response.',
      SECONDS,
    ),
    delaySeconds: histogram(
      'earmark_webhook_delay_seconds',
      'From an event to the start of its first delivery to a subscription.',
      LONG_SECONDS,
    ),
    paused: counter(
      'earmark_webhook_subscriptions_paused_total',
      'Subscriptions paused because their receiver is gone or keeps failing.',
    ),
    backlog: gauge('earmark_webhook_backlog_events', 'Events not yet sent to every active subscription.'),
    lagSeconds: gauge('earmark_webhook_lag_seconds', 'Age of the oldest event not yet sent to every active subscription.'),
    waiting: gauge('earmark_webhooks_due', 'Webhooks in flight or due for a retry; counted up to 10000.'),
  };
}

function reviewMetrics({ gauge }: Registry) {
  return {
    pending: gauge('earmark_review_queue_documents', 'Documents waiting for a decision; counted up to 10000.'),
    oldestSeconds: gauge('earmark_review_queue_age_seconds', 'Age of the oldest document waiting for a decision.'),
  };
}

function documentCheckMetrics({ counters, histograms }: Registry) {
  return {
    runs: counters(
      'earmark_document_checks_total',
      'Automatic checks of documents, by checker and outcome: accepted, rejected, undecided, timeout (not finished, tried again later), or failed (an error of the checker).',
      'checker',
      'outcome',
    ),
    seconds: histograms('earmark_document_check_duration_seconds', 'Duration of an automatic check.', SECONDS, 'checker'),
  };
}

function jobMetrics({ counters, gauge, gauges, histograms }: Registry) {
  return {
    runs: counters('earmark_job_runs_total', 'Runs of housekeeping jobs, by job and outcome: done or failed.', 'task', 'outcome'),
    seconds: histograms('earmark_job_duration_seconds', 'Duration of a housekeeping run.', LONG_SECONDS, 'task'),
    items: counters('earmark_job_items_total', 'Items that housekeeping runs deleted, erased or created.', 'task'),
    succeeded: gauges(
      'earmark_job_last_success_timestamp_seconds',
      'When a housekeeping run last succeeded, in seconds since the epoch; 0 if none did.',
      'task',
    ),
    backedUp: gauge(
      'earmark_backup_timestamp_seconds',
      'The time of the newest backup by `earmark backup`, or recorded by `earmark backup record`, in seconds since the epoch; 0 if there is none.',
    ),
    drilled: gauge(
      'earmark_restore_drill_timestamp_seconds',
      'The time of the last successful restore drill, recorded by `earmark backup record --drill`, in seconds since the epoch; 0 if there was none.',
    ),
  };
}

function databaseMetrics({ gauge, gauges }: Registry) {
  return {
    up: gauge('earmark_database_up', '1 if the database answered the queries for these metrics, else 0.'),
    connections: gauges('earmark_database_connections', 'Connections of a pool.', 'pool', 'state'),
    connectionsMax: gauges('earmark_database_connections_max', 'Maximum number of connections of a pool.', 'pool'),
    waiting: gauges('earmark_database_waiting', 'Callers waiting for a connection of a pool.', 'pool'),
  };
}
