// `npm run long -- alerts`: promtool checks the alerts and runs their tests.
import { spawnSync } from 'node:child_process';

const CALLS = [
  ['check', 'rules', 'operations/alerts.yml'],
  ['test', 'rules', 'operations/alerts.test.yml'],
];

for (const call of CALLS) {
  const { status, error } = spawnSync('promtool', call, { stdio: 'inherit' });
  if (error) process.stderr.write('promtool is not installed. It is part of Prometheus, and of the Debian package prometheus.\n');
  process.exitCode = status ?? 1;
  if (process.exitCode !== 0) break;
}
