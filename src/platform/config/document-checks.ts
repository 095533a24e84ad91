// Settings of automatic checks of documents: the checkers, which must agree, and the outcomes that need no person.
import { entriesOf, InvalidValue, type Kind } from './kinds.ts';

const CHECKERS = ['reader', 'http'] as const;
const OUTCOMES = ['accept', 'accept-text', 'accept-document', 'accept-chip', 'reject', 'reject-expired'] as const;

type CheckerName = (typeof CHECKERS)[number];
export type AutoDecision = (typeof OUTCOMES)[number];

/** `off`, or checkers in the order in which they are asked. */
export const checkers: Kind<CheckerName[]> = {
  parse: (given) => (given === 'off' ? [] : listOf(given, CHECKERS, 'off')),
};

/** `none`, or the outcomes that checkers may decide without a person. */
export const autoDecisions: Kind<AutoDecision[]> = {
  parse: (given) => (given === 'none' ? [] : listOf(given, OUTCOMES, 'none')),
};

export const checkerUrl: Kind<string> = {
  parse(given) {
    const url = URL.parse(given);
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
      throw new InvalidValue('an http or https URL without a user and password', { isHidden: true });
    }
    return url.href;
  },
};

function listOf<const Names extends readonly string[]>(given: string, names: Names, nothing: string): Names[number][] {
  const entries = entriesOf(given);
  if (entries.some((entry, index) => !names.includes(entry) || entries.indexOf(entry) < index)) {
    throw new InvalidValue(`${nothing}, or a list of ${names.join(', ')}`);
  }
  return entries;
}
