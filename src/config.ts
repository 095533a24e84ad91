// Settings: read from the environment once, validated together, and listed for `earmark help config`.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { UserError } from './user-error.ts';

export type Mode = 'sandbox' | 'production';
export type LogLevel = (typeof LOG_LEVELS)[number];

export type Config = {
  host: string;
  port: number;
  /** Without a trailing slash. Undefined when PORT is 0 and the port is not known yet. */
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  mode: Mode;
  mediaTypeVendor: string;
  tokenTtlSeconds: number;
  lanes: number;
  maxBatch: number;
  /** Longest queue of one lane, in transfers. */
  maxQueued: number;
  poolSize: number;
  /** 32 bytes each, newest first. Empty: a key is generated and kept in the data directory. */
  encryptionKeys: Buffer[];
  documentStore: DocumentStore;
  documentRetentionDays: number;
  /** Delay of the sandbox's scripted checker. */
  sandboxReviewDelayMs: number;
  foreignPassports: 'allowed' | 'forbidden';
  /** Whether this process delivers webhooks. */
  deliverWebhooks: boolean;
  /** Whether webhooks may be sent to private, loopback and link-local addresses. */
  webhookAllowPrivate: boolean;
  /** Ports that webhooks may be sent to; undefined for any. */
  webhookPorts: readonly number[] | undefined;
  eventRetentionDays: number;
  /** Port of a separate metrics listener. Undefined: metrics are on PORT, for callers on the same machine only. */
  metricsPort: number | undefined;
  metricsHost: string;
  idempotencyTtlHours: number;
  signingKeyDays: number;
  /** Trace exporter; undefined disables tracing. */
  tracing: TracingConfig | undefined;
  /** Time limit for requests in flight after a stop signal. */
  drainSeconds: number;
  /** Limit of concurrent requests of all applications. */
  maxRequests: number;
  /** Requests per second of one application; 0 is no limit. */
  rateLimitReads: number;
  rateLimitWrites: number;
  /** Failed client authentications per minute, client and IP address; 0 is no limit. */
  tokenFailuresPerMinute: number;
  /** Trusted proxies, whose X-Forwarded-For is used: addresses, ranges and names of ranges; undefined for none. */
  trustProxy: string[] | undefined;
  /** Allowed CORS origins, such as `https://app.example.com`; port `*` allows any port. */
  corsOrigins: string[];
  /** Time limit for receiving a complete request. */
  requestTimeoutSeconds: number;
  /** How long a client may stop reading a response. */
  responseTimeoutSeconds: number;
  /** Pause between two ledger checks; 0 disables them. */
  verifyEverySeconds: number;
  logLevel: LogLevel;
};

/** `url` accepts OTLP/HTTP with JSON. `ratio` is the share of requests traced when `traceparent` does not decide. */
export type TracingConfig = { url: string; headers: Record<string, string>; serviceName: string; ratio: number };

/** The store for document content: the database, or an S3-compatible bucket. */
export type DocumentStore =
  | { kind: 'postgresql' }
  | { kind: 's3'; bucket: string; endpoint: string; region: string; accessKeyId: string; secretAccessKey: string };

export type Setting = { name: string; fallback: string; about: string };

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const KEY_BASE64 = /^[A-Za-z0-9+/]{43}=$/;
/** Settings that can be read from a file, named by the setting with the suffix _FILE. */
export const SECRETS = ['DATABASE_URL', 'ENCRYPTION_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
/** Up to this many processors a second lane does not help: the service and the embedded server use one each. */
const LANE_CPUS = 2;
const BOOLEANS = ['true', 'false'] as const;
/** Names of private address ranges in `proxy-addr`. */
const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal'];
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?:[0-9]{1,5}|\*))?$/i;
const SANDBOX_ORIGINS = 'http://localhost:*,http://127.0.0.1:*';
const WEBHOOK_PORTS = [80, 443, 8080, 8443];

