// The camera of the second drawer: a clear scan or a phone, with its own perspective, light and noise.
import sharp from 'sharp';
import { between, gaussian } from '../numbers.ts';
import type { Random } from '../random.ts';
import type { Drawing } from './drawings.ts';

export type Shot = 'clear' | 'phone';
type Point = readonly [x: number, y: number];

/** Returns a JPEG. A flat drawing, such as a screen, is taken as it is. */
export async function shoot(random: Random, drawing: Drawing, shot: Shot): Promise<Buffer> {
  const pxPerMm = shot === 'clear' ? between(random, 10, 15) : between(random, 7.5, 13);
  const limited = Math.min(pxPerMm, 2400 / drawing.mm[0]);
  const [width, height] = drawing.mm.map((mm) => Math.round(mm * limited)) as [number, number];
  const svg = drawing.svg.replace('WIDTH HEIGHT', `width="${width}" height="${height}"`);
  const page = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  const quality = shot === 'clear' ? random.int(86, 96) : random.int(62, 90);
  if (drawing.isFlat)
    return sharp(page, { raw: { width, height, channels: 3 } })
      .jpeg({ quality })
      .toBuffer();
  const margin = Math.round(width * between(random, 0.03, shot === 'clear' ? 0.12 : 0.25));
  const bend = shot === 'clear' ? 0.002 : 0.03;
  const corner = (x: number, y: number): Point => [
    margin + x + between(random, -bend, bend) * width,
    margin + y + between(random, -bend, bend) * width,
  ];
  const quad = [corner(0, 0), corner(width, 0), corner(width, height), corner(0, height)] as const;
  const size = { width: width + 2 * margin, height: height + 2 * margin };
  const data = lay(random, { page, width, height }, { quad, size, shot });
  const angle =
    shot === 'clear' ? between(random, -1, 1) : between(random, -8, 8) + (random.chance(0.3) ? 90 * random.int(1, 3) : 0);
  const rgb = () => random.int(30, 225);
  let image = sharp(data, { raw: { ...size, channels: 3 } }).rotate(angle, { background: { r: rgb(), g: rgb(), b: rgb() } });
  if (shot === 'phone' && random.chance(0.6))
    image = sharp(await image.png({ compressionLevel: 1 }).toBuffer()).blur(between(random, 0.35, 0.9));
  return image.jpeg({ quality }).toBuffer();
}

type Laid = { quad: readonly [Point, Point, Point, Point]; size: { width: number; height: number }; shot: Shot };

/** Lays the page on a table: for each pixel, the place of the page by the inverse of the projection of the unit square. */
function lay(
  random: Random,
  { page, width, height }: { page: Buffer; width: number; height: number },
  { quad, size, shot }: Laid,
): Buffer {
  const inverse = inverseOf(quad);
  const data = Buffer.alloc(size.width * size.height * 3);
  const ground = table(random);
  const [slopeX, slopeY, gain] =
    shot === 'clear' ? [0, 0, 1] : [between(random, -0.35, 0.35), between(random, -0.35, 0.35), between(random, 0.7, 1.1)];
  const deviation = shot === 'clear' ? between(random, 0, 1.5) : between(random, 1, 7);
  const noise = Float32Array.from({ length: 8191 }, () => gaussian(random) * deviation);
  for (let y = 0, at = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++, at += 3) {
      const [u, v] = inverse(x, y);
      const isPage = u >= 0 && v >= 0 && u < 1 && v < 1;
      const light = gain * (1 + slopeX * (x / size.width - 0.5) + slopeY * (y / size.height - 0.5));
      for (let channel = 0; channel < 3; channel++) {
        const value = isPage ? pixel(page, { width, height }, u * (width - 1), v * (height - 1), channel) : ground(x, y, channel);
        data[at + channel] = Math.max(0, Math.min(255, value * light + noise[(at * 7 + channel * 13 + y * 31) % 8191]!));
      }
    }
  }
  return data;
}

function pixel(
  page: Buffer,
  { width, height }: { width: number; height: number },
  x: number,
  y: number,
  channel: number,
): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, bottom] = [Math.min(left + 1, width - 1), Math.min(top + 1, height - 1)];
  const at = (column: number, row: number) => page[(row * width + column) * 3 + channel]!;
  const upper = at(left, top) * (1 - x + left) + at(right, top) * (x - left);
  const lower = at(left, bottom) * (1 - x + left) + at(right, bottom) * (x - left);
  return upper * (1 - y + top) + lower * (y - top);
}

/** From pixels to the unit square: the adjoint of the square's projective map (Heckbert 1989, section 2.2.3). */
function inverseOf([p0, p1, p2, p3]: readonly [Point, Point, Point, Point]): (x: number, y: number) => Point {
  const [dx1, dx2, dx3] = [p1[0] - p2[0], p3[0] - p2[0], p0[0] - p1[0] + p2[0] - p3[0]];
  const [dy1, dy2, dy3] = [p1[1] - p2[1], p3[1] - p2[1], p0[1] - p1[1] + p2[1] - p3[1]];
  const det = dx1 * dy2 - dx2 * dy1;
  const [g, h] = [(dx3 * dy2 - dx2 * dy3) / det, (dx1 * dy3 - dx3 * dy1) / det];
  const [a, b, c] = [p1[0] - p0[0] + g * p1[0], p3[0] - p0[0] + h * p3[0], p0[0]];
  const [d, e, f] = [p1[1] - p0[1] + g * p1[1], p3[1] - p0[1] + h * p3[1], p0[1]];
  const adjoint = [
    e - f * h,
    c * h - b,
    b * f - c * e,
    f * g - d,
    a - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ] as const;
  return (x, y) => {
    const w = adjoint[6] * x + adjoint[7] * y + adjoint[8];
    return [(adjoint[0] * x + adjoint[1] * y + adjoint[2]) / w, (adjoint[3] * x + adjoint[4] * y + adjoint[5]) / w];
  };
}

/** Wood, cloth or a plain desk. */
function table(random: Random): (x: number, y: number, channel: number) => number {
  const base = [random.int(20, 220), random.int(20, 220), random.int(20, 220)];
  const [period, depth] = [between(random, 15, 60), between(random, 4, 26)];
  const kind = random.int(0, 2);
  if (kind === 0) return (_x, _y, channel) => base[channel]!;
  if (kind === 1) return (x, y, channel) => base[channel]! + depth * Math.sin((y + 9 * Math.sin(x / 170)) / (period / 6));
  return (x, y, channel) => base[channel]! + (((x / period) & 1) === ((y / period) & 1) ? depth : -depth) * 0.6;
}
