// Settings: read from the environment once, validated together, and listed for `earmark help config`.
import { availableParallelism } from 'node:os';
import { UserError } from '../../core/user-error.ts';
import type { AutoDecision } from './document-checks.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { InvalidValue, type Kind } from './kinds.ts';
import type { Setting } from './setting.ts';
import { SANDBOX_ORIGINS, table, WEBHOOK_PORTS } from './table.ts';

/** The value of each setting, and of those that depend on others, what applies. */
export type Config = ReturnType<typeof complete>;
export type Mode = Config['mode'];
export type LogLevel = Config['logLevel'];
/** `url` accepts OTLP/HTTP with JSON. `ratio` is the share of requests traced when `traceparent` does not decide. */
export type TracingConfig = NonNullable<Config['tracing']>;
/** The store for document content: the database, or an S3-compatible bucket. */
export type DocumentStore = Config['documentStore'];

/** Invalid settings; the message has one line for each. */
export class ConfigError extends UserError {}

const rows: Setting[] = Object.values(table);

/** All settings, for the help. */
export const settings = rows.map(({ name, kind: { range }, about, fallback, shown = fallback! }) => ({
  name,
  fallback: shown,
  about: range === undefined ? about : `${about}${/[,;]/.test(about + range) ? '; ' : ', '}${range}`,
}));

/** Settings that can be read from a file, named by the setting with the suffix _FILE. */
export const SECRETS = rows.filter(({ isSecret }) => isSecret).map(({ name }) => name);

/** Up to this many processors a second lane does not help: the service and the embedded server use one each. */
const LANE_CPUS = 2;
const SANDBOX_DECISIONS: AutoDecision[] = ['accept', 'reject'];
const PRODUCTION_DECISIONS: AutoDecision[] = ['reject-expired'];
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Reads and validates all settings. Throws one ConfigError that lists every fault. Empty values count as unset.
 * `overrides` take precedence over the environment.
 */
export function readConfig(overrides: Record<string, string> = {}): Config {
  const { values, faults } = readValues(readEnvironment(overrides, SECRETS));
  faults.push(...bucketFaults(values));
  const { oidcIssuer, oidcClientId, oidcClientSecret } = values;
  const given = [oidcIssuer, oidcClientId, oidcClientSecret].filter((value) => value !== undefined).length;
  if (faults.length === 0 && given > 0 && given < 3) {
    faults.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are needed together.');
  }
  if ((values.logWitnessQuorum ?? 0) > (values.logWitnesses?.length ?? 0)) {
    faults.push('LOG_WITNESS_QUORUM must be at most the number of LOG_WITNESSES.');
  }
  faults.push(...checkerFaults(values));
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return complete(values);
}

/**
 * Refuses to serve production at the default of PUBLIC_URL, which is this machine: clients store links with it, and it is permanently
 * the origin of the transparency logs.
 */
export function requirePublicUrl({ mode, isPublicUrlGiven }: Config): void {
  if (mode === 'sandbox' || isPublicUrlGiven) return;
  throw new ConfigError(
    'PUBLIC_URL is not set, and production keeps it permanently in links and transparency logs. Add a line like PUBLIC_URL=https://payments.example.com, or MODE=sandbox to try Earmark.',
  );
}

function bucketFaults({ documentStore, checkpointDir, accessKeyId, secretAccessKey }: Partial<Values>): string[] {
  if (accessKeyId && secretAccessKey) return [];
  const buckets = { DOCUMENT_STORE: documentStore?.kind === 's3', CHECKPOINT_DIR: typeof checkpointDir === 'object' };
  return Object.entries(buckets)
    .filter(([, isBucket]) => isBucket)
    .map(([name]) => `${name} on s3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`);
}

