// Calibrates the classifier: its probability for a character against the measured share of correct characters.

/**
 * The classifier's probability, and the share of characters that was correct, linear in between: 10,000 characters that were not
 * trained on, spoiled as badly as those of training, measured by `npm run bench -- reader` and rounded down.
 */
const TABLE = [
  [0, 0],
  [0.42, 0.35],
  [0.6, 0.53],
  [0.75, 0.66],
  [0.86, 0.81],
  [0.93, 0.87],
  [0.967, 0.96],
  [0.985, 0.98],
  [0.993, 0.99],
  [0.998, 0.996],
  [1, 0.9999],
] as const;

/** The probability that a character is correct when the classifier gives it a probability. */
export function calibrated(probability: number): number {
  // A sum of probabilities may exceed 1 by rounding.
  const share = Math.min(1, probability);
  const above = Math.max(
    1,
    TABLE.findIndex(([raw]) => raw >= share),
  );
  const [x0, y0] = TABLE[above - 1]!;
  const [x1, y1] = TABLE[above]!;
  return y0 + ((share - x0) / (x1 - x0)) * (y1 - y0);
}
