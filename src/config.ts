// Settings: read from the environment once, checked all at once, and listed for `earmark help config`.
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
  /** Without a trailing slash; undefined until the port is known when PORT is 0. */
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  mode: Mode;
  mediaTypeVendor: string;
  tokenTtlSeconds: number;
  lanes: number;
  maxBatch: number;
  /** Most transfers that wait in one lane. */
  maxQueued: number;
  poolSize: number;
  /** Base64 of 32 bytes each, newest first; empty: one is made and kept in the data directory. */
  encryptionKeys: Buffer[];
  documentStore: DocumentStore;
  documentRetentionDays: number;
  /** How long the sandbox's scripted checker takes. */
  sandboxReviewDelayMs: number;
  foreignPassports: 'allowed' | 'forbidden';
  /** Whether this service delivers webhooks itself. */
  deliverWebhooks: boolean;
  /** Whether webhooks may go to private, loopback and link-local addresses. */
  webhookAllowPrivate: boolean;
  /** Ports that webhooks may go to; undefined: any. */
  webhookPorts: readonly number[] | undefined;
  eventRetentionDays: number;
  /** Where metrics have a listener of their own; undefined: on the port of the service, for callers on its machine. */
  metricsPort: number | undefined;
  metricsHost: string;
  idempotencyTtlHours: number;
  signingKeyDays: number;
  /** Where traces go; undefined: nothing is traced. */
  tracing: TracingConfig | undefined;
  /** How long requests under way may take once the service is told to stop. */
  drainSeconds: number;
  /** Most requests under way at once, of all applications. */
  maxRequests: number;
  /** Calls a second of one application; 0: any number. */
  rateLimitReads: number;
  rateLimitWrites: number;
  /** Failed client authentications a minute of one client from one address; 0: any number. */
  tokenFailuresPerMinute: number;
  /** Whose X-Forwarded-For is believed: addresses, ranges and their names; undefined: nobody's. */
  trustProxy: string[] | undefined;
  /** Origins whose web pages may call (CORS), as `https://app.example.com`; a port of `*` is any port. */
  corsOrigins: string[];
  /** How long the whole of a request may take to arrive. */
  requestTimeoutSeconds: number;
  /** How long a client may read nothing of an answer. */
  responseTimeoutSeconds: number;
  /** How long after one check of the ledger the next begins; 0: it is never checked. */
  verifyEverySeconds: number;
  logLevel: LogLevel;
};

/** `url` takes OTLP/HTTP with JSON; `ratio` of the requests whose caller has not decided are traced. */
export type TracingConfig = { url: string; headers: Record<string, string>; serviceName: string; ratio: number };

/** Where the content of documents is kept: in the database, or in a bucket of an S3-compatible store. */
export type DocumentStore =
  | { kind: 'postgresql' }
  | { kind: 's3'; bucket: string; endpoint: string; region: string; accessKeyId: string; secretAccessKey: string };

export type Setting = { name: string; fallback: string; about: string };

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const KEY_BASE64 = /^[A-Za-z0-9+/]{43}=$/;
/** Settings that can come from a file named by the same setting with _FILE behind it. */
export const SECRETS = ['DATABASE_URL', 'ENCRYPTION_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
/** With no more of them a second lane has nobody to run beside: service and server have one each. */
const LANE_CPUS = 2;
const BOOLEANS = ['true', 'false'] as const;
/** What `proxy-addr` calls the addresses of a machine's own network. */
const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal'];
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?:[0-9]{1,5}|\*))?$/i;
const SANDBOX_ORIGINS = 'http://localhost:*,http://127.0.0.1:*';
const WEBHOOK_PORTS = [80, 443, 8080, 8443];

