// Texts that begin with another one, without regard to case, by an index with text_pattern_ops.
import { type Fragment, fragment } from './sql.ts';

/** Sorts after every character. */
const LAST = '\u{10ffff}';

/** The condition that a lower-case text begins with one. Unlike `like` it uses the index in a plan for any text. */
export function begins(lowered: Fragment, text: string): Fragment {
  return fragment`${lowered} ~>=~ lower(${text}) and ${lowered} ~<=~ (lower(${text}) || ${LAST})`;
}
