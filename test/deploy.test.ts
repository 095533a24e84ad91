// Static checks of deploy/: the image, the compose file, the systemd unit and the load balancer.
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { SECRETS, settings } from '../src/config.ts';
import { ROOT } from './support/paths.ts';

const read = (file: string) => readFileSync(join(ROOT, 'deploy', file), 'utf8');
const known = new Set([...settings.map(({ name }) => name), ...SECRETS.map((name) => `${name}_FILE`), 'NODE_ENV']);
/** Files of the package that people read and the service does not. */
const UNUSED = new Set(['*.md', 'openapi.json', 'docs', 'bench', 'examples', 'operations', 'deploy']);

test('the image: valid syntax, an unprivileged user, a health check, and only files that exist', () => {
  const text = read('Dockerfile');
  assert.deepEqual(validate(text), []);
  const stage = text.slice(text.lastIndexOf('\nFROM '));
  assert.match(stage, /^USER node$/m);
  assert.match(stage, /^HEALTHCHECK .*\/health\/ready/m);
  assert.match(stage, /^ENTRYPOINT \["node", "bin\/earmark.js"\]$/m);
  const { scripts, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const [, script] of text.matchAll(/"npm", "run", "([^"]+)"/g)) assert.ok(scripts[script!], script);
  const copied = [...stage.matchAll(/^COPY --from=build \/build\/(\S+)/gm)].map(([, path]) => path!);
  const included: string[] = files.filter((file: string) => !file.startsWith('!'));
  const folders = new Set(included.map((file) => file.split('/')[0]!));
  for (const needed of folders.difference(UNUSED)) assert.ok(copied.includes(needed), needed);
  for (const [, name] of stage.matchAll(/\b([A-Z][A-Z_]+)=/g)) assert.ok(known.has(name!), name);
});

test('the services: settings that exist, secrets as files, a read-only root, no published port', () => {
  const { services, secrets, volumes } = parse(read('compose.yaml'));
  const { earmark, database } = services;
  for (const name of Object.keys(earmark.environment)) assert.ok(known.has(name), name);
  for (const service of [earmark, database]) {
    for (const secret of service.secrets) assert.ok(secrets[secret], secret);
    for (const [name, value] of Object.entries<string>(service.environment)) {
      if (/KEY|PASSWORD|DATABASE_URL/.test(name)) assert.match(value, /^\/run\/secrets\//, name);
    }
  }
  assert.deepEqual([earmark.read_only, earmark.cap_drop], [true, ['ALL']]);
  const dataDir: string = earmark.environment.DATA_DIR;
  const [volume, path] = earmark.volumes[0].split(':');
  assert.ok(volume in volumes && path === dataDir, 'the sandbox data survives a restart');
  assert.match(read('Dockerfile'), new RegExp(`"--owner=node", .*"${dataDir}"\\]$`, 'm'), 'the unprivileged user can write it');
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  for (const { file } of Object.values<{ file: string }>(secrets))
    assert.ok(ignored.includes(join('deploy', dirname(file))), `${file} would be sent to the build`);
  for (const port of earmark.ports) assert.match(port, /^127\.0\.0\.1:/);
  assert.equal(database.ports, undefined);
  assert.ok(earmark.depends_on.database.condition === 'service_healthy' && database.healthcheck);
  assert.ok(statSync(join(ROOT, 'deploy', earmark.build.context, earmark.build.dockerfile)).isFile());
});

test('the unit: settings that exist, and a stop signal for the service process only', () => {
  const unit = read('earmark.service');
  for (const [, name] of unit.matchAll(/\b([A-Z][A-Z_]+)=(?=\S)/g)) assert.ok(known.has(name!), name);
  assert.match(unit, /^KillMode=mixed$/m);
  assert.match(unit, /^User=earmark$/m);
  assert.match(unit, /^Environment=.*\bMODE=production\b/m, 'not the sandbox that comes with the embedded server');
});

test('the balancer: passes on the client address it sees, and does not expose metrics', () => {
  const frontend = read('haproxy.cfg').split(/^(?=frontend|backend)/m)[1]!;
  assert.match(frontend, /^ +http-request del-header X-Forwarded-For\n +option forwardfor$/m);
  assert.match(frontend, /^ +http-request deny .* if \{ path,url_dec .*metrics/m);
});

test('every file of deploy/ begins with a comment on its purpose', () => {
  for (const file of globSync('*', { cwd: join(ROOT, 'deploy') }))
    if (file !== 'secrets') assert.match(read(file), /^# [A-Z]/, file);
});
