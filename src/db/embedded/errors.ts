// Errors of the embedded server: the one a person sees, and how those of files and processes are read.
import { UserError } from '../../user-error.ts';

const COMPLAINT = /(?:panic|fatal|error): /i;

/** Why there is no server, in one line for the person who started the service. */
export class EmbeddedError extends UserError {}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export function lineOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
}

/** The last line that says FATAL, PANIC or error, from that word on; else the last line. */
export function lastComplaint(text: string): string {
  const lines = text.trim().split('\n');
  const line = lines.findLast((line) => COMPLAINT.test(line)) ?? lines.at(-1) ?? '';
  return line.slice(COMPLAINT.exec(line)?.index ?? 0).replace(/\s+/g, ' ');
}

/** For `catch`: lets one code of error pass as undefined. */
export function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
    return undefined;
  };
}
