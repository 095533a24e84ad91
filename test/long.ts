// `npm run long -- NAME [options]`: the tests that are not part of the suite, because they take long or need other programs.
import { listPrograms, type Programs, runProgram } from './support/programs.ts';

const CITUS = 'PostgreSQL with Citus in CITUS_HOME';
const BROWSER = 'Chromium or Chrome';

export const LONG: Programs = {
  alerts: { file: 'test/alerts.ts', shows: 'Alerts fire and stop as their tests say.', needs: 'promtool of Prometheus' },
  attack: { file: 'test/attack/run.ts', shows: 'Every attack that SECURITY.md names, and long ones on resources.' },
  audit: { file: 'test/audit/run.ts', shows: 'The implementation of Go verifies a transparency log.', needs: 'Go' },
  'audit-matrix': {
    tests: ['test/audit-matrix.test.ts'],
    timeoutMinutes: 60,
    env: { MATRIX: 'full' },
    shows: 'Who notices a change of each column in every kind of row.',
  },
  backups: {
    file: 'test/backups/run.ts',
    shows: 'Backups with pgBackRest and S3, restore drills that succeed and fail, and a restore to a moment.',
    needs: 'root, and pgBackRest and PostgreSQL 15 of Debian',
  },
  balancer: {
    tests: ['test/balancer.ts'],
    timeoutMinutes: 5,
    sharedServer: false,
    shows: 'A rolling restart behind HAProxy with TLS loses no call.',
    needs: 'HAProxy',
  },
  'bank-samples': {
    tests: ['test/bank-samples.ts'],
    timeoutMinutes: 20,
    shows: 'Published samples of camt.053, MT940, BAI2 and OFX, read by `earmark reconcile`.',
    needs: 'the npm registry, and pip with PyPI',
  },
  browser: {
    tests: ['test/browser/docs.ts', 'test/browser/client.ts', 'test/browser/proof.ts'],
    timeoutMinutes: 2,
    shows: 'Documentation and client in a browser. SCREENSHOTS=folder keeps pictures.',
    needs: BROWSER,
  },
  chart: {
    tests: ['test/chart/rendered.ts'],
    timeoutMinutes: 10,
    sharedServer: false,
    shows: 'The Helm chart as Kubernetes would get it: schemas, policies, values, alerts.',
    needs: 'Helm, kube-score, promtool and Python; it says how to install them',
  },
  clients: {
    file: 'test/clients/run.ts',
    shows: 'OAuth clients of four languages get tokens with a key, and call with DPoP where they can.',
    needs: 'Python, Go, Java and Maven; it says how to install the libraries',
  },
  cluster: { file: 'test/cluster/run.ts', shows: 'The suite on a Citus cluster.', needs: CITUS, options: 'files of tests' },
  'cluster-faults': {
    file: 'test/cluster/faults.ts',
    shows: 'Servers of a cluster are killed, cut off and moved under load: nothing is lost.',
    needs: CITUS,
    options: '--kills N, --seconds N, --seed N',
  },
  console: {
    file: 'test/console/run.ts',
    shows: 'Every screen of the console, sign-in and attacks.',
    needs: BROWSER,
    options: '--pictures, which draws docs/pictures',
  },
  crash: {
    file: 'test/crash/run.ts',
    shows: 'Processes killed at random moments, a paused service, a full disk.',
    options: '--rounds N, --pause-seconds N, --seed N',
  },
  deploy: {
    tests: ['test/deployment.ts'],
    timeoutMinutes: 5,
    sharedServer: false,
    shows: 'The systemd units, and the restrictions of the service.',
    needs: 'root, systemd, strace and Python',
  },
  failover: {
    tests: ['test/failover/scenarios.ts'],
    timeoutMinutes: 10,
    sharedServer: false,
    shows: 'Failovers, a standby that lags or hangs, and a restore to a moment: money, feed and log.',
  },
  fuzz: { file: 'test/fuzz/run.ts', shows: 'Hostile requests: no 5xx, no hang.', options: '--minutes N, --seed N' },
  'generated-client': {
    file: 'test/generated-client/run.ts',
    shows: 'Clients of four generators call a service.',
    needs: 'Python, Java and Go; it says how to install the generators',
  },
  'new-resource': {
    tests: ['test/new-resource.ts'],
    timeoutMinutes: 120,
    sharedServer: false,
    shows: 'The guide to a new resource in a clean clone, with the suite.',
  },
  package: {
    tests: ['test/package/client.ts', 'test/package/service.ts', 'test/package/release.ts'],
    timeoutMinutes: 10,
    sharedServer: false,
    shows: 'The client and the service, each packed and installed in an empty folder; and what a release consists of.',
    needs: 'the npm registry',
  },
  pages: {
    file: 'test/pages/run.ts',
    shows: 'PDF statements in all scripts, as Poppler and Chromium draw them.',
    needs: `Poppler, and ${BROWSER}`,
  },
  patroni: {
    file: 'test/patroni/run.ts',
    shows: 'The leader of three servers under Patroni is killed under load: nothing is lost.',
    needs: 'Patroni, etcd and PostgreSQL 15 of Debian',
    options: '--kills N, --seed N',
  },
  plans: {
    tests: ['test/plans/long.ts'],
    timeoutMinutes: 30,
    shows: 'What each statement reads while tables grow that nobody analyses.',
  },
  simulate: { file: 'test/simulate/run.ts', shows: 'Random calls, compared with a model.', options: '--steps N, --seed N' },
  soak: { file: 'test/soak/run.ts', shows: 'Memory stops growing under steady load.', options: '--minutes N' },
  statements: {
    tests: ['test/statements.ts'],
    timeoutMinutes: 60,
    flags: ['--expose-gc'],
    shows: 'Statements and exports of a million entries in bounded memory.',
  },
  workers: { npm: 'test', env: { EARMARK_TEST_WORKERS: '2' }, shows: 'The suite with two processes behind each URL.' },
};

if (import.meta.main) {
  const [name, ...options] = process.argv.slice(2);
  if (name === undefined || name === '--help') process.stdout.write(listPrograms(LONG, 'long'));
  else runProgram(LONG, { script: 'long', name, options });
}
