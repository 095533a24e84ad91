// Static checks of deploy/: the image, the compose files, the servers of a cluster, the systemd unit and the load balancer.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { SECRETS, settings } from '../src/platform/config/config.ts';
import { makeDatabase } from './support/database.ts';
import { ROOT } from './support/paths.ts';
import { scratch, start } from './support/process.ts';

type ComposeService = {
  image?: string;
  build: { context: string; dockerfile: string };
  environment: { [name: string]: string; DATA_DIR: string };
  secrets?: string[];
  volumes: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  read_only: boolean;
  cap_drop: string[];
};

const read = (file: string) => readFileSync(join(ROOT, 'deploy', file), 'utf8');
const known = new Set([...settings.map(({ name }) => name), ...SECRETS.map((name) => `${name}_FILE`), 'NODE_ENV']);
test('the image: valid syntax, an unprivileged user, and the files of the npm package', () => {
  const text = read('Dockerfile');
  assert.deepEqual(validate(text), []);
  const stage = text.slice(text.lastIndexOf('\nFROM '));
  assert.match(stage, /^USER 1000:1000$/m);
  assert.match(text, /^RUN \["npm", "pack"\]$/m);
  // test/image.test.ts builds the image from these, and starts it.
  assert.deepEqual(stage.match(/^COPY .*$/gm), [
    'COPY --from=build /etc/passwd /etc/group /etc/',
    'COPY --from=build /usr/local/bin/node /usr/local/bin/',
    'COPY --from=build /build/node_modules ./node_modules',
    'COPY --from=build /app ./',
  ]);
  for (const [, name] of stage.matchAll(/\b([A-Z][A-Z_]+)=/g)) assert.ok(known.has(name!), name);
});

test('the services: settings that exist, secrets as files, a read-only root, no published port', () => {
  const { services, secrets, volumes } = parse(read('compose.yaml'));
  const { earmark, database } = services;
  assertService(earmark, 'compose.yaml');
  assertSecrets(services, secrets, 'compose.yaml');
  const [volume] = earmark.volumes[0].split(':');
  assert.ok(volume in volumes, 'the sandbox data survives a restart');
  for (const port of earmark.ports) assert.match(port, /^127\.0\.0\.1:/);
  assert.ok(
    earmark.ports.includes(`127.0.0.1:${earmark.environment.METRICS_PORT}:${earmark.environment.METRICS_PORT}`),
    'metrics',
  );
  assert.equal(earmark.environment.METRICS_HOST, '0.0.0.0');
  assert.equal(database.ports, undefined);
  assert.ok(earmark.depends_on.database.condition === 'service_healthy' && database.healthcheck);
});

test('the cluster: the same for its services, pinned images, and only the balancer has a port', () => {
  const { services, secrets, volumes } = parse(read('cluster/compose.yaml'), { merge: true });
  const servers = [services.coordinator, services['worker-1'], services['worker-2']];
  for (const name of ['earmark-1', 'earmark-2']) assertService(services[name], 'cluster/compose.yaml');
  assertSecrets(services, secrets, 'cluster/compose.yaml');
  for (const [name, service] of Object.entries<ComposeService>(services)) {
    assert.match(service.image ?? ':0', /:\d/, name);
    for (const [on, { condition }] of Object.entries<{ condition: string }>(service.depends_on ?? {})) {
      assert.ok(services[on], on);
      const isChecked = services[on].healthcheck || services[on].build || condition === 'service_completed_successfully';
      assert.ok(isChecked, `${name} waits for the health of ${on}`);
    }
    for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/);
    if (name !== 'balancer') assert.equal(service.ports, undefined, name);
    for (const mount of service.volumes ?? []) {
      const source = mount.split(':')[0]!;
      assert.ok(source.startsWith('.') ? statSync(join(ROOT, 'deploy/cluster', source)).isFile() : source in volumes, mount);
    }
  }
  assert.equal(new Set(servers.map((server) => server.volumes[0])).size, servers.length, 'each server has its own data');
  const balanced = [...read('haproxy.cfg').matchAll(/"\$\{([A-Z_]+)\}"/g)].map(([, name]) => name!);
  assert.deepEqual(balanced.sort(), Object.keys(services.balancer.environment).sort());
});

