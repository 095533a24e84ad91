// Errors of the embedded server, and helpers that read the errors of files and processes.
import { UserError } from '../../../core/user-error.ts';

const COMPLAINT = /(?:panic|fatal|error): /i;

/** The embedded server cannot be used. The message is one line for the operator. */
export class EmbeddedError extends UserError {}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function lineOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
}

/** The last line with FATAL, PANIC or error, from that word on; otherwise the last line. */
export function lastComplaint(text: string): string {
  const lines = text.trim().split('\n');
  const line = lines.findLast((line) => COMPLAINT.test(line)) ?? lines.at(-1) ?? '';
  return line.slice(COMPLAINT.exec(line)?.index ?? 0).replace(/\s+/g, ' ');
}

/** For `catch`: turns an error with this code into undefined and rethrows all others. */
export function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
    return undefined;
  };
}