export const settings: Setting[] = [
  { name: 'HOST', fallback: 'localhost', about: 'address to listen on; 0.0.0.0 for every interface' },
  { name: 'PORT', fallback: '8080', about: 'port to listen on; 0 for any free one' },
  { name: 'PUBLIC_URL', fallback: 'http://localhost:<PORT>', about: 'base of every link; scheme, host and port, no path' },
  { name: 'DATA_DIR', fallback: './data', about: 'where the embedded PostgreSQL, sandbox.json and the made encryption key live' },
  {
    name: 'DATABASE_URL',
    fallback: '(embedded)',
    about: 'an external PostgreSQL 15 or newer, postgres://user:password@host/database',
  },
  {
    name: 'MODE',
    fallback: 'sandbox, or production with DATABASE_URL',
    about: 'sandbox makes an account to try and verifies customers at once',
  },
  { name: 'MEDIA_TYPE_VENDOR', fallback: 'earmark', about: 'the word in application/vnd.<word>.v1.hal+json' },
  { name: 'TOKEN_TTL_SECONDS', fallback: '3600', about: 'life of an access token, 1 to 86400' },
  {
    name: 'LANES',
    fallback: '2; with the embedded server and at most two processors 1',
    about: 'lanes of group commit, each with a database connection of its own, 1 to 64',
  },
  { name: 'MAX_BATCH', fallback: '200', about: 'most transfers in one commit, 1 to 5000' },
  {
    name: 'MAX_QUEUED',
    fallback: '10000',
    about: 'most transfers that wait in a lane, of one account half; beyond it is 503, 1 to 1000000',
  },
  { name: 'POOL_SIZE', fallback: '10', about: 'database connections beside the lanes, 1 to 200' },
  {
    name: 'ENCRYPTION_KEY',
    fallback: '(made in DATA_DIR)',
    about: 'base64 of 32 bytes that seal secrets and personal data; "new,old" while rotating',
  },
  { name: 'DELIVER_WEBHOOKS', fallback: 'true', about: 'false where `earmark deliver` runs beside the service' },
  {
    name: 'WEBHOOK_ALLOW_PRIVATE',
    fallback: 'false',
    about: 'true lets webhooks go to private, loopback and link-local addresses',
  },
  {
    name: 'WEBHOOK_PORTS',
    fallback: '80,443,8080,8443, or any with WEBHOOK_ALLOW_PRIVATE',
    about: 'ports that webhooks may go to, or any',
  },
  { name: 'IDEMPOTENCY_TTL_HOURS', fallback: '24', about: 'hours that idempotency keys are kept, 24 to 8760' },
  { name: 'SIGNING_KEY_DAYS', fallback: '90', about: 'days until a new key signs access tokens, 1 to 3650' },
  { name: 'EVENT_RETENTION_DAYS', fallback: '30', about: 'days that events and webhooks are kept, 30 to 3650' },
  {
    name: 'DOCUMENT_STORE',
    fallback: 'postgresql',
    about: 'where pictures of documents are kept: postgresql, or s3://bucket?endpoint=https://host&region=name',
  },
  { name: 'AWS_ACCESS_KEY_ID', fallback: '(none)', about: 'credentials of an s3:// document store' },
  { name: 'AWS_SECRET_ACCESS_KEY', fallback: '(none)', about: 'credentials of an s3:// document store' },
  {
    name: 'DOCUMENT_RETENTION_DAYS',
    fallback: '1825',
    about: 'days after the decision until the pictures of a document are erased, 0 to 36500',
  },
  { name: 'FOREIGN_PASSPORTS', fallback: 'allowed', about: 'allowed, or forbidden: then they can be rejected for that' },
  {
    name: 'SANDBOX_REVIEW_DELAY_MS',
    fallback: '500',
    about: 'how long the scripted checker of the sandbox takes, 0 to 86400000',
  },
  {
    name: 'METRICS_PORT',
    fallback: '(none: on PORT, for callers on this machine)',
    about: 'port of its own for /metrics, which is then not on PORT; 0 for any free one',
  },
  { name: 'METRICS_HOST', fallback: 'HOST', about: 'address that METRICS_PORT listens on; for the monitoring network only' },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: '(none: nothing is traced)',
    about: 'collector of OpenTelemetry traces that takes OTLP over HTTP with JSON, as http://localhost:4318',
  },
  { name: 'OTEL_EXPORTER_OTLP_HEADERS', fallback: '(none)', about: 'headers for the collector, name=value,name=value' },
  { name: 'OTEL_SERVICE_NAME', fallback: 'earmark', about: 'name of the service in traces' },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1: every request',
    about: 'share of the requests to trace, 0 to 1, where the caller has not decided by traceparent',
  },
  { name: 'DRAIN_SECONDS', fallback: '20', about: 'how long a stop waits for requests under way, 1 to 600' },
  {
    name: 'MAX_REQUESTS',
    fallback: '2000',
    about: 'most requests under way at once, of one application half; 1 to 1000000',
  },
  { name: 'RATE_LIMIT_READS', fallback: '0', about: 'reading calls a second of one application; 0 for any number, to 1000000' },
  { name: 'RATE_LIMIT_WRITES', fallback: '0', about: 'writing calls a second of one application; 0 for any number, to 1000000' },
  {
    name: 'TOKEN_FAILURES_PER_MINUTE',
    fallback: '30',
    about: 'wrong secrets a minute for one client from one address; 0 for any number, to 1000000',
  },
  {
    name: 'TRUST_PROXY',
    fallback: 'loopback,linklocal,uniquelocal',
    about: 'proxies whose X-Forwarded-For tells the address of a client: addresses, ranges, those names, or none',
  },
  {
    name: 'CORS_ORIGINS',
    fallback: 'none; in the sandbox http://localhost:*,http://127.0.0.1:*',
    about: 'origins of web pages that may call, such as https://app.example.com,http://localhost:* (any port); or none',
  },
  {
    name: 'REQUEST_TIMEOUT_SECONDS',
    fallback: '30',
    about: 'how long a request may take to arrive, its head a third of it; 1 to 600',
  },
  {
    name: 'RESPONSE_TIMEOUT_SECONDS',
    fallback: '30',
    about: 'how long a client may read nothing of an answer before its connection ends, 1 to 600',
  },
  {
    name: 'VERIFY_EVERY_SECONDS',
    fallback: '3600',
    about: 'rest between two runs of the ledger check, which is part of /health/ready; 0 for none, to 604800',
  },
  { name: 'LOG_LEVEL', fallback: 'info', about: LOG_LEVELS.join(', ') },
];

