// `npm run long -- console`: the console in a real browser. Pictures of every screen go to the folder SCREENSHOTS, or console-pictures.
// With `-- --pictures` it only writes those of docs/pictures. Exit 3: there is no browser here.
import { spawnSync } from 'node:child_process';
import { browserPath, NO_BROWSER } from '../browser/open.ts';
import { ROOT } from '../support/paths.ts';

const MISSING = 3;
const OPTIONS = ['--test', '--test-timeout=900000', '--test-global-setup=test/global-setup.ts'];
/** What is timed runs alone. */
const RUNS = process.argv.includes('--pictures')
  ? [filesOf('pictures')]
  : [
      ['--test-concurrency=1', ...filesOf('keyboard')],
      [
        '--test-concurrency=3',
        ...filesOf(
          'money-screens',
          'screens',
          'review',
          'attacks',
          'everywhere',
          'palette',
          'receipt',
          'list-keys',
          'live',
          'sign-in',
          'second-person',
          'days',
        ),
      ],
    ];

if (browserPath() === undefined) {
  process.stderr.write(`${NO_BROWSER}\n`);
  process.exit(MISSING);
}
for (const files of RUNS) {
  const { status } = spawnSync(process.execPath, [...OPTIONS, ...files], { cwd: ROOT, stdio: 'inherit' });
  process.exitCode ||= status ?? 1;
}

function filesOf(...names: string[]): string[] {
  return names.map((name) => `test/console/${name}.ts`);
}
