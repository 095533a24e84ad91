// Tests of the settings: defaults, validation, secrets from files.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { type Config, ConfigError, readConfig, settings } from './config.ts';
import { readServers } from './database-url.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const OLD_KEY = Buffer.alloc(32, 8).toString('base64');
/** A value that is set outside the test. */
const UNSET = Object.fromEntries(settings.map(({ name }) => [name, '']));

const read = (given: Record<string, string> = {}) => readConfig({ ...UNSET, ...given });

function faultsOf(given: Record<string, string>): string[] {
  try {
    read(given);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message.split('\n');
  }
  return [];
}

test('uses the documented defaults', () => {
  const config = read();
  const expected: Partial<Config> = {
    host: 'localhost',
    port: 8080,
    publicUrl: 'http://localhost:8080',
    dataDir: resolve('data'),
    databaseUrl: undefined,
    mode: 'sandbox',
    mediaTypeVendor: 'earmark',
    encryptionKeys: [],
    logLevel: 'info',
  };
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(config[name as keyof Config], value, name);
  const numbers = settings.filter(({ fallback }) => /^\d+$/.test(fallback));
  assert.ok(numbers.length > 5);
  for (const { name, fallback } of numbers) {
    const member = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    assert.equal(String(config[member as keyof Config]), fallback, `${name} as help tells it`);
  }
});

test('the default of MODE depends on DATABASE_URL', () => {
  const DATABASE_URL = 'postgres://u:p@h/d';
  assert.equal(read({ DATABASE_URL }).mode, 'production');
  assert.equal(read({ DATABASE_URL, MODE: 'sandbox' }).mode, 'sandbox');
  assert.equal(read({ MODE: 'production' }).mode, 'production');
});

test('validates PUBLIC_URL', () => {
  const cases: Record<string, string> = {
    'https://pay.example.com': 'https://pay.example.com',
    'https://pay.example.com/': 'https://pay.example.com',
    ' https://pay.example.com ': 'https://pay.example.com',
    'HTTPS://Pay.Example.com:443': 'https://pay.example.com',
    'http://10.0.0.1:9000': 'http://10.0.0.1:9000',
    'http://[::1]:9000/': 'http://[::1]:9000',
  };
  for (const [given, wanted] of Object.entries(cases)) assert.equal(read({ PUBLIC_URL: given }).publicUrl, wanted);
  for (const given of ['pay.example.com', 'ftp://h', 'https://h/path', 'https://h/?q=1', 'https://h/#f', 'https://']) {
    assert.deepEqual(faultsOf({ PUBLIC_URL: given }), [
      `PUBLIC_URL must be an http or https URL without a path, not "${given}".`,
    ]);
  }
  for (const given of ['https://user:hush@h', 'https://:hush@h', 'https://hush@h']) {
    assert.deepEqual(faultsOf({ PUBLIC_URL: given }), ['PUBLIC_URL must be an http or https URL without a user and password.']);
  }
  assert.equal(read({ PORT: '9000' }).publicUrl, 'http://localhost:9000');
  assert.equal(read({ PORT: '80' }).publicUrl, 'http://localhost', 'the default port is left out, as clients do');
  assert.equal(read({ PORT: '0' }).publicUrl, undefined);
  assert.equal(read({ PORT: '0', PUBLIC_URL: 'https://h' }).publicUrl, 'https://h');
});

test('validates DATABASE_URL', () => {
  const good = [
    'postgres://user:pass@host:5432/database',
    'postgresql://user@host/database?sslmode=disable',
    'postgres://user:pass@/database?host=%2Frun%2Fpostgresql',
    'postgres:///database?host=/run/postgresql',
    'postgres://user:p%40ss@[::1]/database',
    'postgres://user:pass@a,b/database?target_session_attrs=read-write',
    'postgres://user:pass@a:5432,[::1]:5433/database?target_session_attrs=primary&sslmode=disable',
    'postgres:///database?host=/run/a,/run/b&port=5432,5433',
  ];
  for (const given of good) assert.equal(read({ DATABASE_URL: given }).databaseUrl, given);
  const bad = [
    'mysql://u:hush@h/d',
    'hush',
    'postgres://u:hush@h:99999/d',
    'postgres://u:hush@[::1/d',
    'postgres://u:hush#1@h/d',
    'postgres://u:hush@a,b:99999/d',
    'postgres:///d?host=/a,/b&port=1,2,3',
  ];
  for (const given of bad) {
    const faults = faultsOf({ DATABASE_URL: given });
    assert.match(faults.join('\n'), /^DATABASE_URL must be a URL like postgres:\/\/\S+, its password percent-encoded\.$/, given);
  }
});

