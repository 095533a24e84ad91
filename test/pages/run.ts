// `npm run long -- pages`: statements in all scripts as Poppler draws them, compared with Chromium. Exit code 3: a program is missing.
import { spawnSync } from 'node:child_process';
import { browserPath, NO_BROWSER } from '../browser/open.ts';
import { ROOT } from '../support/paths.ts';

const MISSING = 3;
const TIMEOUT_MS = 300_000;

const isMissing = (program: string) => spawnSync(program, ['-v'], { stdio: 'ignore' }).error !== undefined;
const missing = [
  ...(['pdftoppm', 'pdftotext'].some(isMissing) ? ['There is no Poppler here. Install it (apt-get install poppler-utils).'] : []),
  ...(browserPath() === undefined ? [NO_BROWSER] : []),
];
if (missing.length > 0) {
  process.stderr.write(`NOT RUN: ${missing.join(' ')}\n`);
  process.exit(MISSING);
}
const test = ['--test', `--test-timeout=${TIMEOUT_MS}`, '--test-global-setup=test/global-setup.ts', 'test/pages/compare.ts'];
process.exitCode = spawnSync(process.execPath, test, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
