// What a subcommand of `earmark` is, and how it reads its arguments, prints its result and is interrupted.
import { type ParseArgsConfig, parseArgs } from 'node:util';

export type Command = {
  name: string;
  /** Each line a way to call it. */
  usage: string[];
  about: string;
  /** Runs and returns the exit code. */
  run(args: string[]): Promise<number>;
};

/** What a command cannot do as it was called; one line that says why. */
export class UsageError extends Error {}

const INTERRUPTED = 130;

/** Reads arguments strictly: at most so many words beside the options. Every command takes `--json`. */
export function readArgs<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T, wordsMax = 0) {
  const { values, positionals } = parse(args, options);
  if (positionals.length > wordsMax) throw new UsageError(`There is one word too many: ${positionals[wordsMax]}.`);
  return { values, positionals };
}

/** Prints a result: as JSON for programs, else as `name: value` lines for people. */
export function print(result: Record<string, unknown>, json: boolean | undefined): void {
  if (json) return void process.stdout.write(`${JSON.stringify(result)}\n`);
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) process.stdout.write(`${name.padEnd(width)}  ${value}\n`);
}

/** Works, then cleans up; a Ctrl-C in between cleans up and ends the process, so that a server of ours is never left behind. */
export async function cleaningUp<T>(work: () => Promise<T>, cleanUp: () => Promise<void>): Promise<T> {
  let cleaned: Promise<void> | undefined;
  const clean = () => {
    cleaned ??= cleanUp();
    return cleaned;
  };
  const interrupted = () => {
    // Whatever breaks from here on does so because its server is stopped.
    process.on('uncaughtException', () => {});
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

function parse<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options: { ...options, json: { type: 'boolean' } }, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/\.\s/)[0]}.`);
  }
}
