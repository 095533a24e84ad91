// Pictures: valid ones made with sharp, and PNGs that are expensive to decode.
import { createRequire } from 'node:module';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** Returns a picture with random noise, so that no two have the same content. */
export async function picture(format: 'jpeg' | 'png' = 'jpeg', width = 320, height = 200): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 };
  const image = sharp({ create: { width, height, channels: 3, background: 'white', noise } });
  return format === 'jpeg' ? image.jpeg().toBuffer() : image.png().toBuffer();
}

/** Returns a JPEG 2000 codestream with noise. `claimedWidth`: what its header says instead. */
export async function jpeg2000(width: number, height: number, { claimedWidth }: { claimedWidth?: number } = {}): Promise<Buffer> {
  const load = createRequire(import.meta.url)('@cornerstonejs/codec-openjpeg/wasmjs') as (quiet: object) => Promise<OpenJpeg>;
  const { J2KEncoder } = await load({ print() {}, printErr() {} });
  const encoder = new J2KEncoder();
  const frame = { bitsPerSample: 8, componentCount: 3, width, height, isSigned: false, isUsingColorTransform: true };
  const pixels = await sharp(await picture('png', width, height))
    .removeAlpha()
    .raw()
    .toBuffer();
  encoder.getDecodedBuffer(frame).set(pixels);
  encoder.encode();
  const codestream = Buffer.from(encoder.getEncodedBuffer());
  if (claimedWidth) codestream.writeUInt32BE(claimedWidth, 8);
  return codestream;
}

type OpenJpeg = {
  J2KEncoder: new () => { getDecodedBuffer(frame: object): Uint8Array; encode(): void; getEncodedBuffer(): Uint8Array };
};

/** Returns a PNG of one colour; with a large size it is a decompression bomb. */
export function blankPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const row = Math.ceil(width / 8) + 1;
  return Buffer.concat([PNG, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(row * height))), chunk('IEND')]);
}

/** Returns the slowest PNG to decode of its size: 16 bits per channel, four channels, seven passes (Adam7). */
export function slowPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([16, 6, 0, 0, 1], 8);
  const passes = [
    [0, 8, 0, 8],
    [4, 8, 0, 8],
    [0, 4, 4, 8],
    [2, 4, 0, 4],
    [0, 2, 2, 4],
    [1, 2, 0, 2],
    [0, 1, 1, 2],
  ] as const;
  const sizes = passes.map(([left, right, top, down]) => {
    const [columns, rows] = [Math.ceil((width - left) / right), Math.ceil((height - top) / down)];
    return columns === 0 ? 0 : rows * (1 + columns * 8);
  });
  const data = deflateSync(Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0)));
  return Buffer.concat([PNG, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND')]);
}

/** Returns the PNG with an animation control chunk, which makes it an APNG. */
export function animated(png: Buffer): Buffer {
  const control = Buffer.alloc(8);
  control.writeUInt32BE(2);
  const afterHeader = 8 + 25;
  return Buffer.concat([png.subarray(0, afterHeader), chunk('acTL', control), png.subarray(afterHeader)]);
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}
