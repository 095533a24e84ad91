// Makes the picture that reviewers see from the portrait of a chip: JPEG, or JPEG 2000, which sharp cannot decode.
import { createRequire } from 'node:module';
import sharp, { type Sharp } from 'sharp';
import type { PortraitFile } from './data-groups.ts';
import { ChipDataError } from './der.ts';

/** Far above portraits of documents, which have at most a megapixel. */
const PIXELS_MAX = 12_000_000;
const CHANNELS: number[] = [1, 3, 4];
const QUALITY = 90;
const SIDE_PIXELS = 1200;
/** The size is in the first segments of a codestream (ISO/IEC 15444-1, annex A.5.1). */
const CODESTREAM = Buffer.from([0xff, 0x4f, 0xff, 0x51]);
const SIZE_BYTES = 40;

type Decoder = {
  getEncodedBuffer(length: number): Uint8Array;
  decode(): void;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number };
  getDecodedBuffer(): Uint8Array;
  delete(): void;
};
type OpenJpeg = { J2KDecoder: new () => Decoder };

let openJpeg: Promise<OpenJpeg> | undefined;

/** Returns a clean JPEG. Throws if the portrait cannot be decoded, or is larger than one. The caller allows only the loaders of sharp that it needs. */
export async function cleanPortrait({ format, bytes }: PortraitFile): Promise<Uint8Array> {
  const picture =
    format === 'jpeg' ? sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'truncated' }) : await decodeJpeg2000(bytes);
  return picture
    .autoOrient()
    .resize({ width: SIDE_PIXELS, height: SIDE_PIXELS, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .jpeg({ quality: QUALITY })
    .toBuffer();
}

async function decodeJpeg2000(bytes: Uint8Array): Promise<Sharp> {
  requireSize(Buffer.from(bytes));
  openJpeg ??= loadOpenJpeg();
  const decoder = new (await openJpeg).J2KDecoder();
  try {
    decoder.getEncodedBuffer(bytes.length).set(bytes);
    decoder.decode();
    const { width, height, bitsPerSample, componentCount } = decoder.getFrameInfo();
    const pixels = Uint8Array.from(decoder.getDecodedBuffer());
    if (bitsPerSample !== 8 || !CHANNELS.includes(componentCount) || pixels.length !== width * height * componentCount) {
      throw new ChipDataError('The portrait is not a JPEG 2000 picture of 8 bits that can be decoded.');
    }
    return sharp(pixels, { raw: { width, height, channels: componentCount as 1 | 3 | 4 } });
  } finally {
    decoder.delete();
  }
}

function requireSize(bytes: Buffer): void {
  const at = bytes.indexOf(CODESTREAM);
  const width = at < 0 || at + SIZE_BYTES > bytes.length ? 0 : bytes.readUInt32BE(at + 8);
  const height = width === 0 ? 0 : bytes.readUInt32BE(at + 12);
  if (width * height === 0 || width * height > PIXELS_MAX)
    throw new ChipDataError('The portrait has no size that portraits have.');
}

/** Decodes in WebAssembly, whose memory is its own. It prints what it does, which nobody reads. */
async function loadOpenJpeg(): Promise<OpenJpeg> {
  const load = createRequire(import.meta.url)('@cornerstonejs/codec-openjpeg/decodewasmjs') as (options: {
    print(): void;
    printErr(): void;
  }) => Promise<OpenJpeg>;
  return load({ print() {}, printErr() {} });
}
