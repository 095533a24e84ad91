// `npm run long -- audit`: the implementation of the Go checksum database verifies the log of a live service. Exit code 3: Go is missing.
import { spawnSync } from 'node:child_process';
import { ROOT } from '../support/paths.ts';

const MISSING = 3;
const TIMEOUT_MS = 300_000;

if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) {
  process.stderr.write('NOT RUN: there is no go. Install Go 1.21 or newer (apt-get install golang-go), then run this again.\n');
  process.exit(MISSING);
}
const test = ['--test', `--test-timeout=${TIMEOUT_MS}`, '--test-global-setup=test/global-setup.ts', 'test/audit/verify-log.ts'];
const { status } = spawnSync(process.execPath, test, { cwd: ROOT, stdio: 'inherit' });
process.exitCode = status ?? 1;
