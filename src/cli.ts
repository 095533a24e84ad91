#!/usr/bin/env node
// The `earmark` command: finds the subcommand, runs it, and turns an error that the user can fix into one clear line and an exit code.
// Each command loads its own code when it runs, so that help and completion answer at once.

import { sections } from './commands/all.ts';
import { CallError } from './commands/command.ts';
import { helpOnCommands } from './commands/help.ts';
import { print } from './commands/output.ts';
import { findCommand, readCall } from './commands/read-call.ts';
import { UserError } from './user-error.ts';
import { VERSION } from './version.ts';

const commands = sections.flatMap((section) => section.commands);
const HELP = ['--help', '-h'];
/** Of a call that cannot be understood; any other error that the user can fix is 1. */
const MISCALLED = 2;
const ASKS_VERSION = ['--version', '-v'];
/** Causes of causes that are told. */
const CAUSES_MAX = 4;
/** What a server says that is being stopped. */
const STOPPING = ['57P01', '57P02', '57P03'];

// A report that somebody asks Node.js for (--report-on-signal and its kin) is for others to read.
process.report.excludeEnv = true;
process.on('uncaughtException', endWith);

// A reader that has seen enough (`| head -1`) ends neither the service nor a command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const line = await lineOf(error);
  if (line === undefined) throw error;
  process.stderr.write(`${line}\n`);
  // At once: what was under way when it failed may keep connections open for a while.
  process.exit(error instanceof CallError ? MISCALLED : 1);
}

async function run(args: string[]): Promise<number> {
  const [name = 'help'] = args;
  if (ASKS_VERSION.includes(name)) return version(args.includes('--json'));
  if (HELP.includes(name)) return run(['help', ...args.slice(1)]);
  if (args.some((word) => HELP.includes(word)))
    return helpOn(
      args.filter((word) => !word.startsWith('-')),
      args,
    );
  const { command, rest } = findCommand(commands, args.length === 0 ? ['help'] : args);
  return command.run(readCall(command, rest));
}

/** Help on the command of a line, or on all of its noun. */
function helpOn([noun = 'help', verb = '']: string[], args: string[]): number {
  const verbs = commands.filter(({ name }) => name.startsWith(`${noun} `));
  const isWhole = verbs.some(({ name }) => name === `${noun} ${verb}`);
  const asked = verbs.length > 0 && !isWhole ? verbs : [findCommand(commands, [noun, verb]).command];
  return helpOnCommands(asked, args.includes('--json'));
}

function version(json: boolean): number {
  print({ earmark: VERSION }, json);
  return 0;
}

/** Ends with the stack of what nobody foresaw, and of its causes. Other members of an error may quote a row or a secret. */
function endWith(error: unknown): never {
  const stacks: string[] = [];
  for (let at = error; at !== undefined && stacks.length < CAUSES_MAX; at = at instanceof Error ? at.cause : undefined)
    stacks.push(at instanceof Error ? (at.stack ?? at.message) : 'something that is no error was thrown');
  process.stderr.write(`${stacks.join('\ncaused by ')}\n`);
  process.exit(1);
}

/** The line of an error that the user can fix; undefined for any other error. */
async function lineOf(error: unknown): Promise<string | undefined> {
  if (error instanceof UserError) return error.message;
  const { databaseError } = await import('./db/sql.ts');
  if (STOPPING.includes(databaseError(error)?.state ?? '')) return 'The database was stopped meanwhile. Try again.';
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (code === 'EADDRINUSE') return `Port ${port} of ${address} is in use by another program. Stop it, or set PORT.`;
  if (code === 'EACCES' && port !== undefined) return `Port ${port} needs more rights. Set PORT to 1024 or more.`;
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') return 'HOST is not an address of this machine.';
  return undefined;
}
