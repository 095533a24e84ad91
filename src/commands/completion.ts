// `earmark completion bash|zsh`: prints what makes a shell complete commands, options and their values.
import type { Section } from './all.ts';
import { type Command, command } from './command.ts';
import { quoted } from './shell-word.ts';

/** The command `completion`, of the commands in these sections. */
export function completion(sections: Section[]): Command {
  return command({
    name: 'completion',
    about: 'Prints what makes a shell complete commands, options and values.',
    words: [{ name: 'SHELL', about: 'which shell', values: ['bash', 'zsh'] }],
    examples: [
      'earmark completion bash > ~/.local/share/bash-completion/completions/earmark',
      'earmark completion zsh > ~/.zsh/completions/_earmark  # a folder of your $fpath',
    ],
    async run({ words: [shell], json }) {
      const commands = sections.flatMap((section) => section.commands);
      const script = shell === 'bash' ? bash(commands) : zsh(commands);
      process.stdout.write(json ? `${JSON.stringify({ shell, script })}\n` : script);
      return 0;
    },
  });
}

/** What may follow the first words of a line: commands and verbs, then options and the values of words. */
function bash(commands: Command[]): string {
  const places = placesOf(commands).map(
    ({ line, next }) => `    ${quoted(line)}) words=${quoted(next.map(([word]) => word).join(' '))} ;;`,
  );
  const values = valuesOf(commands).map(
    ({ line, option, values }) => `    ${quoted(`${line} --${option}`)}) words=${quoted(values)} ;;`,
  );
  return `# bash completion of earmark, made by \`earmark completion bash\`
_earmark() {
  local words='' place='' word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  if [[ $COMP_CWORD -gt 1 ]]; then place=\${COMP_WORDS[1]}; fi
  if [[ $COMP_CWORD -gt 2 ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
      ${twoWords(commands)}) place="\${COMP_WORDS[1]} \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$place" in
${places.join('\n')}
  esac
  case "$place $before" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _earmark earmark
`;
}

function zsh(commands: Command[]): string {
  const places = placesOf(commands).map(({ line, next }) => {
    const described = next.map(([word, about]) => quoted(`${word.replaceAll(':', '\\:')}:${about}`));
    return `    ${quoted(line)}) next=(${described.join(' ')}) ;;`;
  });
  const values = valuesOf(commands).map(
    ({ line, option, values }) => `    ${quoted(`${line} --${option}`)}) next=(${values.split(' ').map(quoted).join(' ')}) ;;`,
  );
  return `#compdef earmark
# zsh completion of earmark, made by \`earmark completion zsh\`
_earmark() {
  local -a next
  local place=''
  (( CURRENT > 2 )) && place="$words[2]"
  if (( CURRENT > 3 )); then
    case "$words[2] $words[3]" in
      ${twoWords(commands)}) place="$words[2] $words[3]" ;;
    esac
  fi
  case "$place" in
${places.join('\n')}
  esac
  case "$place $words[CURRENT-1]" in
${values.join('\n')}
  esac
  if (( $#next )); then _describe earmark next; else _files; fi
}
if [[ $funcstack[1] == _earmark ]]; then _earmark "$@"; else compdef _earmark earmark; fi
`;
}

type Place = { line: string; next: [word: string, about: string][] };

/** Each beginning of a line, with the words that can follow it. */
function placesOf(commands: Command[]): Place[] {
  const nouns = [...new Set(commands.map(({ name }) => name.split(' ', 1)[0]!))];
  const verbsOf = (noun: string) => commands.filter(({ name }) => name.startsWith(`${noun} `));
  const first: Place = {
    line: '',
    next: nouns.map((noun) => [noun, commands.find(({ name }) => name === noun)?.about ?? summary(verbsOf(noun))]),
  };
  const verbs = nouns
    .filter((noun) => verbsOf(noun).length > 0)
    .map((noun): Place => ({ line: noun, next: verbsOf(noun).map(({ name, about }) => [name.split(' ')[1]!, about]) }));
  return [first, ...verbs, ...commands.map((command): Place => ({ line: command.name, next: wordsAfter(commands, command) }))];
}

function wordsAfter(commands: Command[], { name, words, options }: Command): Place['next'] {
  const known = words.flatMap(({ values = [], about }) => values.map((value): Place['next'][number] => [value, about]));
  const topics = name === 'help' ? [...new Set(commands.map(({ name }) => name.split(' ', 1)[0]!)), 'config'] : [];
  return [
    ...topics.map((topic): Place['next'][number] => [topic, 'help on it']),
    ...known,
    ...Object.entries(options).map(([option, { about }]): Place['next'][number] => [`--${option}`, about]),
    ['--json', 'prints JSON for programs'],
    ['--help', 'shows help'],
  ];
}

function valuesOf(commands: Command[]): { line: string; option: string; values: string }[] {
  return commands.flatMap(({ name, options }) =>
    Object.entries(options).flatMap(([option, { value, values }]) => {
      if (value === undefined) return [];
      return [{ line: name, option, values: (values ?? []).join(' ') }];
    }),
  );
}

/** The names that are two words, as a pattern of a shell. */
function twoWords(commands: Command[]): string {
  const names = commands.map(({ name }) => name).filter((name) => name.includes(' '));
  return names.map(quoted).join(' | ');
}

function summary(commands: Command[]): string {
  return commands.map(({ name }) => name.split(' ')[1]).join(', ');
}
