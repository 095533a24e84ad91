// `npm run long -- attack`: every attack that SECURITY.md names a test for, and the long ones of this folder.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

const LONG = ['keep-alive', 'pictures', 'pipelining', 'unread'].map((name) => `test/attack/${name}.ts`);
const OPTIONS = ['--test-concurrency=1', '--test-timeout=300000', '--test-global-setup=test/global-setup.ts'];

const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
const named = [...text.matchAll(/`((?:src|test)\/[\w/-]+\.test\.ts)`/g)].map(([, file]) => file!);
const { status } = spawnSync(process.execPath, ['--test', ...OPTIONS, ...LONG, ...new Set(named)], {
  cwd: ROOT,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