test('a service connects to a server that takes writes', () => {
  for (const target of ['any', 'standby', 'read-only', 'prefer-standby', ''])
    assert.deepEqual(faultsOf({ DATABASE_URL: `postgres://u:hush@a,b/d?target_session_attrs=${target}` }), [
      'DATABASE_URL must be a URL whose target_session_attrs is read-write or primary, because a service writes.',
    ]);
});

test('divides a DATABASE_URL of several servers', () => {
  const { urls } = readServers('postgresql://u:p@a:5432,[::1]:5433/d?sslmode=disable&target_session_attrs=read-write');
  assert.deepEqual(urls, ['postgresql://u:p@a:5432/d?sslmode=disable', 'postgresql://u:p@[::1]:5433/d?sslmode=disable']);
  assert.deepEqual(readServers('postgres://u@/d?host=/a,/b&port=5433').urls, [
    'postgres://u@/d?host=%2Fa&port=5433',
    'postgres://u@/d?host=%2Fb&port=5433',
  ]);
  assert.deepEqual(readServers('postgres://u@a/d?port=5433').urls, ['postgres://u@a/d?port=5433']);
});

test('validates ENCRYPTION_KEY', () => {
  assert.deepEqual(read({ ENCRYPTION_KEY: `${KEY}, ${OLD_KEY}` }).encryptionKeys, [Buffer.alloc(32, 7), Buffer.alloc(32, 8)]);
  for (const given of ['hush', `${KEY},`, KEY.slice(1), `${KEY}${KEY}`, `!${KEY}`, `${KEY.slice(0, -2)}!=`]) {
    assert.deepEqual(faultsOf({ ENCRYPTION_KEY: given }), ['ENCRYPTION_KEY must be base64 of 32 bytes, or "new,old".'], given);
  }
});

test('validates TRUST_PROXY', () => {
  assert.deepEqual(read().trustProxy, ['loopback', 'linklocal', 'uniquelocal']);
  assert.equal(read({ TRUST_PROXY: 'none' }).trustProxy, undefined);
  assert.deepEqual(read({ TRUST_PROXY: '192.0.2.1, 10.0.0.0/8,::1' }).trustProxy, ['192.0.2.1', '10.0.0.0/8', '::1']);
  for (const wrong of ['proxy', '192.0.2.1,', 'none,loopback', '10.0.0.0/99', '*']) {
    const [fault] = faultsOf({ TRUST_PROXY: wrong });
    assert.equal(fault, `TRUST_PROXY must be none, or addresses and ranges separated by commas, not ${JSON.stringify(wrong)}.`);
  }
});

test('validates CORS_ORIGINS', () => {
  assert.deepEqual(read().corsOrigins, ['http://localhost:*', 'http://127.0.0.1:*']);
  assert.deepEqual(read({ MODE: 'production' }).corsOrigins, []);
  assert.deepEqual(read({ CORS_ORIGINS: 'none' }).corsOrigins, []);
  const given = 'https://App.example.com, https://b.example:443,http://[::1]:*,http://127.0.0.1:3000';
  const origins = ['https://app.example.com', 'https://b.example', 'http://[::1]:*', 'http://127.0.0.1:3000'];
  assert.deepEqual(read({ CORS_ORIGINS: given }).corsOrigins, origins, 'origins are normalised as browsers send them');
  const wrong = [
    '*',
    'null',
    'app.example.com',
    'https://*.example.com',
    'https://a.example/',
    'https://a.example:1:*',
    'ftp://a',
    'none,',
    'http://a:99999',
  ];
  for (const text of wrong) {
    assert.match(faultsOf({ CORS_ORIGINS: text })[0]!, /^CORS_ORIGINS must be none, or origins such as /, text);
  }
});

