// The file that a command writes, or standard output if it is named `-`.
import { accessSync, constants, createWriteStream, existsSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CallError, UsageError } from './command.ts';
import { printToStandardError } from './output.ts';

const STANDARD_OUTPUT = '-';

export function isStandardOutput(file: string | undefined): file is string {
  return file === STANDARD_OUTPUT;
}

/** If the file is standard output, what the command prints from now on goes to standard error. */
export function printBeside(file: string | undefined): void {
  if (isStandardOutput(file)) printToStandardError();
}

/** Throws a CallError unless the file, or its folder if there is none yet, can be written. It stays as it is. */
export function requireWritable(file: string): void {
  if (isStandardOutput(file)) return;
  try {
    accessSync(existsSync(file) ? file : `${dirname(file)}/`, constants.W_OK);
  } catch (error) {
    throw new CallError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

/** Writes a file. `isPrivate` refuses one that exists, and lets only its owner read it. Throws a UsageError. */
export async function writeOutput(
  file: string,
  content: (string | Uint8Array)[] | AsyncIterable<string | Uint8Array>,
  { isPrivate = false }: { isPrivate?: boolean } = {},
): Promise<void> {
  if (isStandardOutput(file)) return pipeline(content, process.stdout, { end: false });
  const target = createWriteStream(file, isPrivate ? { flags: 'wx', mode: 0o600 } : {});
  await pipeline(content, target).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'open' && error.syscall !== 'write') throw error;
    throw new UsageError(error.code === 'EEXIST' ? `${file} already exists.` : `${file} cannot be written: ${error.code}.`);
  });
}

/** The format that the ending of a file means; undefined without an ending. Throws a CallError for another ending. */
export function formatOfFile<Format extends string>(
  file: string,
  endings: Record<Format, readonly string[]>,
): Format | undefined {
  const ending = extname(basename(file)).toLowerCase();
  if (ending === '') return undefined;
  const formats = Object.keys(endings) as Format[];
  const format = formats.find((one) => endings[one].includes(ending));
  if (format !== undefined) return format;
  throw new CallError(`--file must end in ${formats.flatMap((one) => endings[one]).join(', ')}, not ${ending}.`);
}

/** Refuses `-` for a folder. */
export function requireFolder(name: string, given: string): string {
  if (isStandardOutput(given)) throw new CallError(`${name} is a folder, so it cannot be standard output.`);
  return given;
}
