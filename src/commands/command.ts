// What a command of `earmark` is: one declaration, of which its reading, its help and its completion are made.
import { UserError } from '../user-error.ts';

export type Option = {
  /** What it means, without a full stop. */
  about: string;
  /** What stands for its value in the help (ID, FILE); without it the option is a switch. */
  value?: string;
  /** The only values there are. */
  values?: readonly string[];
  /** May be given more than once, or once with spaces or commas between its values. */
  multiple?: true;
  required?: true;
  /** What it is when it is not given, for the help. */
  fallback?: string;
};

export type Word = { name: string; about: string; values?: readonly string[]; optional?: true };

/** A command as everything but its own file knows it. */
export type Command = {
  /** One word, or two where a noun has several verbs: `serve`, `account create`. */
  name: string;
  /** One sentence, in the present tense. */
  about: string;
  /** What else its help says. */
  detail?: string;
  /** What follows the name, in order. */
  words: readonly Word[];
  options: Readonly<Record<string, Option>>;
  /** Lines to paste into a terminal, each beginning with `earmark`. */
  examples: readonly [string, ...string[]];
  /** Exit codes that mean more to it than EXIT_CODES says. */
  exits?: Readonly<Record<number, string>>;
  /** Runs and returns the exit code. */
  run(call: Call<Words, Options>): Promise<number>;
};

type Options = Readonly<Record<string, Option>>;
type Words = readonly Word[];
type Given<O extends Option> = O extends { value: string }
  ? O extends { multiple: true }
    ? string[]
    : O extends { required: true }
      ? string
      : string | undefined
  : boolean;

/** What a command was called with: its words in order, its options by name, and whether it prints JSON for programs. */
export type Call<W extends Words, O extends Options> = {
  words: { [K in keyof W]: W[K] extends { optional: true } ? string | undefined : string };
  options: { [K in keyof O]: Given<O[K]> };
  json: boolean;
};

type Declared<W extends Words, O extends Options> = Omit<Command, 'words' | 'options' | 'run'> & {
  words?: W;
  options?: O;
  run(call: Call<W, O>): Promise<number>;
};

/** Declares a command. Every command takes `--json` and `--help` beside its own options. */
export function command<const W extends Words = [], const O extends Options = Record<never, Option>>(
  declared: Declared<W, O>,
): Command {
  return { ...declared, words: declared.words ?? [], options: declared.options ?? {} } as Command;
}

/** What the exit codes of every command mean. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'not done; one line on stderr says why',
  2: 'called in a way that the command does not know',
  130: 'interrupted (Ctrl-C)',
};

/** What a command cannot do as things are; one line that says why. */
export class UsageError extends UserError {}

/** A call that names no command, or a command with words and options it does not take. */
export class CallError extends UsageError {}

const INTERRUPTED = 130;

/** Works, then cleans up; a Ctrl-C in between cleans up and ends the process, so that a server of ours is never left behind. */
export async function cleaningUp<T>(work: () => Promise<T>, cleanUp: () => Promise<void>): Promise<T> {
  let cleaned: Promise<void> | undefined;
  const clean = () => {
    cleaned ??= cleanUp();
    return cleaned;
  };
  const interrupted = () => {
    // Whatever breaks from here on does so because its server is stopped.
    process.removeAllListeners('uncaughtException').on('uncaughtException', () => {});
    void clean().finally(() => process.exit(INTERRUPTED));
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await work();
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await clean();
  }
}