test('validates numbers and enumerated values', () => {
  const bounds: Record<string, [min: number, max: number]> = {
    PORT: [0, 65_535],
    TOKEN_TTL_SECONDS: [1, 86_400],
    LANES: [1, 64],
    MAX_BATCH: [1, 5000],
    MAX_QUEUED: [1, 1_000_000],
    VERIFY_EVERY_SECONDS: [0, 604_800],
    MAX_REQUESTS: [1, 1_000_000],
    RATE_LIMIT_READS: [0, 1_000_000],
    RATE_LIMIT_WRITES: [0, 1_000_000],
    TOKEN_FAILURES_PER_MINUTE: [0, 1_000_000],
    REQUEST_TIMEOUT_SECONDS: [1, 600],
    RESPONSE_TIMEOUT_SECONDS: [1, 600],
    POOL_SIZE: [1, 200],
    DRAIN_SECONDS: [1, 600],
  };
  for (const [name, [min, max]] of Object.entries(bounds)) {
    for (const good of [min, max]) assert.deepEqual(faultsOf({ [name]: String(good) }), []);
    for (const bad of [String(min - 1), String(max + 1), '1e2', '1.5', '0x1', '+1', 'many', '١']) {
      const faults = faultsOf({ [name]: bad });
      assert.deepEqual(faults, [`${name} must be an integer from ${min} to ${max}, not "${bad}".`]);
    }
  }
  assert.deepEqual(faultsOf({ MODE: 'Sandbox' }), ['MODE must be one of sandbox, production, not "Sandbox".']);
  assert.match(faultsOf({ LOG_LEVEL: 'loud' })[0]!, /^LOG_LEVEL must be one of silent, .*, not "loud"\.$/);
  for (const bad of ['Earmark', 'a/b', '-a', 'a b', 'a'.repeat(65)]) {
    assert.match(faultsOf({ MEDIA_TYPE_VENDOR: bad })[0]!, /^MEDIA_TYPE_VENDOR must be a word of lower-case/);
  }
});

