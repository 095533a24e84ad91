// Projective maps of the plane, fitted to pairs of points.

/** Maps (x, y) to ((h0 x + h1 y + h2) / w, (h3 x + h4 y + h5) / w) with w = h6 x + h7 y + 1. */
export type Homography = Float64Array;
export type Pair = { fromX: number; fromY: number; toX: number; toY: number };

export function project(h: Homography, x: number, y: number): { x: number; y: number } {
  const w = h[6]! * x + h[7]! * y + 1;
  return { x: (h[0]! * x + h[1]! * y + h[2]!) / w, y: (h[3]! * x + h[4]! * y + h[5]!) / w };
}

/** Least squares over all pairs; undefined when they do not determine the map. */
export function fitHomography(pairs: Pair[]): Homography | undefined {
  // Coordinates near 1 keep the equations well conditioned.
  const scale = pairs.reduce((most, pair) => Math.max(most, pair.toX, pair.toY), 1);
  const equations = Array.from({ length: 8 }, () => new Float64Array(9));
  for (const { fromX: x, fromY: y, toX, toY } of pairs) {
    const [u, v] = [toX / scale, toY / scale];
    add(equations, [x, y, 1, 0, 0, 0, -u * x, -u * y, u]);
    add(equations, [0, 0, 0, x, y, 1, -v * x, -v * y, v]);
  }
  const h = solve(equations);
  return h?.map((value, at) => (at < 6 ? value * scale : value));
}

/** Adds one row of the over-determined system to the normal equations. */
function add(equations: Float64Array[], row: number[]): void {
  for (let i = 0; i < 8; i++) for (let j = 0; j < 9; j++) equations[i]![j]! += row[i]! * row[j]!;
}

/** Gaussian elimination with row exchange. */
function solve(rows: Float64Array[]): Float64Array | undefined {
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++)
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const head = rows[column]![column]!;
    if (Math.abs(head) < 1e-12) return undefined;
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const factor = rows[row]![column]! / head;
      for (let at = column; at <= size; at++) rows[row]![at]! -= factor * rows[column]![at]!;
    }
  }
  return Float64Array.from({ length: size }, (_, at) => rows[at]![size]! / rows[at]![at]!);
}
