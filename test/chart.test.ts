// Static checks of deploy/chart, without Helm: settings that exist, the alerts of operations/, ports, and values with a schema.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { sections } from '../src/apps/cli/all.ts';
import { SECRETS, settings } from '../src/platform/config/config.ts';
import { ROOT } from './support/paths.ts';

type Schema = { properties?: Record<string, Schema>; propertyNames?: { not: { enum: string[] } } };

const CHART = join(ROOT, 'deploy/chart');
const read = (file: string) => readFileSync(join(CHART, file), 'utf8');
const files = globSync('templates/*', { cwd: CHART }).sort();
const templates = files.map(read).join('\n');
const values = parse(read('values.yaml'));
const schema: Schema = JSON.parse(read('values.schema.json'));
const known = new Set([...settings.map(({ name }) => name), ...SECRETS.map((name) => `${name}_FILE`)]);
const HEALTH = ['startupProbe', 'livenessProbe', 'readinessProbe'];
const SECURITY = ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'allowPrivilegeEscalation: false', 'drop: [ALL]'];

/** The settings that the chart sets by itself. */
const set = new Set([...templates.matchAll(/name: ([A-Z][A-Z0-9_]+)\b/g)].map(([, name]) => name!));

test('every setting of the chart exists, and its values cannot set it again', () => {
  assert.ok(set.size > 8);
  for (const name of set) assert.ok(known.has(name), name);
  const examples = globSync('ci/*.yaml', { cwd: CHART }).map((file) => parse(read(file)));
  for (const { settings = {}, secretSettings = {} } of examples)
    for (const name of Object.keys({ ...settings, ...secretSettings })) assert.ok(known.has(name), name);
  const own = schema.properties!.settings!.propertyNames!.not.enum;
  assert.deepEqual(
    [...set].filter((name) => !own.includes(name)),
    ['CHECKPOINT_DIR'],
    'a bucket, if there is no claim',
  );
});

test('the alerts are those of operations/', () => {
  assert.equal(read('files/alerts.yml'), readFileSync(join(ROOT, 'operations/alerts.yml'), 'utf8'));
  const jobs = new Set([...read('files/alerts.yml').matchAll(/job="(\w+)"/g)].map(([, job]) => job));
  assert.deepEqual([...jobs], ['earmark']);
  assert.match(templates, /jobLabel: app\.kubernetes\.io\/name$/m);
  assert.ok(read('files/alerts.yml').includes(values.monitoring.runbooks));
});

test('ports, probes and arguments are those of the service', () => {
  const ports = [...templates.matchAll(/\{ name: (http|metrics), containerPort: (\d+) \}/g)].map(([, , port]) => port);
  const told = ['PORT', 'METRICS_PORT'].map((name) => new RegExp(`name: ${name}, value: '(\\d+)'`).exec(templates)![1]);
  assert.deepEqual(ports, told);
  const routes = readFileSync(join(ROOT, 'src/apps/monitoring/health-routes.ts'), 'utf8');
  for (const probe of HEALTH) {
    const [, path] = new RegExp(`${probe}:\\n +httpGet: \\{ path: (\\S+), port: http`).exec(templates)!;
    assert.ok(routes.includes(`'${path}'`), `${probe} ${path}`);
  }
  const commands = sections.flatMap(({ commands }) => commands);
  for (const [, name, options = ''] of templates.matchAll(/args: \[(\w+)(.*)\]$/gm)) {
    const command = commands.find((one) => one.name === name);
    assert.ok(command, name);
    for (const [, option] of options.matchAll(/--([a-z-]+)/g)) assert.ok(Object.hasOwn(command.options, option!), option);
  }
});

test('no pod has a right or a secret that it does not need', () => {
  for (const line of SECURITY) assert.ok(templates.includes(line), line);
  assert.equal(templates.match(/containers:/g)!.length, templates.match(/include "earmark\.containerSecurity"/g)!.length);
  assert.equal(templates.match(/containers:/g)!.length, templates.match(/include "earmark\.podSecurity"/g)!.length);
  for (const name of SECRETS) assert.doesNotMatch(templates, new RegExp(`name: ${name}, value`), 'secrets are files');
  const [, user] = /runAsUser: (\d+)/.exec(templates)!;
  assert.match(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'), new RegExp(`^USER ${user}:${user}$`, 'm'));
});

test('every value has a place in the schema and in a template, and the examples are valid', () => {
  const validate = new Ajv({ strict: false }).compile(schema);
  const isValid = (given: unknown): boolean => validate(given);
  assert.ok(isValid(values), JSON.stringify(validate.errors));
  for (const file of globSync('ci/*.yaml', { cwd: CHART })) assert.ok(isValid(parse(read(file))), file);
  assert.ok(!isValid({ ...values, replica: 3 }), 'a misspelled value is refused');
  for (const [name, value] of Object.entries(values)) {
    assert.ok(templates.includes(`.Values.${name}`), name);
    const members = schema.properties![name]!.properties;
    if (members) assert.deepEqual(Object.keys(value as object).sort(), Object.keys(members).sort(), name);
  }
  for (const [, name] of templates.matchAll(/\.Values\.(\w+)/g)) assert.ok(name! in values, name);
});

test('the version is that of the package', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const chart = parse(read('Chart.yaml'));
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
});
