#!/usr/bin/env node

// The `earmark` command: runs a subcommand and prints user errors as one line. Commands load their code lazily, so help stays fast.

import { UserError } from '../../core/user-error.ts';
import { VERSION } from '../../core/version.ts';
import { sections } from './all.ts';
import { CallError, exitEarly } from './command.ts';
import { helpOnCommands } from './help.ts';
import { print } from './output.ts';
import { findOwnImportsByName } from './own-imports.ts';
import { commandsOf, findCommand, readCall } from './read-call.ts';

const commands = sections.flatMap((section) => section.commands);
const HELP = ['--help', '-h'];
/** For a command line that cannot be parsed; other user errors exit with 1. */
const USAGE_EXIT_CODE = 2;
const ASKS_VERSION = ['--version', '-v'];
/** Depth of the cause chain that is printed. */
const CAUSES_MAX = 4;
/** SQLSTATEs of a server that is shutting down or starting. */
const STOPPING = ['57P01', '57P02', '57P03'];
/** SQLSTATE insufficient_privilege. */
const DENIED = '42501';
/** What a shell reports of a program that SIGPIPE ended. */
const CLOSED_EXIT_CODE = 141;

// Diagnostic reports of Node.js (--report-on-signal and similar) are shared, so they must not contain secrets.
process.report.excludeEnv = true;
process.on('uncaughtException', crash);
findOwnImportsByName();

/** A service goes on when nobody reads its output, or its terminal was closed; another command ends silently (`| head -1`). */
let isService = false;
let ending: Promise<never> | undefined;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    if (error.code === 'EPIPE' && stream === process.stdout && !isService) ending ??= exitEarly(CLOSED_EXIT_CODE);
  });
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  await ending;
  const line = await lineOf(error);
  if (line === undefined) throw error;
  process.stderr.write(`${line}\n`);
  // Exits explicitly, because work in flight may keep connections open for a while.
  process.exit(error instanceof CallError ? USAGE_EXIT_CODE : 1);
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
  const call = readCall(command, rest);
  if (command.asks && !(await (await import('./confirm.ts')).isConfirmed(command, call))) return 1;
  isService = command.isService ?? false;
  return command.run(call);
}

/** Prints the help of a command, or of all commands of a noun. */
function helpOn([noun = 'help', verb = '']: string[], args: string[]): number {
  const named = commandsOf(commands, noun);
  const isWhole = named.some(({ name }) => name === `${noun} ${verb}`);
  const asked = named.length > 0 && !isWhole ? named : [findCommand(commands, [noun, verb]).command];
  return helpOnCommands(asked, args.includes('--json'));
}

function version(json: boolean): number {
  print({ earmark: VERSION }, json);
  return 0;
}

/** Prints the stack of an unexpected error and its causes, and exits. Other members may contain a row or a secret. */
function crash(error: unknown): never {
  const stacks: string[] = [];
  for (let at = error; at !== undefined && stacks.length < CAUSES_MAX; at = at instanceof Error ? at.cause : undefined)
    stacks.push(at instanceof Error ? (at.stack ?? at.message) : 'a value that is not an Error was thrown');
  process.stderr.write(`${stacks.join('\ncaused by ')}\n`);
  process.exit(1);
}

/** The message of a user error; undefined for any other error. */
async function lineOf(error: unknown): Promise<string | undefined> {
  if (error instanceof UserError) return error.message;
  const { databaseError } = await import('../../platform/db/sql.ts');
  const state = databaseError(error)?.state ?? '';
  if (state === DENIED)
    return `The role of DATABASE_URL lacks rights: ${(error as Error).message}. Connect as the owner of the tables, or as earmark_service after the owner has run earmark migrate.`;
  if (STOPPING.includes(state)) return 'The database was stopped during the command. Try again.';
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (code === 'EADDRINUSE') return `Port ${port} of ${address} is in use by another program. Stop it, or set PORT.`;
  if (code === 'EACCES' && port !== undefined) return `Port ${port} needs more privileges. Set PORT to 1024 or more.`;
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') return 'HOST is not an address of this machine.';
  const { isDatabaseUnavailable } = await import('../../platform/db/unavailable.ts');
  // What the server says of itself, such as a full disk, is printed as it is.
  if (!databaseError(error) && isDatabaseUnavailable(error))
    return 'The database did not answer during the command. Try again when it does.';
  return undefined;
}
