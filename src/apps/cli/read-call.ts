// Parses a command line: finds the command, validates its arguments, and suggests corrections.
import { parseArgs } from 'node:util';
import { nearestName } from '../../core/nearest-name.ts';
import { type Call, CallError, type Command } from './command.ts';

type ReadCall = Call<Command['words'], Command['options']>;

/** Returns the command and its remaining arguments. Throws a CallError with a suggestion for an unknown command. */
export function findCommand(commands: readonly Command[], args: readonly string[]): { command: Command; rest: string[] } {
  const [noun = '', verb = ''] = args;
  const two = commands.find(({ name }) => name === `${noun} ${verb}`);
  if (two) return { command: two, rest: args.slice(2) };
  const one = commands.find(({ name }) => name === noun);
  if (one) return { command: one, rest: args.slice(1) };
  const verbs = commands.filter(({ name }) => name.startsWith(`${noun} `)).map(({ name }) => name.slice(noun.length + 1));
  if (verbs.length === 0) {
    const nouns = commands.map(({ name }) => name.split(' ', 1)[0]!);
    throw new CallError(`There is no command ${noun}. ${suggestion(noun, nouns) ?? '`earmark help` lists them.'}`);
  }
  const given = verb === '' || verb.startsWith('-') ? undefined : verb;
  const wrong = given === undefined ? `${noun} needs a verb.` : `There is no command ${noun} ${given}.`;
  const guess = given === undefined ? undefined : suggestion(given, verbs);
  throw new CallError(`${wrong} ${guess ?? `Use one of: ${verbs.map((verb) => `earmark ${noun} ${verb}`).join(', ')}.`}`);
}

/** The commands of a noun: the one that is the noun alone, and those with a verb. */
export function commandsOf(commands: readonly Command[], noun: string): Command[] {
  return commands.filter(({ name }) => name === noun || name.startsWith(`${noun} `));
}

/** Parses the arguments of a command and validates them against its declaration. */
export function readCall(command: Command, args: string[]): ReadCall {
  const { values, positionals } = parse(command, args);
  const { words, options } = command;
  if (positionals.length > words.length) throw new CallError(`Unexpected argument: ${positionals[words.length]}.`);
  words.forEach(({ name, optional, values: allowed }, index) => {
    const given = positionals[index];
    if (!given?.trim() && !optional) throw usageError(command, `${name} is missing.`);
    if (given !== undefined && allowed) requireKnown(name, [given], allowed);
  });
  const read = Object.entries(options).map(([name, option]) => {
    const { value, values: allowed, multiple, required } = option;
    if (value === undefined) return [name, values[name] === true];
    const given = [values[name] ?? []].flat().map(String);
    const several = multiple === true ? given.flatMap((text) => text.split(/[\s,]+/)).filter((word) => word !== '') : given;
    if (required && !several.some((text) => text.trim())) throw usageError(command, `--${name} is missing.`);
    if (allowed) requireKnown(`--${name}`, several, allowed);
    return [name, multiple ? [...new Set(several)] : several[0]];
  });
  return {
    words: words.map((_word, index) => positionals[index]),
    options: Object.fromEntries(read),
    json: values.json === true,
  } as ReadCall;
}

/** The usage line of a command: `account create NAME`. */
export function usageOf({ name, words, options }: Command): string {
  const named = words.map((word) => (word.optional ? `[${word.name}]` : word.name));
  const given = Object.entries(options).map(([name, { value, required, multiple }]) => {
    const text = `--${name}${value === undefined ? '' : ` ${value}`}${multiple ? ' …' : ''}`;
    return required ? text : `[${text}]`;
  });
  return [name, ...named, ...given].join(' ');
}

function parse(command: Command, args: string[]): { values: Record<string, unknown>; positionals: string[] } {
  const own = Object.entries(command.options).map(([name, { value, multiple }]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', multiple: multiple !== undefined },
  ]);
  try {
    const options = { ...Object.fromEntries(own), json: { type: 'boolean' } };
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const unknown = /'(--?[^'=]+)/.exec(message)?.[1];
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || unknown === undefined) throw new CallError(`${message.split(/\.\s/)[0]}.`);
    const names = [...Object.keys(command.options), 'json', 'help'].map((name) => `--${name}`);
    throw new CallError(
      `There is no option ${unknown}. ${suggestion(unknown, names) ?? `See \`earmark help ${command.name}\`.`}`,
    );
  }
}

function usageError(command: Command, fault: string): CallError {
  return new CallError(`${fault} Usage: earmark ${usageOf(command)}`);
}

function requireKnown(name: string, given: string[], allowed: readonly string[]): void {
  const unknown = given.find((value) => !allowed.includes(value));
  if (unknown === undefined) return;
  const guess = suggestion(unknown, allowed);
  throw new CallError(`${name} must be one of ${allowed.join(', ')}, not ${unknown}.${guess ? ` ${guess}` : ''}`);
}

/** Returns `Did you mean verify?`, or undefined when no name is similar. */
export function suggestion(given: string, known: readonly string[]): string | undefined {
  const nearest = nearestName(given, known);
  return nearest === undefined ? undefined : `Did you mean ${nearest}?`;
}
