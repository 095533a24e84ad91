// Commands that documents, comments and messages name: every npm script exists, and every program of `npm run long` and `npm run bench`.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BENCHMARKS } from '../bench/run.ts';
import { LONG } from './long.ts';
import { ROOT } from './support/paths.ts';
import { scratch, start } from './support/process.ts';
import { listPrograms, type Programs, WRONG_CALL } from './support/programs.ts';

const LAUNCHER = join(ROOT, 'test/support/programs.ts');
const PROGRAMS: Record<string, Programs> = { long: LONG, bench: BENCHMARKS };
const SOURCES = [
  '*.md',
  '{bench,bin,deploy,docs,examples,operations,packages,reliability,src,test}/**/*.{md,ts,js,json,yml,sh,service}',
];
/** A history, which keeps the names of its time; a table of programs that do not exist; and what is built or installed. */
const LEFT_OUT = /^CHANGELOG\.md$|^test\/scripts\.test\.ts$|(^|\/)(node_modules|dist)\//;
/** A script, and the program after `--`. A comment or a paragraph may continue on the next line. */
const CALL = /\bnpm run(?: (?:-s|--silent))?\s+(?:\/\/ )?([a-z][\w:-]*)(?: -- ([a-z][\w-]*))?/g;
const CALLS_MIN = 100;
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

type Call = { file: string; script: string; name: string | undefined };

function calls(): Call[] {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).filter((file) => !LEFT_OUT.test(file));
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(CALL)].map(([, script, name]) => ({ file, script: script!, name })),
  );
}

test('every npm script and program that is named anywhere exists', () => {
  const found = calls();
  assert.ok(found.length > CALLS_MIN, `${found.length} calls are read`);
  const wrong = found.filter(({ script, name }) => {
    if (!scripts[script]) return true;
    const programs = PROGRAMS[script];
    return programs !== undefined && name !== undefined && !Object.hasOwn(programs, name);
  });
  assert.deepEqual(wrong, []);
});

test('every program is a file', () => {
  for (const [script, programs] of Object.entries(PROGRAMS))
    for (const [name, program] of Object.entries(programs)) {
      const files = 'file' in program ? [program.file] : 'tests' in program ? program.tests : [];
      for (const file of files) assert.ok(existsSync(join(ROOT, file)), `${script} -- ${name}: ${file}`);
      if ('npm' in program) assert.ok(scripts[program.npm], `${script} -- ${name}`);
    }
});

test('lists the programs, and refuses an unknown name with the nearest one', async (t) => {
  const listed = await start(t, [process.execPath, 'test/long.ts'], {}).ended;
  assert.deepEqual([listed.code, listed.stdout], [0, listPrograms(LONG, 'long')]);
  for (const name of Object.keys(LONG)) assert.match(listed.stdout, new RegExp(`^  ${name} +[A-Z].*\\.$`, 'm'));
  const long = await start(t, [process.execPath, 'test/long.ts', 'crsh'], {}).ended;
  assert.equal(long.code, WRONG_CALL);
  assert.match(long.stderr, /^npm run long has no program "crsh"\. Did you mean `npm run long -- crash`\?\n$/);
  const bench = await start(t, [process.execPath, 'bench/run.ts', 'toString'], {}).ended;
  assert.equal(bench.code, WRONG_CALL);
  assert.match(bench.stderr, /`npm run bench -- --help` lists them/);
});

test('--help of a program says what it shows, needs and takes, and runs nothing', async (t) => {
  const help = async (file: string, ...options: string[]) => {
    const { code, stdout } = await start(t, [process.execPath, file, ...options, '--help'], { CITUS_HOME: '' }).ended;
    assert.equal(code, 0);
    return stdout;
  };
  const cluster = await help('bench/run.ts', 'cluster', '--quick');
  assert.match(cluster, /^npm run bench -- cluster \[options\]\n\nThe CPU of .* Needs PostgreSQL with Citus .* Options: --quick/);
  assert.match(await help('test/long.ts', 'cluster-faults'), /^npm run long -- cluster-faults \[options\]\n\n.*--kills N/);
  assert.match(await help('test/long.ts', 'plans'), /Options: those of `node --test`\.\n$/);
});

test('a program gets options, environment and signals, and its exit code is the one of the command', async (t) => {
  const launch = (text: string, ...options: string[]) => {
    const file = join(scratch(t), 'program.mjs');
    writeFileSync(file, text);
    const table: Programs = { one: { file, shows: 'One.' } };
    const call = { script: 'long', name: 'one', options };
    const script = `import { runProgram } from ${JSON.stringify(LAUNCHER)}; runProgram(${JSON.stringify(table)}, ${JSON.stringify(call)});`;
    return start(t, [process.execPath, '--input-type=module', '-e', script], { SHOWN: 'yes' });
  };
  const echo = 'console.log(...process.argv.slice(2), process.env.SHOWN); process.exitCode = 7;';
  const ended = await launch(echo, '--minutes', '3').ended;
  assert.deepEqual([ended.code, ended.stdout], [7, '--minutes 3 yes\n'], ended.stderr);
  const waiting = launch(`setInterval(() => {}, 1000);
    process.on('SIGINT', () => { console.log('interrupted'); process.exit(9); });
    console.log('waits');`);
  await waiting.printed(/^waits$/m);
  waiting.child.kill('SIGINT');
  const stopped = await waiting.ended;
  assert.deepEqual([stopped.code, stopped.stdout], [9, 'waits\ninterrupted\n'], stopped.stderr);
});
