// Finds the part of a picture with the densest edges, where a stacked barcode is.
import type { Raster } from './raster.ts';

type Point = { x: number; y: number };
/** Corners in pixels of the picture: top left, top right, bottom right and bottom left of the upright barcode. */
export type Quad = readonly [Point, Point, Point, Point];

const TILE_PX = 8;
/** Of the edges in the tiles with most: text and patterns have fewer. */
const LEAST_SHARE = 0.5;
const LEAST_TILES = 60;
/** Of a row of a licence's barcode, approximately. */
const MODULES = 320;

/** Returns the box, turned by `skew` degrees, around the largest dense area of a picture about 800 px long; its long side on top. */
export function findDenseArea(small: Raster, skew: number): Quad | undefined {
  const columns = Math.floor(small.width / TILE_PX);
  const rows = Math.floor(small.height / TILE_PX);
  const tiles = blurred(edgesPerTile(small, columns, rows), columns, rows);
  const most = tiles.toSorted()[Math.floor(tiles.length * 0.97)]!;
  const area = largestArea(
    tiles.map((edges) => (edges > LEAST_SHARE * most ? 1 : 0)),
    columns,
  );
  if (area.length < LEAST_TILES) return undefined;
  const points = area.map((tile) => ({ x: ((tile % columns) + 0.5) * TILE_PX, y: (Math.floor(tile / columns) + 0.5) * TILE_PX }));
  return boxAround(points, { degrees: skew, padding: TILE_PX });
}

/** Undoes some blur across the bars: adds `amount` of the difference of each pixel from the mean of its neighbours in the row. */
export function sharpened({ width, height, data }: Raster, amount: number): Raster {
  const radius = Math.round(width / MODULES);
  const result = new Uint8ClampedArray(data.length);
  for (let row = 0; row < height; row++) {
    const start = row * width;
    let sum = 0;
    for (let x = 0; x < 2 * radius + 1; x++) sum += data[start + x]!;
    for (let x = radius; x < width - radius - 1; x++) {
      const value = data[start + x]!;
      result[start + x] = value + amount * (value - sum / (2 * radius + 1));
      sum += data[start + x + radius + 1]! - data[start + x - radius]!;
    }
  }
  return { width, height, data: new Uint8Array(result.buffer) };
}

function edgesPerTile({ width, data }: Raster, columns: number, rows: number): Float32Array {
  const tiles = new Float32Array(columns * rows);
  for (let y = 0; y < rows * TILE_PX - 1; y++) {
    const first = Math.floor(y / TILE_PX) * columns;
    for (let column = 0, at = y * width; column < columns; column++) {
      let edges = 0;
      // The last pixel of a row has no neighbour.
      for (const end = at + TILE_PX - (column === columns - 1 ? 1 : 0); at < end; at++)
        edges += Math.abs(data[at + 1]! - data[at]!) + Math.abs(data[at + width]! - data[at]!);
      tiles[first + column]! += edges;
    }
  }
  return tiles;
}

/** Mean of each tile and its neighbours: fills gaps and thins out lines of text. */
function blurred(tiles: Float32Array, columns: number, rows: number): Float32Array {
  return tiles.map((_, tile) => {
    const [column, row] = [tile % columns, Math.floor(tile / columns)];
    let [sum, count] = [0, 0];
    for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++, count++) sum += tiles[y * columns + x]!;
    }
    return sum / count;
  });
}

/** The tiles of the largest connected area of ones. */
function largestArea(tiles: Float32Array, columns: number): number[] {
  let largest: number[] = [];
  for (const start of tiles.keys()) {
    if (tiles[start] !== 1) continue;
    const area = [start];
    tiles[start] = 0;
    for (let at = 0; at < area.length; at++) {
      const tile = area[at]!;
      const column = tile % columns;
      for (const next of [column > 0 ? tile - 1 : -1, column < columns - 1 ? tile + 1 : -1, tile - columns, tile + columns]) {
        if (tiles[next] !== 1) continue;
        tiles[next] = 0;
        area.push(next);
      }
    }
    if (area.length > largest.length) largest = area;
  }
  return largest;
}

function boxAround(points: Point[], { degrees, padding }: { degrees: number; padding: number }): Quad {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const along = points.map(({ x, y }) => x * cos + y * sin);
  const across = points.map(({ x, y }) => y * cos - x * sin);
  const [left, right] = [Math.min(...along) - padding, Math.max(...along) + padding];
  const [top, bottom] = [Math.min(...across) - padding, Math.max(...across) + padding];
  const at = (u: number, v: number): Point => ({ x: u * cos - v * sin, y: u * sin + v * cos });
  const [one, two, three, four] = [at(left, top), at(right, top), at(right, bottom), at(left, bottom)];
  return right - left < bottom - top ? [four, one, two, three] : [one, two, three, four];
}
