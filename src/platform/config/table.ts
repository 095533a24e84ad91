// The table of all settings, in the order of the help. Type, parsing, defaults and help are derived from it.
import { clientSettings } from './client-settings.ts';
import { collectorUrl, headers } from './collector.ts';
import { consoleSettings } from './console-settings.ts';
import { databaseUrl } from './database-url.ts';
import { documentSettings } from './document-settings.ts';
import { encryptionKeys } from './encryption-keys.ts';
import { flag, folder, integer, oneOf, processes, share, text, word } from './kinds.ts';
import { baseUrl, origins, PRIVATE_PROXIES, ports, proxies } from './network.ts';
import { DAY_SECONDS, NONE, type Setting } from './setting.ts';
import { witnessSettings } from './witnesses.ts';

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const RATE_MAX = 1_000_000;
const YEARS_10_DAYS = 3650;

export const WEBHOOK_PORTS: readonly number[] = [80, 443, 8080, 8443];
export const SANDBOX_ORIGINS = ['http://localhost:*', 'http://127.0.0.1:*'];

export const table = {
  host: { name: 'HOST', kind: text, fallback: 'localhost', about: 'address to listen on; 0.0.0.0 for every interface' },
  port: {
    name: 'PORT',
    kind: integer({ min: 0, max: 65_535, zero: 'for any free port' }),
    fallback: '8080',
    about: 'port to listen on',
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    kind: baseUrl,
    shown: 'http://localhost:<PORT>; must be set in production',
    about: 'base URL of all links: scheme, host and port, without a path',
  },
  dataDir: {
    name: 'DATA_DIR',
    kind: folder,
    fallback: './data',
    about: 'folder of the embedded PostgreSQL, sandbox.json and the generated encryption key',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    kind: databaseUrl,
    isSecret: true,
    shown: '(embedded)',
    about:
      'external PostgreSQL 15 or newer: postgres://user:password@host/database?sslmode=verify-full&sslrootcert=FILE; several hosts, such as a:5432,b:5432, for a primary and its standbys',
  },
  mode: {
    name: 'MODE',
    kind: oneOf('sandbox', 'production'),
    shown: 'sandbox, or production with DATABASE_URL',
    about: 'sandbox creates a test account and verifies customers immediately; production requires documents',
  },
  mediaTypeVendor: {
    name: 'MEDIA_TYPE_VENDOR',
    kind: word,
    fallback: 'earmark',
    about: 'the vendor in the media type application/vnd.<vendor>.v1.hal+json',
  },
  tokenTtlSeconds: {
    name: 'TOKEN_TTL_SECONDS',
    kind: integer({ min: 1, max: DAY_SECONDS }),
    fallback: '3600',
    about: 'lifetime of an access token',
  },
  workers: {
    name: 'WORKERS',
    kind: processes,
    fallback: '1',
    about: 'number of processes behind PORT; auto: one per processor, except for one that PostgreSQL uses',
  },
  lanes: {
    name: 'LANES',
    kind: integer({ min: 1, max: 64 }),
    shown: '2; 1 with the embedded server and at most two processors',
    about: 'number of group commit lanes, each with its own database connection',
  },
  maxBatch: { name: 'MAX_BATCH', kind: integer({ min: 1, max: 5000 }), fallback: '200', about: 'maximum transfers per commit' },
  maxQueued: {
    name: 'MAX_QUEUED',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: '10000',
    about: 'maximum transfers queued in a lane (half of it for one account); more get a 503',
  },
  poolSize: {
    name: 'POOL_SIZE',
    kind: integer({ min: 1, max: 200 }),
    fallback: '10',
    about: 'database connections in addition to the lanes',
  },
  encryptionKeys: {
    name: 'ENCRYPTION_KEY',
    kind: encryptionKeys,
    isSecret: true,
    shown: '(generated in DATA_DIR)',
    about: 'key that encrypts secrets and personal data: 32 bytes in base64; "new,old" during rotation',
  },
  deliverWebhooks: {
    name: 'DELIVER_WEBHOOKS',
    kind: flag,
    fallback: 'true',
    about: 'false when separate `earmark deliver` processes deliver webhooks',
  },
  webhookAllowPrivate: {
    name: 'WEBHOOK_ALLOW_PRIVATE',
    kind: flag,
    fallback: 'false',
    about: 'true allows webhooks to private, loopback and link-local addresses',
  },
  webhookPorts: {
    name: 'WEBHOOK_PORTS',
    kind: ports,
    shown: `${WEBHOOK_PORTS}, or any with WEBHOOK_ALLOW_PRIVATE`,
    about: 'ports that webhooks may be sent to, or any',
  },
  idempotencyTtlHours: {
    name: 'IDEMPOTENCY_TTL_HOURS',
    kind: integer({ min: 24, max: 8760 }),
    fallback: '24',
    about: 'hours that idempotency keys are kept',
  },
  signingKeyDays: {
    name: 'SIGNING_KEY_DAYS',
    kind: integer({ min: 1, max: YEARS_10_DAYS }),
    fallback: '90',
    about: 'days after which a new key signs access tokens',
  },
  eventRetentionDays: {
    name: 'EVENT_RETENTION_DAYS',
    kind: integer({ min: 30, max: YEARS_10_DAYS }),
    fallback: '30',
    about: 'days that events and webhooks are kept',
  },
  ...documentSettings,
  metricsPort: {
    name: 'METRICS_PORT',
    kind: integer({ min: 0, max: 65_535, zero: 'for any free port' }),
    shown: '(none: on PORT, for callers on this machine)',
    about: 'separate port for /metrics, which PORT then does not serve',
  },
  metricsHost: {
    name: 'METRICS_HOST',
    kind: text,
    shown: 'HOST',
    about: 'address for METRICS_PORT; must be reachable from the monitoring network only',
  },
  collectorUrl: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    kind: collectorUrl,
    shown: '(none: nothing is traced)',
    about: 'OpenTelemetry collector that accepts OTLP over HTTP with JSON, such as http://localhost:4318',
  },
  collectorHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    kind: headers,
    shown: NONE,
    about: 'headers sent to the collector: name=value,name=value',
    isSecret: true,
  },
  serviceName: { name: 'OTEL_SERVICE_NAME', kind: text, fallback: 'earmark', about: 'service name in traces' },
  tracedShare: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    kind: share,
    fallback: '1',
    shown: '1: every request',
    about: 'share of requests to trace when the caller sends no traceparent',
  },
  drainSeconds: {
    name: 'DRAIN_SECONDS',
    kind: integer({ min: 1, max: 600 }),
    fallback: '20',
    about: 'time limit for requests in flight after a stop signal',
  },
  maxRequests: {
    name: 'MAX_REQUESTS',
    kind: integer({ min: 1, max: 1_000_000 }),
    fallback: '2000',
    about: 'maximum concurrent requests (half of it for one application)',
  },
  rateLimitReads: {
    name: 'RATE_LIMIT_READS',
    kind: integer({ min: 0, max: RATE_MAX, zero: 'for no limit' }),
    fallback: '0',
    about: 'read requests per second and application',
  },
  rateLimitWrites: {
    name: 'RATE_LIMIT_WRITES',
    kind: integer({ min: 0, max: RATE_MAX, zero: 'for no limit' }),
    fallback: '0',
    about: 'write requests per second and application',
  },
  tokenFailuresPerMinute: {
    name: 'TOKEN_FAILURES_PER_MINUTE',
    kind: integer({ min: 0, max: RATE_MAX, zero: 'for no limit' }),
    fallback: '30',
    about: 'failed client authentications per minute, client and IP address',
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    kind: proxies,
    fallback: PRIVATE_PROXIES,
    about: 'proxies whose X-Forwarded-For is trusted: addresses, CIDR ranges, the names in the default, or none',
  },
  ...clientSettings,
  corsOrigins: {
    name: 'CORS_ORIGINS',
    kind: origins,
    shown: `none; in the sandbox ${SANDBOX_ORIGINS}`,
    about: 'allowed CORS origins, such as https://app.example.com,http://localhost:* (any port); or none',
  },
  ...consoleSettings,
  ...witnessSettings,
  requestTimeoutSeconds: {
    name: 'REQUEST_TIMEOUT_SECONDS',
    kind: integer({ min: 1, max: 600 }),
    fallback: '30',
    about: 'time limit for receiving a request, a third of it for the headers',
  },
  responseTimeoutSeconds: {
    name: 'RESPONSE_TIMEOUT_SECONDS',
    kind: integer({ min: 1, max: 600 }),
    fallback: '30',
    about: 'how long a client may stop reading a response before its connection is closed',
  },
  verifyEverySeconds: {
    name: 'VERIFY_EVERY_SECONDS',
    kind: integer({ min: 0, max: 7 * DAY_SECONDS, zero: 'disables them' }),
    fallback: '3600',
    about: 'pause between two ledger checks, whose result is part of /health/ready',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    kind: oneOf(...LOG_LEVELS),
    fallback: 'info',
    about: `lowest level that is logged: ${LOG_LEVELS.join(', ')}`,
  },
} satisfies Record<string, Setting>;
