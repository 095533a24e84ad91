// Accuracy and calibration of the classifier on characters that it was not trained on.

import type { Random } from '../specimens/random.ts';
import { ALPHABET } from '../src/alphabet.ts';
import { CELL_SIZE } from '../src/cell.ts';
import { classify } from '../src/classifier.ts';
import { makeCells } from '../training/cells.ts';

/** Characters whose probability is from `from`: their number, mean probability, and the share that was correct. */
export type Bin = { from: number; count: number; mean: number; correct: number };

const EDGES = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999];

export async function measureCharacters(random: Random, lines: number): Promise<{ accuracy: number; bins: Bin[] }> {
  const { inputs, labels } = await makeCells(random, lines);
  const bins = EDGES.map((from) => ({ from, count: 0, mean: 0, correct: 0 }));
  for (const [index, label] of labels.entries()) {
    const probabilities = classify(inputs, index * CELL_SIZE, false);
    const most = Math.max(...probabilities);
    const bin = bins[EDGES.findLastIndex((edge) => most >= edge)]!;
    bin.count++;
    bin.mean += most;
    if (ALPHABET[probabilities.indexOf(most)] === ALPHABET[label]) bin.correct++;
  }
  const right = bins.reduce((sum, { correct }) => sum + correct, 0);
  return {
    accuracy: right / labels.length,
    bins: bins
      .filter(({ count }) => count > 0)
      .map(({ from, count, mean, correct }) => ({ from, count, mean: mean / count, correct: correct / count })),
  };
}
