// The question before a command that stops something at once, or that cannot be undone.
import { createInterface } from 'node:readline/promises';
import { CallError, type Command } from './command.ts';

const YES = /^y(es)?$/i;

/**
 * Asks on the terminal, and returns whether the answer is yes. Also true with --yes, and if the command asks nothing. Throws a
 * CallError without a terminal.
 */
export async function isConfirmed({ name, asks }: Command, call: Parameters<Command['run']>[0]): Promise<boolean> {
  const question = asks?.(call);
  if (question === undefined || (call.options as Record<string, unknown>).yes === true) return true;
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY)
    throw new CallError(`earmark ${name} asks before it runs, and there is no terminal to ask on. Add --yes to run it.`);
  // Without `terminal` Ctrl-C is a signal, as in the rest of the command.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question(`${question} [y/N] `), ended]);
  lines.close();
  if (YES.test(answer.trim())) return true;
  stderr.write('Nothing was changed.\n');
  return false;
}
