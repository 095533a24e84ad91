// `npm run long -- cluster`: runs the suite on a Citus cluster of a coordinator and two workers, with passwords and TLS. Other arguments are test files.
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { requireCitus, startCluster } from './cluster.ts';
import { findStatementsOnSeveralGroups, STATEMENT_LOG } from './statements.ts';

const WORKERS = 2;
/** A test that takes this long hangs, however busy the machine is. */
const HANGS_AFTER_MS = 3_600_000;
/** The mark of a skipped test in the report, before its name and the reason. */
const SKIPPED = '﹣';

/** Files that do not use the database of the suite. */
const LEFT_OUT: Record<string, string> = {
  'src/apps/service/idle-connections.test.ts': 'looks at the connections of one server',
  'src/platform/db/*.test.ts': 'the embedded server',
  'src/apps/testing/*.test.ts': 'the embedded server',
  'test/audit-matrix.test.ts': 'changes rows by their place on one server',
  'test/backup.test.ts': 'the embedded server',
  'test/bench.test.ts': 'the embedded server',
  'test/commands*.test.ts': 'the embedded server',
  'test/crash.test.ts': 'the embedded server',
  'test/data-directory.test.ts': 'the embedded server',
  'test/ignored-scripts.test.ts': 'the embedded server',
  'test/image.test.ts': 'the embedded server',
  'test/migrations.test.ts': 'databases without Citus',
  'test/new-resource.test.ts': 'a copy of the repository, whose new table is not distributed',
  'test/plans.test.ts': 'a separate server',
  'test/process*.test.ts': 'the embedded server',
  'test/recovery.test.ts': 'the embedded server',
  'test/reload-signal.test.ts': 'the embedded server',
  'test/upgrade.test.ts': 'a backup of a single server',
};

requireCitus('npm run long -- cluster');

const leftOut = new Set(Object.keys(LEFT_OUT).flatMap((pattern) => globSync(pattern)));
const wanted = process.argv.slice(2);
const files = (
  wanted.length > 0
    ? wanted
    : globSync([
        '{src,packages/*/src}/**/*.test.ts',
        'test/**/*.test.ts',
        'test/cluster/{backup,clocks,commands,coordinator,failover,move-in,moves,readiness,replace,start-checks,webhooks}.ts',
      ])
).filter((file) => !leftOut.has(file));
const cluster = await startCluster({ workers: WORKERS, settings: STATEMENT_LOG, tls: true });
const nodes = [cluster.coordinator, ...cluster.workers];
const ports = nodes.map(({ port }) => port);
const options = [
  '--test',
  // Each file has a service, and the same three servers answer all of them.
  `--test-concurrency=${availableParallelism()}`,
  `--test-timeout=${HANGS_AFTER_MS}`,
  '--test-global-setup=test/global-setup.ts',
];
const tests = spawn(process.execPath, [...options, ...files.sort()], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, EARMARK_TEST_CLUSTER: ports.join(',') },
});
const skipped: string[] = [];
createInterface(tests.stdout).on('line', (line) => {
  console.log(line);
  if (line.trim().startsWith(SKIPPED)) skipped.push(line.trim());
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => tests.kill(signal));
const code = await new Promise<number>((resolve) => tests.once('exit', (status) => resolve(status ?? 1)));
const unbound = findStatementsOnSeveralGroups(nodes.map(({ dataDir }) => dataDir));
for (const statement of unbound) console.log(`✖ runs on several groups:\n${statement}\n`);
await cluster.stop();
for (const line of new Set(skipped)) console.log(`skipped: ${line}`);
if (wanted.length === 0)
  for (const [pattern, reason] of Object.entries(LEFT_OUT)) console.log(`left out: ${pattern} (${reason})`);
process.exit(unbound.length > 0 ? 1 : code);
