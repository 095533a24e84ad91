// Validation of names given on the command line.
import { CallError } from './command.ts';

const NAME_MAX = 255;
// Control characters could manipulate the terminal of a user who lists names.
const CONTROL = /\p{Cc}/u;

/** Returns the trimmed name. Throws a CallError when it is too long or contains control characters. */
export function readName(word: string, given: string): string {
  const name = given.trim();
  if (CONTROL.test(name)) throw new CallError(`${word} must not contain control characters, such as line breaks.`);
  if ([...name].length > NAME_MAX) throw new CallError(`${word} must have at most ${NAME_MAX} characters.`);
  return name;
}
