// Shares of an amount: percentages as hundredths of a percent, rounded half even.

/** Above 0 up to 100, at most two decimals. */
export const PERCENT = /^([0-9]{1,3})(?:\.([0-9]{1,2}))?$/;
/** 100 %, in hundredths of a percent. */
export const WHOLE = 10_000n;

/** Parses `"25"`, `"25.5"` or `"25.00"` into hundredths of a percent. Returns undefined unless it is above 0 and at most 100. */
export function parsePercent(text: string): bigint | undefined {
  const match = PERCENT.exec(text);
  if (!match) return undefined;
  const hundredths = BigInt(match[1]! + (match[2] ?? '').padEnd(2, '0'));
  return hundredths > 0n && hundredths <= WHOLE ? hundredths : undefined;
}

/** Formats hundredths of a percent with two decimals. */
export function formatPercent(hundredths: bigint): string {
  const digits = hundredths.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Returns a percentage of a non-negative amount in minor units. Half a unit is rounded to the even neighbour. */
export function shareOf(amount: bigint, hundredths: bigint): bigint {
  const product = amount * hundredths;
  const [down, rest] = [product / WHOLE, 2n * (product % WHOLE)];
  return rest > WHOLE || (rest === WHOLE && down % 2n === 1n) ? down + 1n : down;
}
