// `earmark completion bash|zsh|fish`: prints a completion script for commands, options and their values.
import { type Command, command, type Section } from './command.ts';
import { fishScript } from './completion-fish.ts';
import { commandsOf } from './read-call.ts';
import { quoted } from './shell-word.ts';

/** The command `completion`, of the commands in these sections. */
export function completion(sections: Section[]): Command {
  return command({
    name: 'completion',
    about: 'Prints a shell completion script for commands, options and values.',
    words: [{ name: 'SHELL', about: 'the shell', values: ['bash', 'zsh', 'fish'] }],
    examples: [
      'earmark completion bash > ~/.local/share/bash-completion/completions/earmark',
      'earmark completion zsh >> ~/.zshrc  # after compinit',
      'earmark completion fish > ~/.config/fish/completions/earmark.fish',
    ],
    async run({ words: [shell], json }) {
      const commands = sections.flatMap((section) => section.commands);
      // zsh runs the functions of bash after this command.
      const start = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
      const script = shell === 'fish' ? fishScript(commands) : start + scriptOf(commands);
      process.stdout.write(json ? `${JSON.stringify({ shell, script })}\n` : script);
      return 0;
    },
  });
}

/** Completes by the line before the cursor: the first pattern that matches it gives the words that can follow. */
function scriptOf(commands: Command[]): string {
  const nouns = [...new Set(commands.map(({ name }) => name.split(' ', 1)[0]!))];
  // `backup record` also matches the patterns of `backup`.
  const longestFirst = commands.toSorted((one, other) => other.name.length - one.name.length);
  const cases = [
    ...nouns.flatMap((noun) => verbCase(noun, commands, nouns)),
    ...longestFirst.flatMap((one) => casesOf(one, nouns)),
  ];
  return `_earmark() {
  local next='' line="\${COMP_WORDS[*]:1:$((COMP_CWORD - 1))}"
  case "$line" in
    '') next=${quoted(nouns.join(' '))} ;;
${cases.map(({ pattern, words }) => `    ${pattern}) next=${quoted(words.join(' '))} ;;\n`).join('')}  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _earmark earmark
`;
}

type Case = { pattern: string; words: readonly string[] };

function casesOf(command: Command, nouns: string[]): Case[] {
  const { name, options } = command;
  const valued = Object.entries(options).filter(([, { value }]) => value !== undefined);
  return [
    ...valued.map(([option, { values = [] }]) => ({ pattern: `${quoted(name)}*${quoted(`--${option}`)}`, words: values })),
    { pattern: `${quoted(name)}*`, words: wordsOf(command, nouns) },
  ];
}

/** The words that can follow a command. */
function wordsOf({ name, words, options }: Command, nouns: string[]): string[] {
  const topics = name === 'help' ? nouns : words.flatMap(({ values = [] }) => values);
  return [...topics, ...Object.keys(options).map((option) => `--${option}`), '--json', '--help'];
}

/** After a noun alone: its verbs, and what can follow it if it is a command itself. */
function verbCase(noun: string, commands: Command[], nouns: string[]): Case[] {
  const named = commandsOf(commands, noun);
  if (named.every(({ name }) => name === noun)) return [];
  const words = named.flatMap((one) => (one.name === noun ? wordsOf(one, nouns) : [one.name.split(' ')[1]!]));
  return [{ pattern: quoted(noun), words }];
}