test('the servers of the cluster: every setting once, and those that Earmark needs', () => {
  const lines = read('cluster/postgresql.conf')
    .split('\n')
    .filter((line) => /^[a-z]/.test(line));
  const set = new Map(lines.map((line) => /^([a-z_.]+) = (\S.*)$/.exec(line)!.slice(1) as [string, string]));
  assert.equal(set.size, lines.length);
  assert.equal(set.get('wal_level'), 'logical');
  assert.equal(set.get('max_prepared_transactions'), set.get('max_connections'));
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) assert.ok(!set.has(name), name);
});

test('the unit: restarted always, notified of, and a stop signal for the service process only', () => {
  const unit = read('earmark.service');
  for (const line of ['Type=notify', 'NotifyAccess=all', 'WatchdogSec=60', 'Restart=always', 'StartLimitIntervalSec=0'])
    assert.ok(unit.includes(`\n${line}\n`), line);
  assert.match(unit, /^KillMode=mixed$/m);
  assert.match(unit, /^User=earmark$/m);
  assert.match(unit, /^EnvironmentFile=\/etc\/earmark\/environment$/m);
  const environment = read('earmark.env');
  for (const [, name] of environment.matchAll(/^#?([A-Z_]+)=\S/gm)) assert.ok(known.has(name!), name);
  assert.match(environment, /^MODE=production$/m, 'not the sandbox that comes with the embedded server');
  assert.match(environment, /^#PUBLIC_URL=/m, 'the operator decides it');
});

test('commands beside the unit read its settings, by the documented line', async (t) => {
  const folder = scratch(t);
  const environment = join(folder, 'environment');
  const own = `DATABASE_URL='${await makeDatabase(t)}'\nDATA_DIR=${folder}\nENCRYPTION_KEY=${randomBytes(32).toString('base64')}\n`;
  writeFileSync(environment, read('earmark.env') + own);
  symlinkSync(join(ROOT, 'bin/earmark.js'), join(folder, 'earmark'));
  const [, line = ''] = /^sudo -u earmark (sh -ac .*) account create "My platform"$/m.exec(
    readFileSync(join(ROOT, 'docs/operations/deployment.md'), 'utf8'),
  )!;
  const command = line.replace('/etc/earmark/environment', environment);
  const run = (args: string) => start(t, ['sh', '-c', `PATH=${folder}:$PATH ${command} ${args}`], {}).ended;
  const created = await run('account create "My platform" --json');
  assert.equal(created.code, 0, created.stderr);
  assert.equal(JSON.parse(created.stdout).name, 'My platform');
});

test('the balancer: passes on the client address it sees, and does not expose metrics', () => {
  const [frontend = ''] = /^frontend api$.*?^(?=backend)/ms.exec(read('haproxy.cfg'))!;
  assert.match(frontend, /^ +bind .* ssl crt /m);
  assert.match(frontend, /^ +http-request del-header X-Forwarded-For\n +option forwardfor$/m);
  assert.match(frontend, /^ +http-request deny .* if \{ path,url_dec .*metrics/m);
});

test('every file of deploy/ begins with a comment on its purpose', () => {
  for (const file of globSync(['*.*', 'Dockerfile', 'cluster/*'], { cwd: join(ROOT, 'deploy') }))
    assert.match(read(file), /^(#!.*\n)?(#|\/\/) [A-Z]/, file);
});

/** Checks a service of Earmark in a compose file. */
function assertService(service: ComposeService, file: string): void {
  for (const name of Object.keys(service.environment)) assert.ok(known.has(name), name);
  assert.deepEqual([service.read_only, service.cap_drop], [true, ['ALL']]);
  const dataDir: string = service.environment.DATA_DIR;
  assert.equal(service.volumes[0]!.split(':')[1], dataDir);
  assert.match(read('Dockerfile'), new RegExp(`"--owner=node", .*"${dataDir}"\\]$`, 'm'), 'the unprivileged user can write it');
  const { context, dockerfile } = service.build;
  assert.ok(statSync(join(ROOT, 'deploy', dirname(file), context, dockerfile)).isFile());
}

/** Checks that secrets are files, and that no build sees them. */
function assertSecrets(services: Record<string, ComposeService>, secrets: Record<string, { file: string }>, file: string): void {
  for (const { secrets: used = [], environment = {} } of Object.values(services)) {
    for (const secret of used) assert.ok(secrets[secret], secret);
    for (const [name, value] of Object.entries<string>(environment))
      if (/KEY|PASSWORD|DATABASE_URL/.test(name)) assert.match(value, /^\/run\/secrets\//, name);
  }
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  for (const { file: secret } of Object.values(secrets))
    assert.ok(ignored.includes(join('deploy', dirname(file), dirname(secret))), `${secret} would be sent to the build`);
}
