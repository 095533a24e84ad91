// Builds the image of deploy/Dockerfile in a folder, without a container engine: executes its instructions under a root of each stage.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, matchesGlob, relative } from 'node:path';
import { ROOT } from './paths.ts';
import type { Env } from './process.ts';

export type Image = {
  /** The root of its file system. */
  root: string;
  workdir: string;
  env: Env;
  entrypoint: string[];
  cmd: string[];
  healthcheck: string[];
};

type Stage = { root: string; cwd: string; env: Env; words: Map<string, string[]> };

const PROGRAMS = dirname(process.execPath);
/** What the base image of a stage has, and this machine instead. */
const OF_THE_BASE = ['/etc/passwd', '/etc/group', '/usr/local/bin/node'];

/** Executes deploy/Dockerfile below a folder. Installs by linking what is installed here; changes no owners. */
export function buildImage(folder: string): Image {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [, instruction = '', rest = ''] of readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8').matchAll(
    /^([A-Z]+) (.+)$/gm,
  )) {
    if (instruction === 'FROM') {
      const root = join(folder, `stage-${stages.size}`);
      stage = { root, cwd: root, env: {}, words: new Map() };
      stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? 'final', stage);
    } else if (stage) execute(stage, instruction, rest, stages);
  }
  const { root, cwd, env, words } = stages.get('final')!;
  const wordsOf = (instruction: string) => words.get(instruction) ?? assert.fail(`no ${instruction}`);
  const [entrypoint, cmd, healthcheck] = [wordsOf('ENTRYPOINT'), wordsOf('CMD'), wordsOf('HEALTHCHECK')];
  return { root, workdir: cwd, env, entrypoint, cmd, healthcheck };
}

/** Links or copies the installed packages without development dependencies, as `npm ci --omit=dev` would install them. */
export function installProduction(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const paths = Object.keys(packages).filter((path) => path !== '' && !packages[path]!.dev && existsSync(join(ROOT, path)));
  // Packages inside of others come with these.
  const outermost = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
  for (const path of outermost) copy(join(ROOT, path), join(folder, path));
}

function execute(stage: Stage, instruction: string, rest: string, stages: Map<string, Stage>): void {
  const { root } = stage;
  const under = (path: string) => (path.startsWith('/') ? join(root, path) : join(stage.cwd, path));
  if (instruction === 'WORKDIR') {
    stage.cwd = under(rest);
    mkdirSync(stage.cwd, { recursive: true });
  } else if (instruction === 'ENV')
    for (const [, name = '', value = ''] of rest.matchAll(/(\S+?)=(\S+)/g)) stage.env[name] = value.replace(/^(?=\/)/, root);
  else if (instruction === 'COPY') {
    const from = /^--from=(\w+) /.exec(rest);
    const paths = rest.slice(from?.[0].length ?? 0).split(' ');
    const target = under(paths.pop()!);
    for (const path of paths) {
      if (!from) copyContext(path, target);
      else if (!OF_THE_BASE.includes(path)) copy(join(stages.get(from[1]!)!.root, path), target);
    }
  } else if (instruction === 'RUN') run(stage, rest);
  else stage.words.set(instruction, rest.includes('[') ? JSON.parse(rest.slice(rest.indexOf('['))) : [rest]);
}

/** Copies a part of the build context: the repository without what .dockerignore names. */
function copyContext(path: string, target: string): void {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n');
  cpSync(join(ROOT, path), path === '.' ? target : join(target, path), {
    recursive: true,
    filter: (source) => !ignored.some((pattern) => matchesGlob(relative(ROOT, source), pattern)),
  });
}

function run({ root, cwd }: Stage, rest: string): void {
  const command: string[] = rest.startsWith('[') ? JSON.parse(rest) : ['sh', '-c', rest];
  const line = command.join(' ');
  if (line === 'npm ci') symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  else if (line === 'npm prune --omit=dev') {
    rmSync(join(cwd, 'node_modules'));
    installProduction(cwd);
  } else {
    const [program = '', ...args] = command
      .filter((word) => !/^--(owner|group)=/.test(word))
      .map((word) => word.replace(/(^|\s)\/(?=\w)/g, `$1${root}/`));
    for (const word of args.filter((word) => word.startsWith(root))) mkdirSync(dirname(word), { recursive: true });
    const PATH = `${PROGRAMS}${delimiter}${process.env.PATH}`;
    execFileSync(program, args, { cwd, stdio: 'pipe', env: { ...process.env, PATH } });
  }
}

/** Copies the content of a folder: by hard links, or completely where these are not possible. */
function copy(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  try {
    execFileSync('cp', ['-RlP', `${from}/.`, to], { stdio: 'ignore' });
  } catch {
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}