/** A list of faults in the settings, one line each. */
export class ConfigError extends UserError {}

/**
 * Reads and checks all settings; throws one ConfigError that names every fault. Empty values count as unset.
 * `overrides` stand before the environment.
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
    // Never repeated in the message: it may hold a password.
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
    // As clients print it: lower case, without the port that the scheme implies.
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

/** The environment with overrides before it; one of a secret also stands before the secret's file, and the other way round. */
function environmentUnder(overrides: Record<string, string>): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of SECRETS) {
    if (name in overrides) delete env[`${name}_FILE`];
    if (`${name}_FILE` in overrides) delete env[name];
  }
  return { ...env, ...overrides };
}

/** The secrets that come from files, as orchestrators mount them, by the name of their setting. */
function readSecretFiles(env: NodeJS.ProcessEnv, faults: string[]): Map<string, string> {
  const secrets = new Map<string, string>();
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`]?.trim();
    if (!file) continue;
    if (env[name]?.trim()) faults.push(`${name} and ${name}_FILE are both set. Set one of them.`);
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
  // An empty host, as for a unix socket, is one to `pg` but not to URL.
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace('@/', '@host/'));
}

/** `postgresql`, or `s3://bucket?endpoint=…&region=…`, whose credentials are settings of their own. */
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
    // Never repeated in the message: it may hold a password.
    faults.push('OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL without a user and password.');
  }
  const pairs = (text('OTEL_EXPORTER_OTLP_HEADERS') ?? '').split(',').filter((pair) => pair.trim() !== '');
  const headers = pairs.map((pair) => /^([!#$%&'*+.^`|~\w-]+)\s*=\s*([\x21-\x7e][\x20-\x7e]*)$/.exec(pair.trim()));
  // Never repeated in the message: they are secrets.
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

/** Percent-decoded, as the values of these headers are written; as it stands where it is not. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function readKeys(text: string | undefined, faults: string[]): Buffer[] {
  const keys = text?.split(',').map((key) => key.trim()) ?? [];
  // Never repeated in the message: it is a secret.
  if (!keys.every((key) => KEY_BASE64.test(key))) faults.push('ENCRYPTION_KEY must be base64 of 32 bytes, or "new,old".');
  return keys.map((key) => Buffer.from(key, 'base64'));
}

/** The ports of a list, or undefined for any. */
function readPorts(
  given: string | undefined,
  allowPrivate: boolean,
  fault: (name: string, wanted: string) => void,
): number[] | undefined {
  if (given === undefined) return allowPrivate ? undefined : WEBHOOK_PORTS;
  if (given === 'any') return undefined;
  const ports = given.split(',').map((port) => (/^ *[0-9]{1,5} *$/.test(port) ? Number(port) : 0));
  if (ports.some((port) => port < 1 || port > 65_535)) fault('WEBHOOK_PORTS', 'any, or ports with commas between them');
  return ports;
}

/** The proxies of a list, or undefined for none. */
function readProxies(given: string | undefined, fault: (name: string, wanted: string) => void): string[] | undefined {
  if (given === undefined) return PROXY_NAMES;
  if (given === 'none') return undefined;
  const proxies = given.split(',').map((proxy) => proxy.trim());
  const isProxy = (proxy: string) => PROXY_NAMES.includes(proxy) || ipaddr.isValid(proxy) || ipaddr.isValidCIDR(proxy);
  if (!proxies.every(isProxy)) fault('TRUST_PROXY', 'none, or addresses and ranges with commas between them');
  return proxies;
}

/** The origins of a list, as browsers send them; an empty list for none. */
function readOrigins(given: string, fault: (name: string, wanted: string) => void): string[] {
  if (given === 'none') return [];
  return given.split(',').map((entry) => {
    const text = entry.trim();
    const anyPort = text.endsWith(':*') ? ':*' : '';
    const url = ORIGIN.test(text) ? URL.parse(text.slice(0, text.length - anyPort.length)) : null;
    if (!url)
      fault('CORS_ORIGINS', 'none, or origins such as https://app.example.com or http://localhost:* with commas between them');
    return `${url?.origin}${anyPort}`;
  });
}
