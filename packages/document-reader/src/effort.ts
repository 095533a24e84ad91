// Limits the work on one picture. It counts steps and not time, so that the same picture gives the same reading on any machine.

/** Work that is left, in milliseconds of CPU of a usual server, approximately. */
export type Effort = { leftMs: number };

/** Milliseconds per unit, measured on pictures of noise, which take longest. */
const COSTS = {
  /** Marks are searched in a pixel. */
  searchedPixel: 25e-6,
  /** A mark is compared with its neighbours. */
  mark: 15e-3,
  /** The cells of a grid are classified. */
  grid: 8,
  /** A pixel is cut out and searched for a barcode. */
  barcodePixel: 100e-6,
} as const;

/** Takes the cost of a step off what is left. Returns false, and takes nothing, when the step would cost more than is left. */
export function spend(effort: Effort, { step, count }: { step: keyof typeof COSTS; count: number }): boolean {
  const costMs = COSTS[step] * count;
  if (costMs > effort.leftMs) return false;
  effort.leftMs -= costMs;
  return true;
}
