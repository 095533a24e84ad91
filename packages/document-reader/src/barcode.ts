// Reads PDF417 barcodes with zxing-wasm, after turning, enlarging and rectifying the picture: the library fails on untouched photographs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prepareZXingModule, type ReadResult, readBarcodes } from 'zxing-wasm/reader';
import { findDenseArea, type Quad, sharpened } from './barcode-place.ts';
import { skewDegrees } from './deskew.ts';
import { type Effort, spend } from './effort.ts';
import { fitHomography, type Homography, project } from './homography.ts';
import { type Raster, resized, sample } from './raster.ts';

/** Extra turn in degrees, width in pixels and sharpening of a cut of the densest area; the first solves most pictures. */
const ATTEMPTS = [
  { turn: 0, widthPx: 1700, sharpen: 0 },
  { turn: 0, widthPx: 2300, sharpen: 1 },
  { turn: 0.9, widthPx: 1700, sharpen: 0.7 },
  { turn: -0.9, widthPx: 1700, sharpen: 0.7 },
];
/** A symbol that was found but not read is cut out by its corners, and read again with each of these. */
const SHARPEN_AGAIN = [0.7, 2];
const WHOLE_PX = 2400;
const SMALL_PX = 800;
const ENLARGED_PX = 2400;
/** Margin on each side, as a share of the width. */
const MARGIN = 0.05;
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
type Parse<Parsed> = (text: string) => Parsed | undefined;
type Reader<Parsed> = { parse: Parse<Parsed>; effort: Effort; stopsWhenSeen?: boolean };

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

/** `corners`: where the symbol is that was understood, in pixels of the picture. */
type Barcode<Parsed> = { parsed: Parsed | undefined; corners?: Quad; seen: boolean };

/** Returns the first text of a barcode that `parse` understands, and whether any barcode was seen. */
export async function readBarcode<Parsed>(picture: Raster, reader: Reader<Parsed>): Promise<Barcode<Parsed>> {
  await prepareBarcodes();
  // Smoother edges of the bars let some symbols be read that were found, and only those.
  const isSmall = Math.max(picture.width, picture.height) <= ENLARGED_PX / 1.5;
  const first = await readViews(picture, { ...reader, stopsWhenSeen: isSmall });
  if (first.parsed || !first.seen || !isSmall) return first;
  const enlarged = await resized(picture, ENLARGED_PX);
  const factor = picture.width / enlarged.width;
  const { corners, ...again } = await readViews(enlarged, reader);
  return corners
    ? { ...again, corners: corners.map(({ x, y }) => ({ x: x * factor, y: y * factor })) as unknown as Quad }
    : again;
}

async function readViews<Parsed>(picture: Raster, reader: Reader<Parsed>): Promise<Barcode<Parsed>> {
  let seen = false;
  for await (const view of views(picture)) {
    if (!spend(reader.effort, { step: 'barcodePixel', count: view.raster.data.length })) break;
    const found = await read(view.raster);
    if (!found) continue;
    seen = true;
    const corners = cornersIn(view, found);
    const parsed = parseValid(found, reader.parse) ?? (await readAgain(picture, corners, reader));
    if (parsed || reader.stopsWhenSeen) return { parsed, corners, seen };
  }
  return { parsed: undefined, seen };
}

/** A part of a picture as an upright rectangle, and the way back. */
type View = { raster: Raster; toPicture(x: number, y: number): { x: number; y: number } };

async function* views(picture: Raster): AsyncGenerator<View> {
  const small = await resized(picture, SMALL_PX);
  const skew = skewDegrees(small);
  const factor = Math.max(picture.width, picture.height) / SMALL_PX;
  const area = findDenseArea(small, skew)?.map(({ x, y }) => ({ x: x * factor, y: y * factor })) as unknown as Quad | undefined;
  for (const { turn, widthPx, sharpen } of area ? ATTEMPTS : []) yield cut(picture, turned(area!, turn), { widthPx, sharpen });
  const { width, height } = picture;
  const whole: Quad = [
    { x: 0, y: 0 },
    { x: width, y: 0 },
    { x: width, y: height },
    { x: 0, y: height },
  ];
  yield cut(picture, turned(whole, skew), { widthPx: (WHOLE_PX * width) / Math.max(width, height), sharpen: 0 });
}

