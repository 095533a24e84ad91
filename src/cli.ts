#!/usr/bin/env node
// The `earmark` command: finds the subcommand, runs it, and turns what a person can mend into one clear line and exit code 1.

import { readFileSync } from 'node:fs';
import { account } from './commands/account.ts';
import { application } from './commands/application.ts';
import { type Command, print, readArgs, UsageError } from './commands/command.ts';
import { deliver } from './commands/deliver.ts';
import { demo } from './commands/demo.ts';
import { help } from './commands/help.ts';
import { jobs } from './commands/jobs.ts';
import { keys } from './commands/keys.ts';
import { listen } from './commands/listen.ts';
import { migrate } from './commands/migrate.ts';
import { review } from './commands/review.ts';
import { serve } from './commands/serve.ts';
import { verify } from './commands/verify.ts';
import { webhooks } from './commands/webhooks.ts';
import { ConfigError } from './config.ts';
import { ConnectError } from './db/connect.ts';
import { EmbeddedError } from './db/embedded/errors.ts';
import { SchemaError } from './db/migrate.ts';
import { databaseError } from './db/sql.ts';
import { StoreError } from './documents/store/store.ts';
import { SandboxError } from './sandbox/sandbox.ts';
import { KeyError } from './sealing.ts';

const commands: Command[] = [serve, migrate, account, application, verify, deliver, listen, webhooks, demo, review, keys, jobs];
const MENDABLE = [ConfigError, ConnectError, EmbeddedError, SandboxError, SchemaError, KeyError, UsageError, StoreError];
const HELP = ['help', '--help', '-h'];
const VERSION = ['--version', '-v'];
/** What a server says that is being stopped. */
const STOPPING = ['57P01', '57P02', '57P03'];

// A reader that has seen enough (`| head -1`) ends neither the service nor a command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const line = mendable(error);
  if (line === undefined) throw error;
  process.stderr.write(`${line}\n`);
  // At once: what was under way when it failed may keep connections open for a while.
  process.exit(1);
}

async function run([name = 'help', ...args]: string[]): Promise<number> {
  const command = commands.find((command) => command.name === name);
  if (command) return args.some((word) => word === '--help' || word === '-h') ? help(commands, [name]) : command.run(args);
  if (HELP.includes(name)) return help(commands, args);
  if (VERSION.includes(name)) return version(args);
  throw new UsageError(`There is no command ${name}. \`earmark help\` lists them.`);
}

function version(args: string[]): number {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  print({ earmark: version }, readArgs(args, {}).values.json);
  return 0;
}

function mendable(error: unknown): string | undefined {
  if (MENDABLE.some((kind) => error instanceof kind)) return (error as Error).message;
  if (STOPPING.includes(databaseError(error)?.state ?? '')) return 'The database was stopped meanwhile. Try again.';
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (code === 'EADDRINUSE') return `Port ${port} of ${address} is in use by another program. Stop it, or set PORT.`;
  if (code === 'EACCES' && port !== undefined) return `Port ${port} needs more rights. Set PORT to 1024 or more.`;
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') return 'HOST is not an address of this machine.';
  return undefined;
}
