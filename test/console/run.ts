// `npm run test:console`: the console in a real browser. Pictures of every screen go to the folder SCREENSHOTS, or console-pictures.
// Exit 3: there is no browser here.
import { spawnSync } from 'node:child_process';
import { browserPath, NO_BROWSER } from '../browser/open.ts';
import { ROOT } from '../support/paths.ts';

const MISSING = 3;
const FILES = ['screens', 'review', 'attacks', 'sign-in', 'everywhere', 'first-time'].map((name) => `test/console/${name}.ts`);
const OPTIONS = ['--test', '--test-concurrency=2', '--test-timeout=170000', '--test-global-setup=test/global-setup.ts'];

if (browserPath() === undefined) {
  process.stderr.write(`${NO_BROWSER}\n`);
  process.exit(MISSING);
}
const { status } = spawnSync(process.execPath, [...OPTIONS, ...FILES], { cwd: ROOT, stdio: 'inherit' });
process.exit(status ?? 1);
