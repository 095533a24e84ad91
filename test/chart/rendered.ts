// `npm run long -- chart`: what Helm makes of the chart is valid for Kubernetes, keeps to policies, and refuses wrong values.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseAllDocuments, stringify } from 'yaml';
import { ROOT } from '../support/paths.ts';
import { scratch } from '../support/process.ts';

type KubernetesObject = { apiVersion: string; kind: string; spec?: unknown };

/** How to install what is missing. */
const PROGRAMS: Record<string, string> = {
  helm: 'go install helm.sh/helm/v3/cmd/helm@v3.19.0',
  'kube-score': 'go install github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
  promtool: 'apt-get install prometheus',
  python3: 'apt-get install python3-pip',
};
/** The JSON schemas of Kubernetes, as a package. */
const SCHEMAS = 'kubernetes-validate==1.37.0';
const VERSIONS = ['1.30.0', '1.34.0', '1.37.0'];
/** The group of the operator of Prometheus, whose resources have no schema here. */
const CUSTOM = 'monitoring.coreos.com/v1';
/** Not followed: why is in deploy/chart, or beside it. */
const IGNORED = [
  // A digest pins the image.
  'container-image-pull-policy',
  // The user of the image, which has a name for PostgreSQL, is 1000.
  'container-security-context-user-group-id',
  // CPU has no limit.
  'container-resources',
  // Spread by topology, so that a small cluster can hold all.
  'deployment-has-host-podantiaffinity',
  // Nobody calls the one pod of a trial by its name.
  'statefulset-has-servicename',
];
/** Values that are refused, each with what the message says. */
const WRONG: [values: string[], message: RegExp][] = [
  [['replica=3'], /replica/],
  [['database.embedded=false'], /database\.url\.secret is missing/],
  [['database.embedded=false', 'database.url.secret=a'], /encryptionKey\.secret is missing/],
  [['database.embedded=false', 'database.url.secret=a', 'encryptionKey.secret=b'], /publicUrl is missing/],
  [['database.url.secret=a'], /set database\.embedded to false/],
  [['mode=production'], /publicUrl is missing/],
  [['mode=test'], /mode/],
  [['publicUrl=https://host/path'], /publicUrl/],
  [['image.digest=latest'], /digest/],
  [['settings.CHECKPOINT_DIR=/shared'], /checkpointClaim/],
  [['settings.CHECKPOINT_DIR=s3://a', 'checkpointClaim=b'], /two places/],
  [['autoscaling.minReplicas=8'], /minReplicas is above maxReplicas/],
  [['settings.DATABASE_URL=postgres://user:password@host/db'], /DATABASE_URL/],
];

/** The trial has a service, its pod and a network policy. */
const OBJECTS_MIN = 3;

const CHART = join(ROOT, 'deploy/chart');
const folder = scratch({ after });
const values = globSync('ci/*.yaml', { cwd: CHART }).sort();

for (const [program, install] of Object.entries(PROGRAMS))
  if (spawnSync(program, ['--help'], { stdio: 'ignore' }).error) throw new Error(`${program} is missing: ${install}`);

function render(file: string, version = VERSIONS[1]!): string {
  const target = join(folder, `${version}-${basename(file)}`);
  const text = run(
    'helm',
    'template',
    'earmark',
    CHART,
    '--namespace',
    'payments',
    '--kube-version',
    version,
    '--values',
    join(CHART, file),
  );
  writeFileSync(target, text);
  return target;
}

function read(file: string): KubernetesObject[] {
  return parseAllDocuments(readFileSync(file, 'utf8'))
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

test('helm finds nothing to complain about', () => {
  for (const file of values)
    run('helm', 'lint', '--strict', '--kube-version', VERSIONS[1]!, CHART, '--values', join(CHART, file));
});

test('every object has the schema of the oldest, a current and the newest version of Kubernetes', () => {
  run('python3', '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, SCHEMAS);
  const [wheel = ''] = globSync('*.whl', { cwd: folder });
  run('python3', '-m', 'zipfile', '-e', join(folder, wheel), folder);
  for (const version of VERSIONS) {
    const faultsOf = openSchemas(join(folder, `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict`));
    for (const file of values) {
      const objects = read(render(file, version)).filter(({ apiVersion }) => apiVersion !== CUSTOM);
      assert.ok(objects.length >= OBJECTS_MIN, file);
      for (const object of objects) assert.deepEqual(faultsOf(object), [], `${file}, Kubernetes ${version}: ${object.kind}`);
      assert.notDeepEqual(faultsOf({ ...objects[0]!, ...{ surplus: true } }), [], 'a member that does not exist is a fault');
    }
  }
});

/** What is wrong with an object, by the schemas in a folder. */
function openSchemas(schemas: string): (object: KubernetesObject) => unknown[] {
  const load = (file: string) => JSON.parse(readFileSync(join(schemas, file), 'utf8'));
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(load('_definitions.json'), '/api/_definitions.json');
  return (object) => {
    const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : [undefined, object.apiVersion];
    const name = [object.kind.toLowerCase(), group?.split('.')[0], version].filter(Boolean).join('-');
    const validate = ajv.getSchema(name) ?? ajv.compile({ ...load(`${name}.json`), $id: name });
    validate(object);
    return validate.errors ?? [];
  };
}

test('it keeps to policies', () => {
  const ignored = IGNORED.flatMap((name) => ['--ignore-test', name]);
  for (const file of values) run('kube-score', 'score', '--exit-one-on-warning', ...ignored, render(file));
});

test('Prometheus accepts the alerts of its rule', () => {
  const rule = read(render('ci/production-values.yaml')).find(({ kind }) => kind === 'PrometheusRule')!;
  const file = join(folder, 'rule.yml');
  writeFileSync(file, stringify(rule.spec));
  assert.match(run('promtool', 'check', 'rules', file), /SUCCESS: \d\d rules found/);
});

test('wrong values are refused with what is wrong', () => {
  for (const [set, message] of WRONG) {
    const args = ['template', 'earmark', CHART, '--kube-version', VERSIONS[1]!, ...set.flatMap((one) => ['--set', one])];
    const { status, stderr } = spawnSync('helm', args, { encoding: 'utf8' });
    assert.notEqual(status, 0, set.join(' '));
    assert.match(stderr, message);
  }
});