function cornersIn({ toPicture }: View, { position: { topLeft, topRight, bottomRight, bottomLeft } }: ReadResult): Quad {
  return [topLeft, topRight, bottomRight, bottomLeft].map(({ x, y }) => toPicture(x, y)) as unknown as Quad;
}

async function readAgain<Parsed>(picture: Raster, corners: Quad, reader: Reader<Parsed>): Promise<Parsed | undefined> {
  for (const sharpen of SHARPEN_AGAIN) {
    const { raster } = cut(picture, corners, { widthPx: 1700, sharpen });
    if (!spend(reader.effort, { step: 'barcodePixel', count: raster.data.length })) break;
    const parsed = parseValid(await read(raster), reader.parse);
    if (parsed) return parsed;
  }
  return undefined;
}

function parseValid<Parsed>(result: ReadResult | undefined, parse: Parse<Parsed>): Parsed | undefined {
  return result?.isValid ? parse(result.text) : undefined;
}

async function read({ width, height, data }: Raster): Promise<ReadResult | undefined> {
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at++) colours[at] = data[at]! * 0x010101 + 0xff000000;
  const picture = { width, height, data: new Uint8ClampedArray(colours.buffer), colorSpace: 'srgb' } as Picture;
  return (await readBarcodes(picture, OPTIONS))[0];
}

/** Turns around the centre. */
function turned(quad: Quad, degrees: number): Quad {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const [cx, cy] = [quad.reduce((sum, { x }) => sum + x, 0) / 4, quad.reduce((sum, { y }) => sum + y, 0) / 4];
  const turn = ({ x, y }: { x: number; y: number }) => ({
    x: cx + (x - cx) * cos - (y - cy) * sin,
    y: cy + (x - cx) * sin + (y - cy) * cos,
  });
  return quad.map(turn) as unknown as Quad;
}

/** Cuts a quadrilateral out of the picture as a rectangle with margins. */
function cut(picture: Raster, quad: Quad, { widthPx, sharpen }: { widthPx: number; sharpen: number }): View {
  const [one, two, three, four] = quad;
  const long = Math.hypot(two.x - one.x, two.y - one.y) + Math.hypot(three.x - four.x, three.y - four.y);
  const short = Math.hypot(four.x - one.x, four.y - one.y) + Math.hypot(three.x - two.x, three.y - two.y);
  const margin = MARGIN * widthPx;
  const inner = widthPx - 2 * margin;
  const [width, height] = [Math.round(widthPx), Math.max(80, Math.round((inner * short) / Math.max(1, long) + 2 * margin))];
  const map = fitHomography(
    quad.map(({ x, y }, at) => ({ fromX: at === 1 || at === 2 ? 1 : 0, fromY: at >= 2 ? 1 : 0, toX: x, toY: y })),
  );
  const toPicture = (x: number, y: number) =>
    map ? project(map, (x - margin) / inner, (y - margin) / (height - 2 * margin)) : { x, y };
  const data = new Uint8Array(width * height);
  for (let y = 0; map && y < height; y++)
    fillRow(picture, map, {
      row: data.subarray(y * width, (y + 1) * width),
      v: (y - margin) / (height - 2 * margin),
      margin,
      inner,
    });
  const raster = { width, height, data };
  return { raster: sharpen > 0 ? sharpened(raster, sharpen) : raster, toPicture };
}

type Row = { row: Uint8Array; v: number; margin: number; inner: number };

/** One row of a cut: `project` for each pixel, with what is constant in the row taken out. */
function fillRow(picture: Raster, h: Homography, { row, v, margin, inner }: Row): void {
  const [x, y, w] = [h[1]! * v + h[2]!, h[4]! * v + h[5]!, h[7]! * v + 1];
  const [stepX, stepY, stepW] = [h[0]! / inner, h[3]! / inner, h[6]! / inner];
  for (let column = 0; column < row.length; column++) {
    const along = column - margin;
    const scale = 1 / (w + stepW * along);
    row[column] = sample(picture, (x + stepX * along) * scale, (y + stepY * along) * scale) + 0.5;
  }
}