export const settings: Setting[] = [
  { name: 'HOST', fallback: 'localhost', about: 'address to listen on; 0.0.0.0 for every interface' },
  { name: 'PORT', fallback: '8080', about: 'port to listen on; 0 for any free port' },
  {
    name: 'PUBLIC_URL',
    fallback: 'http://localhost:<PORT>',
    about: 'base URL of all links: scheme, host and port, without a path',
  },
  {
    name: 'DATA_DIR',
    fallback: './data',
    about: 'folder of the embedded PostgreSQL, sandbox.json and the generated encryption key',
  },
  {
    name: 'DATABASE_URL',
    fallback: '(embedded)',
    about: 'external PostgreSQL 15 or newer: postgres://user:password@host/database',
  },
  {
    name: 'MODE',
    fallback: 'sandbox, or production with DATABASE_URL',
    about: 'sandbox creates a test account and verifies customers immediately; production requires documents',
  },
  { name: 'MEDIA_TYPE_VENDOR', fallback: 'earmark', about: 'the vendor in the media type application/vnd.<vendor>.v1.hal+json' },
  { name: 'TOKEN_TTL_SECONDS', fallback: '3600', about: 'lifetime of an access token, 1 to 86400' },
  {
    name: 'LANES',
    fallback: '2; 1 with the embedded server and at most two processors',
    about: 'number of group commit lanes, each with its own database connection, 1 to 64',
  },
  { name: 'MAX_BATCH', fallback: '200', about: 'maximum transfers per commit, 1 to 5000' },
  {
    name: 'MAX_QUEUED',
    fallback: '10000',
    about: 'maximum transfers queued in a lane (half of it for one account); more get a 503; 1 to 1000000',
  },
  { name: 'POOL_SIZE', fallback: '10', about: 'database connections in addition to the lanes, 1 to 200' },
  {
    name: 'ENCRYPTION_KEY',
    fallback: '(generated in DATA_DIR)',
    about: 'key that encrypts secrets and personal data: 32 bytes in base64; "new,old" during rotation',
  },
  { name: 'DELIVER_WEBHOOKS', fallback: 'true', about: 'false when separate `earmark deliver` processes deliver webhooks' },
  {
    name: 'WEBHOOK_ALLOW_PRIVATE',
    fallback: 'false',
    about: 'true allows webhooks to private, loopback and link-local addresses',
  },
  {
    name: 'WEBHOOK_PORTS',
    fallback: '80,443,8080,8443, or any with WEBHOOK_ALLOW_PRIVATE',
    about: 'ports that webhooks may be sent to, or any',
  },
  { name: 'IDEMPOTENCY_TTL_HOURS', fallback: '24', about: 'hours that idempotency keys are kept, 24 to 8760' },
  { name: 'SIGNING_KEY_DAYS', fallback: '90', about: 'days after which a new key signs access tokens, 1 to 3650' },
  { name: 'EVENT_RETENTION_DAYS', fallback: '30', about: 'days that events and webhooks are kept, 30 to 3650' },
  {
    name: 'DOCUMENT_STORE',
    fallback: 'postgresql',
    about: 'where document content is stored: postgresql, or s3://bucket?endpoint=https://host&region=name',
  },
  { name: 'AWS_ACCESS_KEY_ID', fallback: '(none)', about: 'access key id for an s3:// document store' },
  { name: 'AWS_SECRET_ACCESS_KEY', fallback: '(none)', about: 'secret access key for an s3:// document store' },
  {
    name: 'DOCUMENT_RETENTION_DAYS',
    fallback: '1825',
    about: 'days from the decision on a document until its content is erased, 0 to 36500',
  },
  {
    name: 'FOREIGN_PASSPORTS',
    fallback: 'allowed',
    about: 'allowed, or forbidden: enables the rejection reason ForeignPassportNotAllowed',
  },
  {
    name: 'SANDBOX_REVIEW_DELAY_MS',
    fallback: '500',
    about: 'delay of the scripted document checker in the sandbox, 0 to 86400000',
  },
  {
    name: 'METRICS_PORT',
    fallback: '(none: on PORT, for callers on this machine)',
    about: 'separate port for /metrics, which PORT then does not serve; 0 for any free port',
  },
  {
    name: 'METRICS_HOST',
    fallback: 'HOST',
    about: 'address for METRICS_PORT; must be reachable from the monitoring network only',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: '(none: nothing is traced)',
    about: 'OpenTelemetry collector that accepts OTLP over HTTP with JSON, such as http://localhost:4318',
  },
  { name: 'OTEL_EXPORTER_OTLP_HEADERS', fallback: '(none)', about: 'headers sent to the collector: name=value,name=value' },
  { name: 'OTEL_SERVICE_NAME', fallback: 'earmark', about: 'service name in traces' },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1: every request',
    about: 'share of requests to trace when the caller sends no traceparent, 0 to 1',
  },
  { name: 'DRAIN_SECONDS', fallback: '20', about: 'time limit for requests in flight after a stop signal, 1 to 600' },
  {
    name: 'MAX_REQUESTS',
    fallback: '2000',
    about: 'maximum concurrent requests (half of it for one application), 1 to 1000000',
  },
  { name: 'RATE_LIMIT_READS', fallback: '0', about: 'read requests per second and application; 0 for no limit, to 1000000' },
  { name: 'RATE_LIMIT_WRITES', fallback: '0', about: 'write requests per second and application; 0 for no limit, to 1000000' },
  {
    name: 'TOKEN_FAILURES_PER_MINUTE',
    fallback: '30',
    about: 'failed client authentications per minute, client and IP address; 0 for no limit, to 1000000',
  },
  {
    name: 'TRUST_PROXY',
    fallback: 'loopback,linklocal,uniquelocal',
    about: 'proxies whose X-Forwarded-For is trusted: addresses, CIDR ranges, the names in the default, or none',
  },
  {
    name: 'CORS_ORIGINS',
    fallback: 'none; in the sandbox http://localhost:*,http://127.0.0.1:*',
    about: 'allowed CORS origins, such as https://app.example.com,http://localhost:* (any port); or none',
  },
  {
    name: 'REQUEST_TIMEOUT_SECONDS',
    fallback: '30',
    about: 'time limit for receiving a request, a third of it for the headers; 1 to 600',
  },
  {
    name: 'RESPONSE_TIMEOUT_SECONDS',
    fallback: '30',
    about: 'how long a client may stop reading a response before its connection is closed, 1 to 600',
  },
  {
    name: 'VERIFY_EVERY_SECONDS',
    fallback: '3600',
    about: 'pause between two ledger checks, whose result is part of /health/ready; 0 disables them, to 604800',
  },
  { name: 'LOG_LEVEL', fallback: 'info', about: `lowest level that is logged: ${LOG_LEVELS.join(', ')}` },
];

