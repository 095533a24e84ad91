// A clean clone, and the commands of CONTRIBUTING.md that add the example of a resource to it.
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './paths.ts';
import { type Env, scratch, start } from './process.ts';
import type { TestScope } from './test-scope.ts';

/** The clone is of a tree that has the resource of the example already: its contributor has run the commands. */
export const isAdded = existsSync(join(ROOT, 'src/resources/notes'));

/** The documented commands, in order. The last one checks the result. */
export function documentedCommands(): string[] {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const block = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].find(([, code]) => code!.includes('examples/resource'));
  assert.ok(block, 'CONTRIBUTING.md shows how to add the example of a resource');
  const commands = block[1]!.trim().split('\n');
  assert.equal(commands.at(-1), 'npm run check');
  return commands;
}

/** A repository with the files of this one, committed or not, and no other. */
export async function cloneHere(t: TestScope): Promise<string> {
  const home = scratch(t);
  // As the folders of a home are: started by root, the server and the reader of pictures run as other users.
  chmodSync(home, 0o755);
  const folder = join(home, 'earmark');
  const { stdout } = await run(t, 'git ls-files --cached --others --exclude-standard', ROOT);
  for (const file of stdout
    .trim()
    .split('\n')
    .filter((file) => existsSync(join(ROOT, file)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  await run(t, 'git init --quiet && git add --all', folder);
  return folder;
}

/** Installs the dependencies by links to those of this repository, and the packages of the clone. */
export function linkDependencies(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@earmark'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((name) => name !== '@earmark'))
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(modules, '@earmark', name));
}

/** Runs shell commands in a folder. They must succeed. */
export async function run(t: TestScope, commands: string, folder: string, env: Env = {}) {
  const ended = await start(t, ['bash', '-c', `set -e\n${commands}`], env, { cwd: folder }).ended;
  assert.equal(ended.code, 0, `${commands}\n${ended.stdout}${ended.stderr}`);
  return ended;
}
