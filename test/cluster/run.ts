// `npm run test:cluster`: runs the suite on a Citus cluster of a coordinator and two workers. Other arguments are test files.
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { citusHome, startCluster } from './cluster.ts';

const WORKERS = 2;
const MISSING = 3;

/** Files that do not use the database of the suite, or that start a server of their own. */
const LEFT_OUT: Record<string, string> = {
  'src/client/*.test.ts': 'no database',
  'src/config.test.ts': 'no database',
  'src/db/*.test.ts': 'the embedded server',
  'src/ids.test.ts': 'no database',
  'src/key-file.test.ts': 'no database',
  'src/money/*.test.ts': 'no database',
  'src/sealing.test.ts': 'no database',
  'src/testing/*.test.ts': 'the embedded server',
  'test/backup.test.ts': 'the embedded server',
  'test/bench.test.ts': 'the embedded server',
  'test/boundaries.test.ts': 'no database',
  'test/cluster/post-transfers.test.ts': 'a server without Citus, which runs both bodies',
  'test/commands*.test.ts': 'the embedded server',
  'test/crash.test.ts': 'the embedded server',
  'test/data-directory.test.ts': 'the embedded server',
  'test/dependencies.test.ts': 'no database',
  'test/deploy.test.ts': 'no database',
  'test/language.test.ts': 'no database',
  'test/migrations.test.ts': 'databases without Citus',
  'test/new-resource.test.ts': 'a copy of the repository, whose new table is not distributed',
  'test/process*.test.ts': 'the embedded server',
  'test/readme.test.ts': 'no database',
  'test/recovery.test.ts': 'the embedded server',
  'test/upgrade.test.ts': 'a backup of a single server',
};

if (!citusHome()) {
  console.error(
    'test:cluster needs PostgreSQL with Citus: set CITUS_HOME to its folder (OPERATIONS.md, "Cluster", says how to get one).',
  );
  process.exit(MISSING);
}

const leftOut = new Set(Object.keys(LEFT_OUT).flatMap((pattern) => globSync(pattern)));
const wanted = process.argv.slice(2);
const files = (wanted.length > 0 ? wanted : globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])).filter(
  (file) => !leftOut.has(file),
);
const cluster = await startCluster({ workers: WORKERS });
const ports = [cluster.coordinator, ...cluster.workers].map(({ port }) => port);
const options = ['--test', '--test-concurrency=2', '--test-timeout=180000', '--test-global-setup=test/global-setup.ts'];
const tests = spawn(process.execPath, [...options, ...files.sort()], {
  stdio: 'inherit',
  env: { ...process.env, EARMARK_TEST_CLUSTER: ports.join(',') },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => tests.kill(signal));
const code = await new Promise<number>((resolve) => tests.once('exit', (status) => resolve(status ?? 1)));
await cluster.stop();
if (wanted.length === 0)
  for (const [pattern, reason] of Object.entries(LEFT_OUT)) console.log(`left out: ${pattern} (${reason})`);
process.exit(code);