/** Invalid settings; the message has one line for each. */
export class ConfigError extends UserError {}

/**
 * Reads and validates all settings. Throws one ConfigError that lists every fault. Empty values count as unset.
 * `overrides` take precedence over the environment.
 */
export function readConfig(overrides: Record<string, string> = {}): Config {
  const env = environmentUnder(overrides);
  const faults: string[] = [];
  const secrets = readSecretFiles(env, faults);
  const text = (name: string) => (secrets.get(name) ?? env[name])?.trim() || undefined;
  const fault = (name: string, wanted: string) => {
    faults.push(`${name} must be ${wanted}, not ${JSON.stringify(text(name))}.`);
  };
  const integer = (name: string, range: { min: number; max: number; fallback: number }) => {
    const given = text(name);
    if (given === undefined) return range.fallback;
    const value = /^[0-9]{1,9}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= range.min && value <= range.max)) fault(name, `a whole number from ${range.min} to ${range.max}`);
    return value;
  };
  const oneOf = <T extends string>(name: string, values: readonly T[], fallback: T): T => {
    const given = text(name) ?? fallback;
    if (!values.includes(given as T)) fault(name, `one of ${values.join(', ')}`);
    return given as T;
  };

  const port = integer('PORT', { min: 0, max: 65535, fallback: 8080 });
  const databaseUrl = text('DATABASE_URL');
  if (databaseUrl && !isDatabaseUrl(databaseUrl)) {
    // The message must not repeat the value, which may contain a password.
    faults.push('DATABASE_URL must be a URL like postgres://user:password@host/database, its password percent-encoded.');
  }
  const publicUrl = text('PUBLIC_URL');
  if (publicUrl !== undefined && !isBareUrl(publicUrl)) {
    if (publicUrl.includes('@')) faults.push('PUBLIC_URL must be an http or https URL without a user and password.');
    else fault('PUBLIC_URL', 'an http or https URL without a path');
  }
  const mediaTypeVendor = text('MEDIA_TYPE_VENDOR') ?? 'earmark';
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(mediaTypeVendor))
    fault('MEDIA_TYPE_VENDOR', 'a word of lower-case letters, digits and hyphens');

  const mode = oneOf<Mode>('MODE', ['sandbox', 'production'], databaseUrl ? 'production' : 'sandbox');
  const webhookAllowPrivate = oneOf('WEBHOOK_ALLOW_PRIVATE', BOOLEANS, 'false') === 'true';

  const config: Config = {
    host: text('HOST') ?? 'localhost',
    port,
    // Normalized: lower case, without the default port of the scheme.
    publicUrl: port === 0 && !publicUrl ? undefined : URL.parse(publicUrl ?? `http://localhost:${port}`)?.origin,
    dataDir: resolve(text('DATA_DIR') ?? 'data'),
    databaseUrl,
    mode,
    mediaTypeVendor,
    tokenTtlSeconds: integer('TOKEN_TTL_SECONDS', { min: 1, max: 86_400, fallback: 3600 }),
    lanes: integer('LANES', { min: 1, max: 64, fallback: databaseUrl || availableParallelism() > LANE_CPUS ? 2 : 1 }),
    maxBatch: integer('MAX_BATCH', { min: 1, max: 5000, fallback: 200 }),
    maxQueued: integer('MAX_QUEUED', { min: 1, max: 1_000_000, fallback: 10_000 }),
    poolSize: integer('POOL_SIZE', { min: 1, max: 200, fallback: 10 }),
    encryptionKeys: readKeys(text('ENCRYPTION_KEY'), faults),
    deliverWebhooks: oneOf('DELIVER_WEBHOOKS', BOOLEANS, 'true') === 'true',
    webhookAllowPrivate,
    webhookPorts: readPorts(text('WEBHOOK_PORTS'), webhookAllowPrivate, fault),
    idempotencyTtlHours: integer('IDEMPOTENCY_TTL_HOURS', { min: 24, max: 8760, fallback: 24 }),
    signingKeyDays: integer('SIGNING_KEY_DAYS', { min: 1, max: 3650, fallback: 90 }),
    eventRetentionDays: integer('EVENT_RETENTION_DAYS', { min: 30, max: 3650, fallback: 30 }),
    documentStore: readDocumentStore(text, faults),
    documentRetentionDays: integer('DOCUMENT_RETENTION_DAYS', { min: 0, max: 36_500, fallback: 1825 }),
    sandboxReviewDelayMs: integer('SANDBOX_REVIEW_DELAY_MS', { min: 0, max: 86_400_000, fallback: 500 }),
    foreignPassports: oneOf('FOREIGN_PASSPORTS', ['allowed', 'forbidden'], 'allowed'),
    metricsPort: text('METRICS_PORT') ? integer('METRICS_PORT', { min: 0, max: 65_535, fallback: 0 }) : undefined,
    metricsHost: text('METRICS_HOST') ?? text('HOST') ?? 'localhost',
    tracing: readTracing(text, faults),
    drainSeconds: integer('DRAIN_SECONDS', { min: 1, max: 600, fallback: 20 }),
    maxRequests: integer('MAX_REQUESTS', { min: 1, max: 1_000_000, fallback: 2000 }),
    rateLimitReads: integer('RATE_LIMIT_READS', { min: 0, max: 1_000_000, fallback: 0 }),
    rateLimitWrites: integer('RATE_LIMIT_WRITES', { min: 0, max: 1_000_000, fallback: 0 }),
    tokenFailuresPerMinute: integer('TOKEN_FAILURES_PER_MINUTE', { min: 0, max: 1_000_000, fallback: 30 }),
    trustProxy: readProxies(text('TRUST_PROXY'), fault),
    corsOrigins: readOrigins(text('CORS_ORIGINS') ?? (mode === 'sandbox' ? SANDBOX_ORIGINS : 'none'), fault),
    requestTimeoutSeconds: integer('REQUEST_TIMEOUT_SECONDS', { min: 1, max: 600, fallback: 30 }),
    responseTimeoutSeconds: integer('RESPONSE_TIMEOUT_SECONDS', { min: 1, max: 600, fallback: 30 }),
    verifyEverySeconds: integer('VERIFY_EVERY_SECONDS', { min: 0, max: 604_800, fallback: 3600 }),
    logLevel: oneOf<LogLevel>('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return config;
}

/** Merges overrides into the environment. An override of a secret also replaces its _FILE setting, and vice versa. */
function environmentUnder(overrides: Record<string, string>): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of SECRETS) {
    if (name in overrides) delete env[`${name}_FILE`];
    if (`${name}_FILE` in overrides) delete env[name];
  }
  return { ...env, ...overrides };
}

