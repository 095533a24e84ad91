// Grey pictures in memory: decoding, resizing and sampling.
import sharp from 'sharp';

/** One byte per pixel, 0 black, row by row. */
export type Raster = { width: number; height: number; data: Uint8Array };

export const MAX_PIXELS = 40_000_000;

/** Decodes a JPEG or PNG as an upright grey picture on white, at most `longEdge` pixels long. Throws when it is not complete. */
export async function decodeGrey(file: Uint8Array, longEdge: number): Promise<Raster> {
  const { data, info } = await sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', animated: false })
    .autoOrient()
    .flatten({ background: 'white' })
    .greyscale()
    .resize({ width: longEdge, height: longEdge, fit: 'inside', withoutEnlargement: true, kernel: 'cubic' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** Returns the picture with its long edge at `longEdge` pixels, enlarged when it is smaller. */
export async function resized(raster: Raster, longEdge: number): Promise<Raster> {
  if (Math.max(raster.width, raster.height) === longEdge) return raster;
  const { data, info } = await sharp(raster.data, { raw: { width: raster.width, height: raster.height, channels: 1 } })
    .resize({ width: longEdge, height: longEdge, fit: 'inside', kernel: 'cubic' })
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

/** Three bytes per pixel: red, green, blue. */
export type ColourRaster = Raster;

/** Decodes a picture that `decodeGrey` decoded before, small and in colour. */
export async function decodeColour(file: Uint8Array, longEdge: number): Promise<ColourRaster> {
  const { data, info } = await sharp(file, { limitInputPixels: MAX_PIXELS, animated: false })
    .autoOrient()
    .flatten({ background: 'white' })
    .resize({ width: longEdge, height: longEdge, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}