test('validates the trace settings', () => {
  assert.equal(read().tracing, undefined);
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'https://collector.example.com:4318/base/';
  assert.deepEqual(read({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing, {
    url: 'https://collector.example.com:4318/base/v1/traces',
    headers: {},
    serviceName: 'earmark',
    ratio: 1,
  });
  const more = { OTEL_EXPORTER_OTLP_HEADERS: 'a=b%20c=,d = %zz', OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER_ARG: '0.25' };
  const { url, ...rest } = read({ OTEL_EXPORTER_OTLP_ENDPOINT, ...more }).tracing!;
  assert.deepEqual(rest, { headers: { a: 'b c=', d: '%zz' }, serviceName: 'x', ratio: 0.25 });
  for (const OTEL_EXPORTER_OTLP_ENDPOINT of ['localhost:4318', 'ftp://x', 'http://user:sesame@host', 'nothing']) {
    const faults = faultsOf({ OTEL_EXPORTER_OTLP_ENDPOINT });
    assert.deepEqual(faults, ['OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL without a user and password.']);
  }
  assert.deepEqual(faultsOf({ OTEL_EXPORTER_OTLP_HEADERS: 'sesame' }), [
    'OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value.',
  ]);
  for (const OTEL_TRACES_SAMPLER_ARG of ['-1', '1.1', 'all']) assert.equal(faultsOf({ OTEL_TRACES_SAMPLER_ARG }).length, 1);
});

test('validates the settings of document checks', () => {
  const secret = 'for-tests-only';
  const http = { DOCUMENT_CHECKERS: 'http', DOCUMENT_CHECKER_SECRET: secret };
  assert.deepEqual([read().documentCheckers, read().autoDecide], [['reader'], ['accept', 'reject']]);
  const production = read({ MODE: 'production' });
  assert.deepEqual([production.documentCheckers, production.autoDecide], [[], ['reject-expired']]);
  assert.deepEqual(read({ DOCUMENT_CHECKERS: 'off', AUTO_DECIDE: 'none' }).autoDecide, []);
  const both = { ...http, DOCUMENT_CHECKERS: 'reader, http', DOCUMENT_CHECKER_URL: 'http://localhost:9000/check?v=1' };
  assert.deepEqual(read(both).documentCheckers, ['reader', 'http']);
  for (const url of ['https://check.example.com', 'http://127.0.0.1:9', 'http://[::1]:9']) {
    assert.deepEqual(faultsOf({ ...http, DOCUMENT_CHECKER_URL: url }), [], url);
  }
  const needed = 'DOCUMENT_CHECKERS with http needs DOCUMENT_CHECKER_URL and DOCUMENT_CHECKER_SECRET.';
  assert.deepEqual(faultsOf(http), [needed]);
  assert.deepEqual(faultsOf({ DOCUMENT_CHECKERS: 'http', DOCUMENT_CHECKER_URL: 'https://check.example.com' }), [needed]);
  for (const url of ['http://check.example.com', 'http://10.0.0.1', 'http://127.example.com']) {
    assert.match(faultsOf({ ...http, DOCUMENT_CHECKER_URL: url })[0]!, /must begin with https/, url);
  }
  for (const bad of ['ftp://h', 'https://u:p@h', 'nonsense']) {
    const faults = faultsOf({ ...http, DOCUMENT_CHECKER_URL: bad });
    assert.match(faults[0]!, /^DOCUMENT_CHECKER_URL must be an http or https URL/);
    assert.ok(!faults.join().includes(bad));
  }
  for (const bad of ['scan', 'reader,reader', 'off,reader', 'reader,']) {
    assert.match(faultsOf({ DOCUMENT_CHECKERS: bad })[0]!, /must be off, or a list of reader, http/, bad);
  }
  assert.match(
    faultsOf({ AUTO_DECIDE: 'everything' })[0]!,
    /must be none, or a list of accept, accept-text, accept-document, accept-chip, reject, reject-expired/,
  );
});

test('reports all faults together', () => {
  const faults = faultsOf({ PORT: 'x', PUBLIC_URL: 'x', MODE: 'x', LANES: 'x', ENCRYPTION_KEY: 'x', DATABASE_URL: 'x' });
  const names = faults.map((fault) => fault.split(' ', 1)[0]).sort();
  assert.deepEqual(names, ['DATABASE_URL', 'ENCRYPTION_KEY', 'LANES', 'MODE', 'PORT', 'PUBLIC_URL']);
});

test('reads a secret from a file or the environment, not both, and never shows it in a fault', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'key');
  writeFileSync(file, `${KEY}\n`);
  assert.deepEqual(read({ ENCRYPTION_KEY_FILE: file }).encryptionKeys, [Buffer.alloc(32, 7)]);
  const url = join(folder, 'url');
  writeFileSync(url, 'postgres://user:password@host/earmark');
  assert.equal(read({ DATABASE_URL_FILE: url }).databaseUrl, 'postgres://user:password@host/earmark');
  assert.equal(read({ DATABASE_URL_FILE: url }).mode, 'production');
  assert.deepEqual(faultsOf({ ENCRYPTION_KEY_FILE: join(folder, 'none') }), ['ENCRYPTION_KEY_FILE cannot be read: ENOENT.']);
  assert.deepEqual(faultsOf({ ENCRYPTION_KEY_FILE: file, ENCRYPTION_KEY: OLD_KEY }), [
    'ENCRYPTION_KEY and ENCRYPTION_KEY_FILE are both set. Set only one.',
  ]);
  writeFileSync(file, 'not a key');
  assert.deepEqual(faultsOf({ ENCRYPTION_KEY_FILE: file }), ['ENCRYPTION_KEY must be base64 of 32 bytes, or "new,old".']);
});

test('a secret given as a value overrides its file in the environment', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-config-'));
  const file = join(folder, 'url');
  writeFileSync(file, 'postgres://user:password@host/file');
  process.env.DATABASE_URL_FILE = file;
  t.after(() => {
    delete process.env.DATABASE_URL_FILE;
    rmSync(folder, { recursive: true });
  });
  const { DATABASE_URL: _, ...others } = UNSET;
  assert.equal(readConfig(others).databaseUrl, 'postgres://user:password@host/file');
  assert.equal(readConfig({ ...others, DATABASE_URL: '' }).databaseUrl, undefined);
  assert.equal(readConfig({ ...others, DATABASE_URL: 'postgres://u@h/other' }).databaseUrl, 'postgres://u@h/other');
});
