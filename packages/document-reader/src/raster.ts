// Pictures in memory: decoding, resizing and sampling.
import sharp, { type ResizeOptions } from 'sharp';

/** One byte per pixel, 0 black, row by row. */
export type Raster = { width: number; height: number; data: Uint8Array };

export const MAX_PIXELS = 40_000_000;

/** Three bytes per pixel: red, green, blue. */
export type ColourRaster = Raster;
export type Picture = { grey: Raster; colour: ColourRaster };

/** Decodes a JPEG or PNG upright and on white, at most `longEdge` pixels long. Throws when it is not complete. */
export async function decode(file: Uint8Array, longEdge: number): Promise<Picture> {
  const { data, info } = await sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', animated: false })
    .autoOrient()
    .flatten({ background: 'white' })
    .resize({ width: longEdge, height: longEdge, fit: 'inside', withoutEnlargement: true, kernel: 'cubic' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const colour = { width: info.width, height: info.height, data };
  return { grey: greyOf(colour), colour };
}

const LIGHT_MOST = 2 ** 14 - 1;
/** The light of each value of sRGB, as red, green and blue add to grey (Rec. 709), and the value of each light. */
const [RED, GREEN, BLUE] = [0.2126, 0.7152, 0.0722].map((share) =>
  Int32Array.from({ length: 256 }, (_, value) => Math.round(share * LIGHT_MOST * toLight(value / 255))),
) as [Int32Array, Int32Array, Int32Array];
const VALUES = Uint8Array.from({ length: LIGHT_MOST + 2 }, (_, light) => Math.round(255 * toValue(light / LIGHT_MOST)));

/** IEC 61966-2-1. */
function toLight(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function toValue(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}

/** libvips takes several times as long for it. */
function greyOf({ width, height, data: colours }: ColourRaster): Raster {
  const data = new Uint8Array(width * height);
  for (let at = 0, from = 0; at < data.length; at++, from += 3)
    data[at] = VALUES[RED[colours[from]!]! + GREEN[colours[from + 1]!]! + BLUE[colours[from + 2]!]!]!;
  return { width, height, data };
}

/** Returns the picture with its long edge at `longEdge` pixels, enlarged when it is smaller. */
export async function resized(raster: Raster, longEdge: number): Promise<Raster> {
  if (Math.max(raster.width, raster.height) === longEdge) return raster;
  return changed(raster, { width: longEdge, height: longEdge, fit: 'inside' });
}

/** Returns the picture with another width and height. */
export async function stretched(raster: Raster, size: { width: number; height: number }): Promise<Raster> {
  return changed(raster, { ...size, fit: 'fill' });
}

async function changed({ width, height, data: pixels }: Raster, size: ResizeOptions): Promise<Raster> {
  const { data, info } = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .resize({ ...size, kernel: 'cubic' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** Returns the grey value between pixels by bilinear interpolation; outside the picture, that of the nearest pixel. */
export function sample({ width, height, data }: Raster, x: number, y: number): number {
  const cx = x < 0 ? 0 : x > width - 1.001 ? width - 1.001 : x;
  const cy = y < 0 ? 0 : y > height - 1.001 ? height - 1.001 : y;
  const left = cx | 0;
  const top = cy | 0;
  const fx = cx - left;
  const fy = cy - top;
  const at = top * width + left;
  const upper = data[at]! + (data[at + 1]! - data[at]!) * fx;
  const lower = data[at + width]! + (data[at + width + 1]! - data[at + width]!) * fx;
  return upper + (lower - upper) * fy;
}

/** A square with a side of `factor` pixels, in row `y` and column `x` of such squares. */
type Square = { x: number; y: number; factor: number };

/** Writes mean red, green and blue of a square into `out` at `at`. Of a large one, every second pixel of every second row is enough. */
export function meanColour({ width, data }: ColourRaster, { x, y, factor }: Square, out: Float32Array, at: number): void {
  const step = factor < 4 ? 1 : 2;
  const pixels = Math.ceil(factor / step) ** 2;
  let red = 0;
  let green = 0;
  let blue = 0;
  const corner = (y * width + x) * factor * 3;
  for (let row = corner; row < corner + factor * width * 3; row += step * width * 3) {
    for (let from = row; from < row + factor * 3; from += step * 3) {
      red += data[from]!;
      green += data[from + 1]!;
      blue += data[from + 2]!;
    }
  }
  out[at] = Math.round(red / pixels);
  out[at + 1] = Math.round(green / pixels);
  out[at + 2] = Math.round(blue / pixels);
}
