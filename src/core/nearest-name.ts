// Misspelled names: finds the known name that was probably meant.

/** A suggestion may differ by one edit per this many letters. */
const LETTERS_PER_EDIT = 3;
const ONE_LETTER = /^[a-z]?$/;

/** Returns the most similar of the known names, or undefined if none is similar. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const name = fold(given);
  const similar = known.flatMap((other) => {
    const folded = fold(other);
    const most = Math.ceil(folded.length / LETTERS_PER_EDIT);
    // At least the difference of the lengths. Checked first, because the distance of a long name takes long.
    const isNear = Math.abs(folded.length - name.length) <= most;
    const edits = isNear ? editDistance(name, folded) : Number.POSITIVE_INFINITY;
    return edits <= most ? [{ other, edits }] : [];
  });
  return similar.sort((a, b) => a.edits - b.edits)[0]?.other;
}

/** Returns the known name that differs from a name only by case, hyphens, underscores or one letter, or undefined. */
export function nearMiss(given: string, known: readonly string[]): string | undefined {
  const name = fold(given);
  return known.find((other) => differsByOneLetter(name, fold(other)));
}

function fold(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}

/** Whether two texts are equal, or one letter was inserted, removed or replaced. A digit counts: `address3` is not `address2`. */
function differsByOneLetter(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  return ONE_LETTER.test(a.slice(start, endA)) && ONE_LETTER.test(b.slice(start, endB));
}

/** Returns the number of letters to insert, delete or replace (Levenshtein distance). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...to].entries())
      next.push(Math.min(row[at]! + (letter === other ? 0 : 1), row[at + 1]! + 1, next[at]! + 1));
    row = next;
  }
  return row.at(-1)!;
}
