// Quantiles, medians and latencies of a benchmark.

/** The smallest value that a share (0 to 1) of the sorted values does not exceed, by nearest rank; NaN of none. */
export function quantile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The middle value, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (Number.isInteger(middle)) return (sorted[middle - 1]! + sorted[middle]!) / 2;
  return sorted[Math.floor(middle)]!;
}

/** p50, p95 and p99 of latencies in any order, which are sorted in place. */
export function latencies(valuesMs: number[]): { p50Ms: number; p95Ms: number; p99Ms: number } {
  valuesMs.sort((a, b) => a - b);
  return { p50Ms: quantile(valuesMs, 0.5), p95Ms: quantile(valuesMs, 0.95), p99Ms: quantile(valuesMs, 0.99) };
}

/** The median of every number over rounds of one shape, nested objects included; other values as in the first round. */
export function medianOf<T extends object>(rounds: readonly T[]): T {
  const entries = Object.entries(rounds[0]!).map(([name, first]) => {
    const values = rounds.map((round) => (round as Record<string, unknown>)[name]);
    if (typeof first === 'number') return [name, median(values as number[])];
    if (typeof first === 'object' && first !== null) return [name, medianOf(values as object[])];
    return [name, first];
  });
  return Object.fromEntries(entries) as T;
}
