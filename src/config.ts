// Settings: read from the environment once, checked all at once, and listed for `earmark help config`.
import { resolve } from 'node:path';

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
  poolSize: number;
  /** Base64 of 32 bytes each, newest first; empty: one is made and kept in the data directory. */
  encryptionKeys: Buffer[];
  logLevel: LogLevel;
};

export type Setting = { name: string; fallback: string; about: string };

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const KEY_BYTES = 32;

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
  { name: 'LANES', fallback: '2', about: 'lanes of group commit, each with a database connection of its own, 1 to 64' },
  { name: 'MAX_BATCH', fallback: '200', about: 'most transfers in one commit, 1 to 5000' },
  { name: 'POOL_SIZE', fallback: '10', about: 'database connections beside the lanes, 1 to 200' },
  {
    name: 'ENCRYPTION_KEY',
    fallback: '(made in DATA_DIR)',
    about: 'base64 of 32 bytes that seal secrets and personal data; "new,old" while rotating',
  },
  { name: 'LOG_LEVEL', fallback: 'info', about: LOG_LEVELS.join(', ') },
];

/** A list of faults in the settings, one line each. */
export class ConfigError extends Error {}

/**
 * Reads and checks all settings; throws one ConfigError that names every fault. Empty values count as unset.
 * `overrides` stand before the environment.
 */
export function readConfig(overrides: Record<string, string> = {}): Config {
  const env: NodeJS.ProcessEnv = { ...process.env, ...overrides };
  const faults: string[] = [];
  const text = (name: string) => env[name]?.trim() || undefined;
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
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    // Never repeated in the message: it may hold a password.
    faults.push('DATABASE_URL must begin with postgres:// or postgresql://.');
  }
  const publicUrl = text('PUBLIC_URL') ?? (port === 0 ? undefined : `http://localhost:${port}`);
  if (publicUrl !== undefined && !isBareUrl(publicUrl)) fault('PUBLIC_URL', 'an http or https URL without a path');
  const mediaTypeVendor = text('MEDIA_TYPE_VENDOR') ?? 'earmark';
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(mediaTypeVendor))
    fault('MEDIA_TYPE_VENDOR', 'a word of lower-case letters, digits and hyphens');

  const config: Config = {
    host: text('HOST') ?? 'localhost',
    port,
    publicUrl: publicUrl?.replace(/\/$/, ''),
    dataDir: resolve(text('DATA_DIR') ?? 'data'),
    databaseUrl,
    mode: oneOf<Mode>('MODE', ['sandbox', 'production'], databaseUrl ? 'production' : 'sandbox'),
    mediaTypeVendor,
    tokenTtlSeconds: integer('TOKEN_TTL_SECONDS', { min: 1, max: 86_400, fallback: 3600 }),
    lanes: integer('LANES', { min: 1, max: 64, fallback: 2 }),
    maxBatch: integer('MAX_BATCH', { min: 1, max: 5000, fallback: 200 }),
    poolSize: integer('POOL_SIZE', { min: 1, max: 200, fallback: 10 }),
    encryptionKeys: readKeys(text('ENCRYPTION_KEY'), faults),
    logLevel: oneOf<LogLevel>('LOG_LEVEL', LOG_LEVELS, 'info'),
  };
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return config;
}

function isBareUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const bare = url.pathname === '/' && !url.search && !url.hash && !url.username;
  return bare && (url.protocol === 'http:' || url.protocol === 'https:') && text.replace(/\/$/, '') === url.origin;
}

function readKeys(text: string | undefined, faults: string[]): Buffer[] {
  const keys = (text?.split(',') ?? []).map((key) => Buffer.from(key.trim(), 'base64'));
  // Never repeated in the message: it is a secret.
  if (keys.some((key) => key.length !== KEY_BYTES)) faults.push('ENCRYPTION_KEY must be base64 of 32 bytes, or "new,old".');
  return keys;
}
