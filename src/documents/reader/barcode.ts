// Reads PDF417 barcodes with zxing-wasm, after turning, enlarging and rectifying the picture: the library fails on untouched photographs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prepareZXingModule, type ReadResult, readBarcodes } from 'zxing-wasm/reader';
import { cutPlace, findDenseArea } from './barcode-place.ts';
import { skewDegrees, turned } from './deskew.ts';
import { fitHomography, project } from './homography.ts';
import { type Raster, sample } from './raster.ts';

/** Of the dense area: long side in pixels and extra turn in degrees, in the order that solves most pictures first. */
const CUTS = [
  { longPx: 1700, turn: 0 },
  { longPx: 2300, turn: 0 },
  { longPx: 1700, turn: 0.9 },
  { longPx: 1700, turn: -0.9 },
];
/** Of the whole picture, when its densest area is not the barcode. */
const LONG_EDGES_PX = [2600, 1800];
const RECTIFIED_PX = { width: 1700, height: 560, margin: 40 };
const OPTIONS = {
  formats: ['PDF417' as const],
  tryHarder: true,
  tryRotate: true,
  tryInvert: false,
  tryDownscale: false,
  textMode: 'Plain' as const,
  maxNumberOfSymbols: 1,
  returnErrors: true,
};

/** The browser's ImageData, whose type Node.js does not have. */
type Picture = Parameters<typeof readBarcodes>[0];

let prepared: Promise<unknown> | undefined;

/** Loads the library from its package: by default it would fetch it from the network. */
export function prepareBarcodes(): Promise<unknown> {
  prepared ??= prepareZXingModule({
    overrides: {
      wasmBinary: new Uint8Array(readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))).buffer,
    },
    fireImmediately: true,
  });
  return prepared;
}

type Parse<Parsed> = (text: string) => Parsed | undefined;

/** Returns the first text of a barcode that `parse` understands, and whether any barcode was seen. */
export async function readBarcode<Parsed>(
  picture: Raster,
  parse: Parse<Parsed>,
): Promise<{ parsed: Parsed | undefined; seen: boolean }> {
  await prepareBarcodes();
  let seen = false;
  for await (const raster of views(picture)) {
    const [found] = await read(raster);
    if (!found) continue;
    seen = true;
    const parsed = parseValid(found, parse) ?? parseValid((await read(rectified(raster, found.position)))[0], parse);
    if (parsed) return { parsed, seen };
  }
  return { parsed: undefined, seen };
}

async function* views(picture: Raster): AsyncGenerator<Raster> {
  const skew = await skewDegrees(picture);
  const area = await findDenseArea(picture, skew);
  for (const cut of area ? CUTS : []) yield cutPlace(picture, area!, cut);
  for (const longEdge of LONG_EDGES_PX) yield turned(picture, { degrees: -skew, longEdge });
}

function parseValid<Parsed>(result: ReadResult | undefined, parse: Parse<Parsed>): Parsed | undefined {
  return result?.isValid ? parse(result.text) : undefined;
}

async function read({ width, height, data }: Raster): Promise<ReadResult[]> {
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at++) colours[at] = data[at]! * 0x010101 + 0xff000000;
  return readBarcodes({ width, height, data: new Uint8ClampedArray(colours.buffer), colorSpace: 'srgb' } as Picture, OPTIONS);
}

type Position = ReadResult['position'];

/** Cuts the quadrilateral of a symbol out of the picture, as a rectangle with a white margin. */
function rectified(raster: Raster, { topLeft, topRight, bottomRight, bottomLeft }: Position): Raster {
  const { width, height, margin } = RECTIFIED_PX;
  const corners = [topLeft, topRight, bottomRight, bottomLeft];
  const map = fitHomography(
    corners.map(({ x, y }, at) => ({ fromX: at === 1 || at === 2 ? 1 : 0, fromY: at >= 2 ? 1 : 0, toX: x, toY: y })),
  );
  const data = new Uint8Array(width * height).fill(255);
  if (!map) return { width, height, data };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const place = project(map, (x - margin) / (width - 2 * margin), (y - margin) / (height - 2 * margin));
      data[y * width + x] = sample(raster, place.x, place.y);
    }
  }
  return { width, height, data };
}