/** Reads secrets from files, as orchestrators mount them, by name of the setting. */
function readSecretFiles(env: NodeJS.ProcessEnv, faults: string[]): Map<string, string> {
  const secrets = new Map<string, string>();
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`]?.trim();
    if (!file) continue;
    if (env[name]?.trim()) faults.push(`${name} and ${name}_FILE are both set. Set only one.`);
    try {
      secrets.set(name, readFileSync(file, 'utf8'));
    } catch (error) {
      faults.push(`${name}_FILE cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}.`);
    }
  }
  return secrets;
}

function isBareUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const bare = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
  return bare && (url.protocol === 'http:' || url.protocol === 'https:');
}

function isDatabaseUrl(text: string): boolean {
  // `pg` accepts an empty host (for a Unix socket), URL does not.
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace('@/', '@host/'));
}

/** Reads `postgresql`, or `s3://bucket?endpoint=…&region=…` with the credentials from the AWS settings. */
function readDocumentStore(text: (name: string) => string | undefined, faults: string[]): DocumentStore {
  const given = text('DOCUMENT_STORE') ?? 'postgresql';
  if (given === 'postgresql') return { kind: 'postgresql' };
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const region = url?.searchParams.get('region') || 'us-east-1';
  const endpoint = url?.searchParams.get('endpoint') || `https://s3.${region}.amazonaws.com`;
  if (url?.protocol !== 's3:' || !url.hostname || url.pathname.length > 1 || !isBareUrl(endpoint)) {
    faults.push('DOCUMENT_STORE must be postgresql, or s3://bucket?endpoint=https://host&region=name.');
  }
  const [accessKeyId, secretAccessKey] = [text('AWS_ACCESS_KEY_ID'), text('AWS_SECRET_ACCESS_KEY')];
  if (!accessKeyId || !secretAccessKey) {
    faults.push('DOCUMENT_STORE on s3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  }
  const credentials = { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '' };
  return { kind: 's3', bucket: url?.hostname ?? '', endpoint: endpoint.replace(/\/$/, ''), region, ...credentials };
}

function readTracing(text: (name: string) => string | undefined, faults: string[]): TracingConfig | undefined {
  const endpoint = text('OTEL_EXPORTER_OTLP_ENDPOINT');
  const url = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (endpoint !== undefined && (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)) {
    // The message must not repeat the value, which may contain a password.
    faults.push('OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL without a user and password.');
  }
  const pairs = (text('OTEL_EXPORTER_OTLP_HEADERS') ?? '').split(',').filter((pair) => pair.trim() !== '');
  const headers = pairs.map((pair) => /^([!#$%&'*+.^`|~\w-]+)\s*=\s*([\x21-\x7e][\x20-\x7e]*)$/.exec(pair.trim()));
  // The message must not repeat the values, which are secrets.
  if (headers.includes(null)) faults.push('OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value.');
  const ratio = Number(text('OTEL_TRACES_SAMPLER_ARG') ?? '1');
  if (!(ratio >= 0 && ratio <= 1)) faults.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
  const serviceName = text('OTEL_SERVICE_NAME') ?? 'earmark';
  if (!url) return undefined;
  return {
    url: `${url.href.replace(/\/$/, '')}/v1/traces`,
    headers: Object.fromEntries(headers.map((match) => [match?.[1] ?? '', decoded(match?.[2] ?? '')])),
    serviceName,
    ratio,
  };
}

/** Percent-decodes a header value; returns it unchanged when it is not encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function readKeys(text: string | undefined, faults: string[]): Buffer[] {
  const keys = text?.split(',').map((key) => key.trim()) ?? [];
  // The message must not repeat the value, which is a secret.
  if (!keys.every((key) => KEY_BASE64.test(key))) faults.push('ENCRYPTION_KEY must be base64 of 32 bytes, or "new,old".');
  return keys.map((key) => Buffer.from(key, 'base64'));
}

/** Reads a list of ports; undefined for any. */
function readPorts(
  given: string | undefined,
  allowPrivate: boolean,
  fault: (name: string, wanted: string) => void,
): number[] | undefined {
  if (given === undefined) return allowPrivate ? undefined : WEBHOOK_PORTS;
  if (given === 'any') return undefined;
  const ports = given.split(',').map((port) => (/^ *[0-9]{1,5} *$/.test(port) ? Number(port) : 0));
  if (ports.some((port) => port < 1 || port > 65_535)) fault('WEBHOOK_PORTS', 'any, or ports separated by commas');
  return ports;
}

/** Reads a list of proxies; undefined for none. */
function readProxies(given: string | undefined, fault: (name: string, wanted: string) => void): string[] | undefined {
  if (given === undefined) return PROXY_NAMES;
  if (given === 'none') return undefined;
  const proxies = given.split(',').map((proxy) => proxy.trim());
  const isProxy = (proxy: string) => PROXY_NAMES.includes(proxy) || ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy);
  if (!proxies.every(isProxy)) fault('TRUST_PROXY', 'none, or addresses and ranges separated by commas');
  return proxies;
}

/** Reads a list of origins, in the form that browsers send; empty for none. */
function readOrigins(given: string, fault: (name: string, wanted: string) => void): string[] {
  if (given === 'none') return [];
  return given.split(',').map((entry) => {
    const text = entry.trim();
    const anyPort = text.endsWith(':*') ? ':*' : '';
    const url = ORIGIN.test(text) ? URL.parse(text.slice(0, text.length - anyPort.length)) : null;
    if (!url)
      fault('CORS_ORIGINS', 'none, or origins such as https://app.example.com or http://localhost:*, separated by commas');
    return `${url?.origin}${anyPort}`;
  });
}
