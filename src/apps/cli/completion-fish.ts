// The completion script for fish: a line for each noun, verb, option and argument, with its description.
import type { Command } from './command.ts';
import { commandsOf } from './read-call.ts';

/** The values of options and arguments that are files. */
const FILES = ['FILE', 'DIR', 'FOLDER'];

/** `__earmark_at` and `__earmark_in` compare the words before the cursor: with all of them, and with the first ones. */
const FUNCTIONS = `function __earmark_at
    set -l words (commandline -opc)
    set -e words[1]
    test "$words" = "$argv"
end
function __earmark_in
    set -l words (commandline -opc)
    set -e words[1]
    string match -q -- "$argv *" "$words "
end
complete -c earmark -f
complete -c earmark -n 'not __earmark_at' -l json -d 'prints JSON'
complete -c earmark -n 'not __earmark_at' -l help -d 'prints the help'
`;

export function fishScript(commands: Command[]): string {
  const nouns = new Map(commands.map(({ name, about }) => [name.split(' ', 1)[0]!, name.includes(' ') ? '' : about]));
  const lines = [
    ...[...nouns].map(([noun, about]) => line('__earmark_at', [`-a ${noun}`, described(about)])),
    ...[...nouns].map(([noun]) => line('__earmark_at help', [`-a ${noun}`])),
    ...commands.flatMap((one) => linesOf(one, commands)),
  ];
  return `${FUNCTIONS}${lines.join('')}`;
}

function linesOf({ name, about, words, options }: Command, commands: Command[]): string[] {
  const [noun, verb] = name.split(' ');
  // `backup record` begins like `backup`.
  const others = commandsOf(commands, name).filter((other) => other.name !== name);
  const inside = [`__earmark_in ${name}`, ...others.map((other) => `not __earmark_in ${other.name}`)].join('; and ');
  return [
    ...(verb === undefined ? [] : [line(`__earmark_at ${noun}`, [`-a ${verb}`, described(about)])]),
    ...words
      .map(({ name, values }) => argument(name, values))
      .filter((offered) => offered !== '')
      .map((offered) => line(inside, [offered])),
    ...Object.entries(options).map(([option, { about, value, values }]) => {
      const kind = value === undefined ? '' : `${FILES.includes(value) ? '-r' : '-x'} ${argument(value, values)}`;
      return line(inside, [`-l ${option}`, kind.trim(), described(about)]);
    }),
  ];
}

/** The values that fish offers for an argument: the allowed ones, or files. */
function argument(name: string, values: readonly string[] | undefined): string {
  if (values !== undefined) return `-a ${quoted(values.join(' '))}`;
  return FILES.includes(name) ? '-F' : '';
}

function line(condition: string, parts: string[]): string {
  return `complete -c earmark -n ${quoted(condition)} ${parts.filter((part) => part !== '').join(' ')}\n`;
}

function described(about: string): string {
  return about === '' ? '' : `-d ${quoted(about)}`;
}

/** A word in single quotes, in which fish knows two escapes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
