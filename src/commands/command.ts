// What a subcommand of `earmark` is, and how it reads its arguments and prints its result.
import { type ParseArgsConfig, parseArgs } from 'node:util';

export type Command = {
  name: string;
  /** Each line a way to call it. */
  usage: string[];
  about: string;
  /** Runs and returns the exit code. */
  run(args: string[]): Promise<number>;
};

/** Wrong words on the command line; one line that says what is wrong. */
export class UsageError extends Error {}

/** Reads arguments strictly. Every command takes `--json`. */
export function readArgs<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
      strict: true,
    });
    return { values, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

/** Prints a result: as JSON for programs, else as `name: value` lines for people. */
export function print(result: Record<string, unknown>, json: boolean | undefined): void {
  if (json) return void process.stdout.write(`${JSON.stringify(result)}\n`);
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) process.stdout.write(`${name.padEnd(width)}  ${value}\n`);
}
