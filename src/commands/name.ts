// A name that a person gives at the command line.
import { CallError } from './command.ts';

const NAME_MAX = 255;
// Control characters would reach the terminal of whoever lists names.
const CONTROL = /\p{Cc}/u;

/** The name without spaces around it. Throws a CallError for one that is too long or holds control characters. */
export function readName(word: string, given: string): string {
  const name = given.trim();
  if (CONTROL.test(name)) throw new CallError(`${word} must not hold control characters, such as line breaks.`);
  if ([...name].length > NAME_MAX) throw new CallError(`${word} takes at most ${NAME_MAX} characters.`);
  return name;
}
