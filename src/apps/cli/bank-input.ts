// Reads a file of a bank, of bounded size.
import { open } from 'node:fs/promises';
import { FILE_MAX, tooLarge } from '../../ledger/bank-files/decode.ts';
import { UsageError } from './command.ts';

/** Reads a file. Throws a UsageError if it cannot be read, and a BankFileError if it is too large, before it is read. */
export async function readInput(file: string): Promise<Uint8Array> {
  try {
    await using handle = await open(file);
    const stat = await handle.stat();
    if (!stat.isFile()) throw new UsageError(`${file} is not a file.`);
    if (stat.size > FILE_MAX) throw tooLarge();
    return await handle.readFile();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new UsageError(`${file} cannot be read: ${code}.`);
  }
}
