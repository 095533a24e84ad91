// The declaration of a command, from which argument parsing, help and completion are generated.
import { UserError } from '../../core/user-error.ts';

type Option = {
  /** Description, without a final period. */
  about: string;
  /** Placeholder of the value in the help (ID, FILE). Without it the option is a boolean flag. */
  value?: string;
  /** The allowed values. */
  values?: readonly string[];
  /** May be repeated, or given once with values separated by spaces or commas; `repeated`: a value may have spaces and commas itself. */
  multiple?: true | 'repeated';
  required?: true;
  /** The default, for the help. */
  fallback?: string;
};

type Word = { name: string; about: string; values?: readonly string[]; optional?: true };

/** A declared command. */
export type Command = {
  /** One word, or a noun and a verb: `serve`, `account create`. */
  name: string;
  /** One sentence, in the present tense. */
  about: string;
  /** Further text for the help. */
  detail?: string;
  /** Positional arguments, in order. */
  words: readonly Word[];
  options: Readonly<Record<string, Option>>;
  /** Shell command lines that work as shown. */
  examples: readonly [string, ...string[]];
  /** Exit codes whose meaning differs from EXIT_CODES. */
  exits?: Readonly<Record<number, string>>;
  /** Goes on when nobody reads its standard output. */
  isService?: true;
  /** The question to answer with yes before it runs, or undefined if this call needs none. Adds the option --yes. */
  asks?(call: Call<Words, Options>): string | undefined;
  /** Runs and returns the exit code. */
  run(call: Call<Words, Options>): Promise<number>;
};

/** A group of commands in the help. */
export type Section = { title: string; commands: Command[] };

type Options = Readonly<Record<string, Option>>;
type Words = readonly Word[];
type Given<O extends Option> = O extends { value: string }
  ? O extends { multiple: true | 'repeated' }
    ? string[]
    : O extends { required: true }
      ? string
      : string | undefined
  : boolean;

/** The parsed arguments of a command: words in order, options by name, and whether to print JSON. */
export type Call<W extends Words, O extends Options> = {
  words: { [K in keyof W]: W[K] extends { optional: true } ? string | undefined : string };
  options: { [K in keyof O]: Given<O[K]> };
  json: boolean;
};

type Declared<W extends Words, O extends Options> = Omit<Command, 'words' | 'options' | 'asks' | 'run'> & {
  words?: W;
  options?: O;
  asks?(call: Call<W, O>): string | undefined;
  run(call: Call<W, O>): Promise<number>;
};

/** Declares a command. Every command also takes `--json` and `--help`. */
export function command<const W extends Words = [], const O extends Options = Record<never, Option>>(
  declared: Declared<W, O>,
): Command {
  const options = { ...declared.options, ...(declared.asks && { yes: YES }) };
  return { ...declared, words: declared.words ?? [], options } as Command;
}

const YES: Option = { about: 'runs without the question that is asked on a terminal' };

/** Exit codes of all commands. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'success',
  1: 'failure; stderr has the reason in one line',
  2: 'usage error: unknown command or invalid arguments',
  130: 'interrupted (Ctrl-C)',
  141: 'nothing reads standard output any more, as after `| head -1`',
};

/** A command failed for a reason that the user can fix. The message is one line. */
export class UsageError extends UserError {}

/** Unknown command or invalid arguments. */
export class CallError extends UsageError {}

const INTERRUPTED = 130;

/** Of the work that is running. */
const cleanUps = new Set<() => Promise<void>>();

/** Exits before the command has ended, after it has cleaned up. */
export async function exitEarly(code: number): Promise<never> {
  // Ignores later errors, which are caused by stopping the server.
  process.removeAllListeners('uncaughtException').on('uncaughtException', () => {});
  await Promise.allSettled([...cleanUps].map((clean) => clean()));
  process.exit(code);
}

/** Runs work, then cleans up. Ctrl-C also cleans up before the process exits, so that no embedded server is left running. */
export async function cleaningUp<T>(work: () => Promise<T>, cleanUp: () => Promise<void>): Promise<T> {
  let cleaned: Promise<void> | undefined;
  const clean = () => {
    cleaned ??= cleanUp();
    return cleaned;
  };
  const interrupted = () => void exitEarly(INTERRUPTED);
  cleanUps.add(clean);
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await work();
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await clean();
    cleanUps.delete(clean);
  }
}
