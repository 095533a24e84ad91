// Every metric of a service: its name, what it means, and its labels, whose values are few and known (never an id).
import { openRegistry } from './registry.ts';

export type Metrics = ReturnType<typeof openMetrics>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

export function openMetrics() {
  const registry = openRegistry();
  const { counter, counters, gauge, gauges, histogram, histograms } = registry;
  return {
    registry,
    http: {
      requests: counters(
        'earmark_http_requests_total',
        'Requests by route and class of status; status "aborted": the caller hung up before the answer.',
        'method',
        'route',
        'status',
      ),
      seconds: histograms(
        'earmark_http_request_duration_seconds',
        'From the head of a request to the end of its answer.',
        SECONDS,
        'method',
        'route',
      ),
      inFlight: gauge('earmark_http_requests_in_flight', 'Requests under way.'),
      refusals: counters(
        'earmark_refusals_total',
        'Refusals by the code of the answer, and for ValidationError by the code of its first fault.',
        'code',
        'fault',
      ),
    },
    ledger: {
      queued: gauge('earmark_lane_queue_length', 'Transfers that wait for their batch, in all lanes.'),
      waitSeconds: histogram('earmark_lane_wait_seconds', 'How long a transfer waited for its batch to begin.', SECONDS),
      batchSize: histogram('earmark_batch_size', 'Transfers in a batch.', SIZES),
      commitSeconds: histogram('earmark_batch_commit_seconds', 'From the begin of a batch to its commit, with retries.', SECONDS),
      failedBatches: counter('earmark_batch_failures_total', 'Batches that the database refused or did not answer in time.'),
      retries: counter('earmark_batch_retries_total', 'Batches posted again after a conflict or a broken connection.'),
      transfers: counters(
        'earmark_transfers_total',
        'Transfers by kind and outcome; posted ones moved money.',
        'kind',
        'outcome',
      ),
    },
    verification: {
      brokenRules: gauge(
        'earmark_ledger_broken_rules',
        'Rules of the books that the ledger check found broken; 0 is what it must be.',
      ),
      finished: gauge(
        'earmark_ledger_check_timestamp_seconds',
        'When the last ledger check came to its end, in seconds since the epoch.',
      ),
      seconds: gauge('earmark_ledger_check_duration_seconds', 'How long the last ledger check took, with its rests.'),
    },
    tokensIssued: counter('earmark_tokens_issued_total', 'Access tokens issued.'),
    webhooks: {
      deliveries: counters(
        'earmark_webhook_deliveries_total',
        'Webhooks sent: taken with a status of 2xx, refused with another, or failed without a whole answer.',
        'outcome',
      ),
      deliverySeconds: histogram(
        'earmark_webhook_delivery_duration_seconds',
        'From the request to the end of its answer.',
        SECONDS,
      ),
      delaySeconds: histogram(
        'earmark_webhook_delay_seconds',
        'From an event to the begin of its first delivery to a subscription.',
        LONG_SECONDS,
      ),
      paused: counter(
        'earmark_webhook_subscriptions_paused_total',
        'Subscriptions paused as their receiver is gone or keeps failing.',
      ),
      backlog: gauge('earmark_webhook_backlog_events', 'Events that live subscriptions have yet to be told of a first time.'),
      lagSeconds: gauge('earmark_webhook_lag_seconds', 'Age of the oldest event that a live subscription has yet to be told of.'),
      waiting: gauge('earmark_webhooks_due', 'Webhooks under way or waiting to be sent again; counted up to 10000.'),
    },
    reviews: {
      pending: gauge('earmark_review_queue_documents', 'Documents that wait for a decision; counted up to 10000.'),
      oldestSeconds: gauge('earmark_review_queue_age_seconds', 'Age of the oldest document that waits for a decision.'),
    },
    jobs: {
      runs: counters('earmark_job_runs_total', 'Runs of housekeeping by job and outcome: done or failed.', 'task', 'outcome'),
      seconds: histograms('earmark_job_duration_seconds', 'How long a run of housekeeping took.', LONG_SECONDS, 'task'),
      items: counters('earmark_job_items_total', 'What runs of housekeeping deleted, erased or made.', 'task'),
      succeeded: gauges(
        'earmark_job_last_success_timestamp_seconds',
        'When this process last ended a run of housekeeping without a fault, since 1970.',
        'task',
      ),
    },
    database: {
      up: gauge('earmark_database_up', '1 when the database answered what was asked for these metrics, else 0.'),
      connections: gauges('earmark_database_connections', 'Connections of a pool.', 'pool', 'state'),
      connectionsMax: gauges('earmark_database_connections_max', 'Connections that a pool may have.', 'pool'),
      waiting: gauges('earmark_database_waiting', 'Callers that wait for a connection of a pool.', 'pool'),
    },
  };
}
