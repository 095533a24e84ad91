#!/usr/bin/env node
// The `earmark` command: finds the subcommand, runs it, and turns what a person can mend into one clear line and exit code 1.
import { account } from './commands/account.ts';
import { application } from './commands/application.ts';
import { type Command, UsageError } from './commands/command.ts';
import { demo } from './commands/demo.ts';
import { help } from './commands/help.ts';
import { migrate } from './commands/migrate.ts';
import { serve } from './commands/serve.ts';
import { verify } from './commands/verify.ts';
import { ConfigError } from './config.ts';
import { ConnectError } from './db/connect.ts';
import { EmbeddedError } from './db/embedded/errors.ts';
import { SchemaError } from './db/migrate.ts';
import { KeyError } from './sealing.ts';

const commands: Command[] = [serve, migrate, account, application, verify, demo];
const MENDABLE = [ConfigError, ConnectError, EmbeddedError, SchemaError, KeyError, UsageError];

const [name = 'help', ...args] = process.argv.slice(2);
try {
  const command = commands.find((command) => command.name === name);
  if (command && !args.includes('--help')) process.exitCode = await command.run(args);
  else process.exitCode = help(commands, command ? [command.name] : name === 'help' || name === '--help' ? args : [name]);
} catch (error) {
  const line = mendable(error);
  if (line === undefined) throw error;
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}

function mendable(error: unknown): string | undefined {
  if (MENDABLE.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (code === 'EADDRINUSE') return `Port ${port} of ${address} is in use by another program. Stop it, or set PORT.`;
  if (code === 'EACCES' && port !== undefined) return `Port ${port} needs more rights. Set PORT to 1024 or more.`;
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL') return 'HOST is not an address of this machine.';
  return undefined;
}
