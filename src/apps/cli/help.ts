// `earmark help`: an overview of all commands, the help of one command, or all settings (`earmark help config`).
import { type Command, command, EXIT_CODES, type Section } from './command.ts';
import { heading, quiet } from './output.ts';
import { commandsOf, findCommand, usageOf } from './read-call.ts';

const CONFIG = 'config';

/** Returns the command `help` for the commands in these sections. */
export function help(sections: Section[]): Command {
  return command({
    name: 'help',
    about: 'Shows this overview, the help of one command, or all settings with `config`.',
    words: [
      { name: 'COMMAND', about: 'a command, or config', optional: true },
      { name: 'VERB', about: 'the verb, for commands of two words', optional: true },
    ],
    examples: ['earmark help', 'earmark help application create', 'earmark help config'],
    async run({ words: [noun, verb], json }) {
      return show(await helpOn(sections, [noun ?? '', verb ?? ''], json), json);
    },
  });
}

/** Prints the help of commands and returns the exit code. */
export function helpOnCommands(commands: Command[], json: boolean): number {
  return show(json ? { commands: commands.map(dataOf) } : commands.map(textOf).join('\n'), json);
}

async function helpOn(sections: Section[], [noun, verb]: [string, string], json: boolean): Promise<string | object> {
  const commands = sections.flatMap((section) => section.commands);
  if (noun === '') return json ? { commands: commands.map(dataOf) } : overview(sections);
  if (noun === CONFIG && verb === '') {
    const { settingsData, settingsText } = await import('./help-config.ts');
    return json ? settingsData() : settingsText();
  }
  const named = verb === '' ? commandsOf(commands, noun) : [];
  const asked = named.length > 0 ? named : [findCommand(commands, [noun, verb]).command];
  return json ? { commands: asked.map(dataOf) } : asked.map(textOf).join('\n');
}

function overview(sections: Section[]): string {
  const width = Math.max(...sections.flatMap(({ commands }) => commands.map(({ name }) => name.length)));
  const shown = sections.map(({ title, commands }) => {
    const lines = commands.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}\n`);
    return `${heading(title)}\n${lines.join('')}`;
  });
  const more = `${quiet('earmark help COMMAND')} shows the options and examples of a command. Every command takes --json.`;
  return `Earmark: a self-hosted payments API.\n\n${shown.join('\n')}\n${more}\n`;
}

function textOf(command: Command): string {
  const { about, detail, words, options, examples, exits } = command;
  const taken = [
    ...words.map(({ name, about, values }) => [name, `${about}${listed(values)}`] as const),
    ...Object.entries(options).map(([name, { value, about, values, fallback, required }]) => {
      const end = required ? ' (required)' : fallback === undefined ? '' : ` (default: ${fallback})`;
      return [`--${name}${value === undefined ? '' : ` ${value}`}`, `${about}${listed(values)}${end}`] as const;
    }),
    ['--json', 'prints JSON'] as const,
  ];
  const codes = Object.entries({ ...EXIT_CODES, ...exits });
  return [
    `${heading(`earmark ${usageOf(command)}`)}\n\n${about}\n`,
    ...(detail === undefined ? [] : [`${detail}\n`]),
    columns(taken),
    `Examples\n${examples.map((line) => `  $ ${line}\n`).join('')}`,
    `Exit codes\n${columns(codes)}`,
  ].join('\n');
}

function listed(values: readonly string[] | undefined): string {
  return values === undefined ? '' : `: ${values.join(', ')}`;
}

function columns(rows: (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}\n`).join('');
}

function dataOf(command: Command) {
  const { run, ...declared } = command;
  return { ...declared, usage: usageOf(command), exits: { ...EXIT_CODES, ...command.exits } };
}

function show(content: string | object, json: boolean): number {
  process.stdout.write(json ? `${JSON.stringify(content)}\n` : String(content));
  return 0;
}
