// Runs the files of the suite one after another, each as a suite of tests. The processes of test/suite/ take the next file from one list,
// so that each loads and compiles the service once, not once for each of its files.
import { globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'node:test';
import { cpuSeconds } from './cpu.ts';
import { ROOT } from './paths.ts';
import { forgetValues } from './sealed-values.ts';

/** Those that start servers first: they take longest, and a long one at the end would run alone. */
const FILES = ['test/**/*.test.ts', '{src,packages/*/src}/**/*.test.ts'];

for (const file of FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }).sort())) {
  if (!take(file)) continue;
  forgetValues();
  const before = cpuSeconds();
  await suite(file, () => import(join(ROOT, file)));
  if (process.env.EARMARK_TEST_CPU) console.log(`${(cpuSeconds() - before).toFixed(1)} s of CPU: ${file}`);
}

/** Whether this process is the first to take a file. */
function take(file: string): boolean {
  const taken = process.env.EARMARK_TEST_TAKEN;
  if (!taken) throw new Error('Run the suite with `npm test`: the processes share a list.');
  try {
    mkdirSync(join(taken, encodeURIComponent(file)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
