// Finds the part of a picture with the densest edges, where a stacked barcode is.
import { type Raster, resized, sample } from './raster.ts';

/** Centre in pixels of the picture, the direction of the long side in degrees, and the sides in pixels. */
export type Place = { x: number; y: number; degrees: number; long: number; short: number };

const SIZE_PX = 800;
const TILE_PX = 8;
/** Of the edges in the tiles with most: text and patterns have fewer. */
const LEAST_SHARE = 0.5;
const LEAST_TILES = 60;

/** Returns the largest dense area, its box turned by `skew` degrees. */
export async function findDenseArea(picture: Raster, skew: number): Promise<Place | undefined> {
  const small = await resized(picture, SIZE_PX);
  const columns = Math.floor(small.width / TILE_PX);
  const rows = Math.floor(small.height / TILE_PX);
  const tiles = blurred(edgesPerTile(small, columns, rows), columns, rows);
  const most = tiles.toSorted()[Math.floor(tiles.length * 0.97)]!;
  const area = largestArea(
    tiles.map((edges) => (edges > LEAST_SHARE * most ? 1 : 0)),
    columns,
  );
  if (area.length < LEAST_TILES) return undefined;
  const scale = Math.max(picture.width, picture.height) / SIZE_PX;
  const points = area.map((tile) => ({
    x: ((tile % columns) + 0.5) * TILE_PX * scale,
    y: (Math.floor(tile / columns) + 0.5) * TILE_PX * scale,
  }));
  return boxAround(points, { degrees: skew, padding: TILE_PX * scale });
}

/** Cuts a place out of the picture, its long side along the rows and `longPx` long, with a margin on each side. */
export function cutPlace(
  picture: Raster,
  { x, y, degrees, long, short }: Place,
  { longPx, turn }: { longPx: number; turn: number },
): Raster {
  const step = (long * 1.1) / longPx;
  const width = longPx;
  const height = Math.round((short * 1.1 + long * 0.06) / step);
  const angle = ((degrees + turn) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle) * step, Math.sin(angle) * step];
  const data = new Uint8Array(width * height);
  for (let row = 0, at = 0; row < height; row++) {
    const down = row - height / 2;
    for (let column = 0; column < width; column++, at++) {
      const across = column - width / 2;
      data[at] = sample(picture, x + across * cos - down * sin, y + across * sin + down * cos) + 0.5;
    }
  }
  return { width, height, data };
}

function edgesPerTile({ width, data }: Raster, columns: number, rows: number): Float32Array {
  const tiles = new Float32Array(columns * rows);
  for (let y = 0; y < rows * TILE_PX - 1; y++) {
    for (let x = 0, at = y * width; x < columns * TILE_PX - 1; x++, at++) {
      const edges = Math.abs(data[at + 1]! - data[at]!) + Math.abs(data[at + width]! - data[at]!);
      tiles[Math.floor(y / TILE_PX) * columns + Math.floor(x / TILE_PX)]! += edges;
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

function boxAround(points: { x: number; y: number }[], { degrees, padding }: { degrees: number; padding: number }): Place {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const along = points.map(({ x, y }) => x * cos + y * sin);
  const across = points.map(({ x, y }) => y * cos - x * sin);
  const [left, right] = [Math.min(...along) - padding, Math.max(...along) + padding];
  const [top, bottom] = [Math.min(...across) - padding, Math.max(...across) + padding];
  const [u, v] = [(left + right) / 2, (top + bottom) / 2];
  const centre = { x: u * cos - v * sin, y: u * sin + v * cos };
  const isUpright = right - left < bottom - top;
  const [one, two] = [right - left, bottom - top];
  return { ...centre, degrees: isUpright ? degrees + 90 : degrees, long: Math.max(one, two), short: Math.min(one, two) };
}
