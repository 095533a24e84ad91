// `earmark config check` and `earmark health`.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { settings } from '../src/platform/config/config.ts';
import { createDatabase, dropDatabase } from './support/database.ts';
import { assertOneLine, runCli, runCliJson, scratch, serve } from './support/process.ts';
import { waitUntil } from './support/wait.ts';

type Checked = {
  valid: boolean;
  settings: { setting: string; value: string; source: string }[];
  faults: string[];
  unknown: { name: string; source: string; hint: string }[];
};

const CHECK = ['config', 'check'];
const PASSWORD = 'correct horse';

test('config check shows the effective value of every setting and its source', async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'environment');
  const key = join(folder, 'key');
  writeFileSync(key, Buffer.alloc(32).toString('base64'));
  writeFileSync(
    file,
    `# production\nPUBLIC_URL="HTTPS://Pay.example.com:443/"\nENCRYPTION_KEY_FILE=${key}\nNODE_ENV=production\n`,
  );
  const env = { PORT: '9000', DATABASE_URL: `postgres://u:${encodeURIComponent(PASSWORD)}@db/earmark?password=${PASSWORD}` };
  const checked = await runCliJson<Checked>(t, [...CHECK, '--file', file], env);
  assert.deepEqual([checked.valid, checked.faults, checked.unknown], [true, [], []]);
  assert.deepEqual(
    checked.settings.map(({ setting }) => setting),
    settings.map(({ name }) => name),
  );
  const shown = (name: string) => {
    const { value, source } = checked.settings.find(({ setting }) => setting === name)!;
    return [value, source];
  };
  assert.deepEqual(shown('PORT'), ['9000', 'environment']);
  assert.deepEqual(shown('PUBLIC_URL'), ['https://pay.example.com', file]);
  assert.deepEqual(shown('MODE'), ['production', 'default'], 'the default with DATABASE_URL');
  assert.deepEqual(shown('DATABASE_URL'), ['postgres://u:***@db/earmark', 'environment']);
  assert.deepEqual(shown('ENCRYPTION_KEY'), ['(set)', `${file}: ENCRYPTION_KEY_FILE ${key}`]);
  assert.deepEqual(shown('OTEL_EXPORTER_OTLP_HEADERS'), ['(none)', 'default']);

  const secrets = {
    AWS_SECRET_ACCESS_KEY: PASSWORD,
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${PASSWORD}`,
    OIDC_CLIENT_SECRET: PASSWORD,
  };
  for (const args of [CHECK, [...CHECK, '--json']]) {
    const { stdout, stderr } = await runCli(t, args, { ...env, ...secrets });
    assert.ok(!`${stdout}${stderr}`.includes(PASSWORD), 'no secret is printed');
  }
  const text = await runCli(t, CHECK, { PORT: '9000' });
  assert.match(text.stdout, /^PORT +9000 +environment$/m);
  assert.match(text.stdout, /^valid {2}All settings are valid\.$/m);
  assert.deepEqual([text.code, text.stderr], [0, '']);
});

test('config check names invalid values, and names that are not settings with the nearest one', async (t) => {
  const folder = scratch(t);
  const file = join(folder, '.env');
  writeFileSync(file, 'PROT=9000\nPUBLIC_URI=https://pay.example.com\nWEBHOOK_RETRIES=3\n');
  const env = {
    LOG_LEVEL: 'loud',
    ENCRYPTION_KEY: 'short',
    PUBLIC_ULR: 'x',
    PUBLIC_URL_FILE: file,
    databaseurl: 'x',
    EARMARK_PORT: '1',
    EARMARK_COLOUR: 'x',
  };
  const others = { HOSTNAME: 'x', LOGNAME: 'x', NODE_OPTIONS: '--no-warnings', NODE: 'x', PGSSLMODE: 'require', DATA: 'x' };
  const { code, stdout } = await runCli(t, [...CHECK, '--json', '--file', file], { ...env, ...others });
  const { valid, faults, unknown } = JSON.parse(stdout) as Checked;
  assert.deepEqual([code, valid], [1, false]);
  assert.deepEqual(
    faults.map((fault) => fault.split(' ')[0]),
    ['ENCRYPTION_KEY', 'LOG_LEVEL'],
  );
  assert.ok(!stdout.includes('short'));
  const all = 'See `earmark help config`.';
  assert.deepEqual(
    unknown.map(({ name, source, hint }) => [name, source, hint]).sort(),
    [
      ['PROT', file, 'Did you mean PORT?'],
      ['PUBLIC_URI', file, 'Did you mean PUBLIC_URL?'],
      ['WEBHOOK_RETRIES', file, all],
      ['PUBLIC_ULR', 'environment', 'Did you mean PUBLIC_URL?'],
      ['PUBLIC_URL_FILE', 'environment', 'Only secrets can be in files: set PUBLIC_URL.'],
      ['databaseurl', 'environment', 'Did you mean DATABASE_URL?'],
      ['EARMARK_PORT', 'environment', 'Did you mean PORT?'],
      ['EARMARK_COLOUR', 'environment', all],
    ].sort(),
  );
  const text = await runCli(t, CHECK, env, { cwd: folder });
  assert.equal(text.code, 1);
  assert.match(text.stdout, /^invalid {2}LOG_LEVEL must be one of .*, not "loud"\.$/m);
  assert.match(text.stdout, /^unknown {2}PUBLIC_ULR \(environment\) is not a setting\. Did you mean PUBLIC_URL\?$/m);
  assert.match(text.stdout, /^Earmark does not read the \.env in this folder\. To check it: earmark config check --file \.env$/m);
  assertOneLine(await runCli(t, [...CHECK, '--file', join(folder, 'none')], {}), /none cannot be read: ENOENT\./, 2);
});

test('config check names a missing PUBLIC_URL, without which production does not start', async (t) => {
  for (const [name, value] of Object.entries({ MODE: 'production', DATABASE_URL: 'postgres://u@db/earmark' })) {
    const { code, stdout } = await runCli(t, CHECK, { [name]: value });
    assert.match(stdout, /^MODE +production /m);
    assert.match(stdout, /^invalid {2}PUBLIC_URL is not set, .* Add a line like PUBLIC_URL=.*$/m);
    assert.equal(code, 1);
  }
});

test('health reports a service that is ready, one that is not, and one that does not respond', async (t) => {
  const databaseUrl = await createDatabase();
  const dataDir = join(scratch(t), 'data');
  mkdirSync(dataDir);
  const service = await serve(t, { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, MODE: 'sandbox' });
  const env = { PORT: String(service.port) };
  const ready = await runCli(t, ['health'], env);
  assert.deepEqual([ready.code, ready.stderr], [0, '']);
  assert.match(ready.stdout, /^check +result +ms +detail\nlive +ok +\d+\nready +ok +\d+\n$/);
  const byUrl = await runCliJson<{ url: string }>(t, ['health', '--url', `http://127.0.0.1:${service.port}/`], {});
  assert.equal(byUrl.url, `http://127.0.0.1:${service.port}`);

  await dropDatabase(databaseUrl);
  const red = await waitUntil('the service is not ready', async () => {
    const ended = await runCli(t, ['health'], env);
    return ended.code === 0 ? undefined : ended;
  });
  assert.deepEqual([red.code, red.stderr], [1, '']);
  assert.match(red.stdout, /^live +ok +\d+\nready +unavailable +\d+ {2}\S.*$/m);

  service.child.kill('SIGKILL');
  await service.ended;
  const gone = await runCli(t, ['health'], env);
  assert.deepEqual([gone.code, gone.stdout], [2, '']);
  assert.match(gone.stderr, /^http:\/\/localhost:\d+ does not respond\. .*\n$/);
  assertOneLine(await runCli(t, ['health'], { PORT: '0' }), /^PORT is 0, .* --url\./);
  assertOneLine(await runCli(t, ['health', '--url', 'pay.example.com'], {}), /^--url takes a URL like/, 2);

  const other = createServer((_request, response) => response.end('<html>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const wrong = await runCli(t, ['health', '--url', `http://127.0.0.1:${port}`], {});
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /is not a health check of Earmark: it returned 200\.$/m);
});
