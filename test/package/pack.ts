// Packs a package, installs it into an empty project, and checks the types of programs there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/paths.ts';

const execute = promisify(execFile);
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** Programs run with the Node.js of the test, also those that npm starts. */
const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
const QUIET = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

/** Options of TypeScript for programs that run in Node.js. */
export const NODE_TYPES = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];

export function run(program: string, args: string[], { cwd, env = {} }: { cwd: string; env?: Record<string, string> }) {
  return execute(program, args, { cwd, env: { ...process.env, PATH, ...env } });
}

/** Builds and packs the package of a folder. `files` are the paths in it. */
export async function pack(source: string, destination: string): Promise<{ tarball: string; files: string[] }> {
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', destination], { cwd: source });
  // npm 11 gives a list, npm 12 an object by name.
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) as {
    filename: string;
    files: { path: string }[];
  }[];
  return { tarball: join(destination, packed!.filename), files: packed!.files.map(({ path }) => path) };
}

/** Installs packages into a new project. Without install scripts, which an installation may forbid. */
export async function install(folder: string, ...packages: string[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', ...QUIET, ...packages], { cwd: folder });
}

/** The folders of all installed packages. */
export function installed(folder: string): string[] {
  const lock = readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8');
  return Object.keys((JSON.parse(lock) as { packages: object }).packages);
}

/** Checks types strictly, including those of dependencies. */
export async function checkTypes(folder: string, args: string[]): Promise<void> {
  await run(TSC, ['--ignoreConfig', '--strict', '--noEmit', '--target', 'esnext', ...args], { cwd: folder }).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  );
}