/** A picture leaves this machine only signed, and encrypted unless it stays on it. */
function checkerFaults({ documentCheckers, documentCheckerUrl, documentCheckerSecret }: Partial<Values>): string[] {
  if (!documentCheckers?.includes('http')) return [];
  if (!documentCheckerUrl || !documentCheckerSecret) {
    return ['DOCUMENT_CHECKERS with http needs DOCUMENT_CHECKER_URL and DOCUMENT_CHECKER_SECRET.'];
  }
  const { protocol, hostname } = new URL(documentCheckerUrl);
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return [];
  return ['DOCUMENT_CHECKER_URL must begin with https://, unless it is on this machine.'];
}

type Values = { -readonly [Member in keyof typeof table]: ValueOf<(typeof table)[Member]> };
type ValueOf<Row> = Row extends { kind: Kind<infer Value> }
  ? Row extends { fallback: string }
    ? Value
    : Value | undefined
  : never;

/** Reads the values of the table. If there are faults, values are missing. */
function readValues({ text, faults: unreadable }: Environment): { values: Values; faults: string[] } {
  const faults = [...unreadable];
  const values = Object.entries<Setting>(table).map(([member, { name, kind, fallback }]) => {
    const given = text(name) ?? fallback;
    try {
      return [member, given === undefined ? undefined : kind.parse(given)];
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      faults.push(`${name} must be ${error.wanted}${error.isHidden ? '' : `, not ${JSON.stringify(given)}`}.`);
      return [member, undefined];
    }
  });
  return { values: Object.fromEntries(values), faults };
}

/** Adds the defaults that depend on other settings, and joins the settings of the tracing and of buckets. */
function complete({
  accessKeyId = '',
  secretAccessKey = '',
  collectorUrl,
  collectorHeaders = {},
  serviceName,
  tracedShare,
  oidcIssuer,
  oidcClientId = '',
  oidcClientSecret = '',
  oidcRolesClaim,
  ...values
}: Values) {
  const { host, port, databaseUrl, webhookAllowPrivate, webhookPorts, documentStore, checkpointDir } = values;
  const mode = values.mode ?? (databaseUrl ? 'production' : 'sandbox');
  const localUrl = port === 0 ? undefined : new URL(`http://localhost:${port}`).origin;
  const allowedPorts = webhookPorts ?? (webhookAllowPrivate ? 'any' : WEBHOOK_PORTS);
  return {
    ...values,
    /** Without a trailing slash. Undefined when PORT is 0 and the port is not known yet. */
    publicUrl: values.publicUrl ?? localUrl,
    isPublicUrlGiven: values.publicUrl !== undefined,
    mode,
    /** Whether a process that serves or delivers migrates the database at its start. */
    migrates: true,
    lanes: values.lanes ?? (databaseUrl || availableParallelism() > LANE_CPUS ? 2 : 1),
    /** 32 bytes each, newest first. Empty: a key is generated and kept in the data directory. */
    encryptionKeys: values.encryptionKeys ?? [],
    /** Undefined for any. */
    webhookPorts: allowedPorts === 'any' ? undefined : allowedPorts,
    documentStore: documentStore.kind === 's3' ? { ...documentStore, accessKeyId, secretAccessKey } : documentStore,
    /** A folder, or a bucket. Undefined if no checkpoints are kept. */
    checkpointDir: typeof checkpointDir === 'object' ? { ...checkpointDir, accessKeyId, secretAccessKey } : checkpointDir,
    /** Undefined without an OpenID provider. */
    openId:
      oidcIssuer === undefined
        ? undefined
        : { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret, rolesClaim: oidcRolesClaim },
    metricsHost: values.metricsHost ?? host,
    /** Undefined disables tracing. */
    tracing:
      collectorUrl === undefined ? undefined : { url: collectorUrl, headers: collectorHeaders, serviceName, ratio: tracedShare },
    documentCheckers: values.documentCheckers ?? (mode === 'sandbox' ? ['reader' as const] : []),
    autoDecide: values.autoDecide ?? (mode === 'sandbox' ? SANDBOX_DECISIONS : PRODUCTION_DECISIONS),
    corsOrigins: values.corsOrigins ?? (mode === 'sandbox' ? SANDBOX_ORIGINS : []),
  };
}
