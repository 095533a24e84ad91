// Tables of programs that an npm script runs by name: lists them, refuses unknown names, and becomes the chosen program.
import { nearestName } from '../../src/core/nearest-name.ts';
import { ROOT } from './paths.ts';

export type Program = {
  /** What it shows, and what it needs beyond `npm ci`. */
  shows: string;
  needs?: string;
  /** Tests always take those of `node --test`. */
  options?: string | undefined;
} & (
  | { file: string }
  | { tests: string[]; timeoutMinutes: number; sharedServer?: boolean; flags?: string[]; env?: Record<string, string> }
  | { npm: string; env?: Record<string, string> }
);
export type Programs = Record<string, Program>;

export const WRONG_CALL = 2;
const INDENT = 4;

/** Replaces this process by the named program, so that signals reach it and its exit code is the one that the caller sees. */
export function runProgram(programs: Programs, { script, name, options }: { script: string; name: string; options: string[] }) {
  if (!Object.hasOwn(programs, name)) {
    const nearest = nearestName(name, Object.keys(programs));
    const hint = nearest ? `Did you mean \`npm run ${script} -- ${nearest}\`?` : `\`npm run ${script} -- --help\` lists them.`;
    process.stderr.write(`npm run ${script} has no program "${name}". ${hint}\n`);
    process.exitCode = WRONG_CALL;
    return;
  }
  const program = programs[name]!;
  if (options.includes('--help')) {
    process.stdout.write(describeProgram(program, script, name));
    return;
  }
  process.chdir(ROOT);
  const env = { ...process.env, ...('env' in program ? program.env : {}) };
  process.execve!(process.execPath, [process.execPath, ...argumentsOf(program, options)], env);
}

/** The arguments for Node.js. Options of a test come before its files, where Node.js reads them. */
function argumentsOf(program: Program, options: string[]): string[] {
  if ('file' in program) return [program.file, ...options];
  if ('npm' in program) return [npmFile(), ...program.npm.split(' '), ...(options.length > 0 ? ['--', ...options] : [])];
  const { tests, timeoutMinutes, sharedServer = true, flags = [] } = program;
  const setup = sharedServer ? ['--test-global-setup=test/global-setup.ts'] : [];
  return [...flags, '--test', `--test-timeout=${timeoutMinutes * 60_000}`, ...setup, ...options, ...tests];
}

function npmFile(): string {
  const file = process.env.npm_execpath;
  if (!file) throw new Error('Run this by `npm run`: it calls npm.');
  return file;
}

function describeProgram(program: Program, script: string, name: string): string {
  const options = program.options ?? ('tests' in program ? 'those of `node --test`' : undefined);
  return `npm run ${script} -- ${name}${options ? ' [options]' : ''}\n\n${sentencesOf({ ...program, options })}\n`;
}

function sentencesOf({ shows, needs, options }: Pick<Program, 'shows' | 'needs' | 'options'>): string {
  return [shows, needs && `Needs ${needs}.`, options && `Options: ${options}.`].filter(Boolean).join(' ');
}

export function listPrograms(programs: Programs, script: string): string {
  const names = Object.entries(programs);
  const width = Math.max(...names.map(([name]) => name.length)) + INDENT;
  const lines = names.map(([name, program]) => `  ${name.padEnd(width)}${sentencesOf(program)}\n`);
  return `npm run ${script} -- NAME [options]\n\n${lines.join('')}`;
}
