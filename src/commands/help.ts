// `earmark help`: what the command can do, and `earmark help config`: every setting.
import { settings } from '../config.ts';
import { type Machine, sizeSettings, thisMachine } from '../db/embedded/settings.ts';
import { type Command, readArgs, UsageError } from './command.ts';

const MEGABYTE = 2 ** 20;

/** Prints help on everything, on `config`, or on one command. Returns the exit code. */
export function help(commands: Command[], topics: string[]): number {
  const { values, positionals } = readArgs(topics, {}, 1);
  const [topic] = positionals;
  const { json } = values;
  if (topic === undefined)
    return show(json ? { commands: commands.map(({ name, usage, about }) => ({ name, usage, about })) } : overview(commands));
  if (topic === 'config')
    return show(json ? { settings, embeddedServer: sizeSettings(thisMachine()) } : settingsTable(thisMachine()));
  const command = commands.find((command) => command.name === topic);
  if (!command) throw new UsageError(`There is no command ${topic}. \`earmark help\` lists them.`);
  return show(
    json ? { name: command.name, usage: command.usage, about: command.about } : `${command.about}\n\n${usageOf(command)}\n`,
  );
}

function overview(commands: Command[]): string {
  const lines = commands.map((command) => `${usageOf(command)}\n      ${command.about}`);
  return `Earmark: a self-hosted payments API.\n\n${lines.join('\n')}\n  earmark help [COMMAND | config]\n      This text, one command, or every setting.\n\nEvery command that prints takes --json.\n`;
}

function usageOf(command: Command): string {
  return command.usage.map((line) => `  earmark ${line}`).join('\n');
}

function settingsTable(machine: Machine): string {
  const width = Math.max(...settings.map((setting) => setting.name.length));
  const lines = settings.map(
    ({ name, fallback, about }) => `  ${name.padEnd(width)}  ${about}\n  ${' '.repeat(width)}  default: ${fallback}`,
  );
  return `Settings are read from the environment.\n\n${lines.join('\n')}\n\n${serverTable(machine)}`;
}

function serverTable(machine: Machine): string {
  const sized = Object.entries(sizeSettings(machine));
  const width = Math.max(...sized.map(([name]) => name.length));
  const memoryMb = Math.floor(machine.memoryBytes / MEGABYTE).toLocaleString('en');
  const lines = sized.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  const size = `${memoryMb} MB of memory, ${machine.cpus} processor${machine.cpus === 1 ? '' : 's'}`;
  return `The embedded server on this machine (${size}):\n\n${lines.join('\n')}\n`;
}

function show(content: string | object): number {
  process.stdout.write(typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  return 0;
}
