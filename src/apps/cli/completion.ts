// `earmark completion bash|zsh|fish`: prints a completion script for commands, options and their values.
import { type Command, command, type Section } from './command.ts';
import { fishScript } from './completion-fish.ts';
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
  const cases = [...commands.flatMap((one) => casesOf(one, nouns)), ...nouns.flatMap((noun) => verbCase(noun, commands))];
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

function casesOf({ name, words, options }: Command, nouns: string[]): Case[] {
  const named = Object.entries(options).map(([option, { value, values = [] }]) => ({ option: `--${option}`, value, values }));
  const valued = named.filter(({ value }) => value !== undefined);
  const topics = name === 'help' ? nouns : words.flatMap(({ values = [] }) => values);
  return [
    ...valued.map(({ option, values }) => ({ pattern: `${quoted(name)}*${quoted(option)}`, words: values })),
    { pattern: `${quoted(name)}*`, words: [...topics, ...named.map(({ option }) => option), '--json', '--help'] },
  ];
}

function verbCase(noun: string, commands: Command[]): Case[] {
  const verbs = commands.filter(({ name }) => name.startsWith(`${noun} `)).map(({ name }) => name.split(' ')[1]!);
  return verbs.length === 0 ? [] : [{ pattern: quoted(noun), words: verbs }];
}
