// The camera of the second drawer: a clear photograph, a phone, or a flatbed scanner, with its own perspective, light and noise.
import sharp from 'sharp';
import { between, gaussian } from './numbers.ts';
import type { Random } from './random.ts';
import { type Drawing, render } from './second-drawer.ts';

/** `scan`: on the white lid of a scanner, or cut to the page. `screen`: what a screen shows, as it is. */
export type Shot = 'clear' | 'phone' | 'scan' | 'screen';
type Point = readonly [x: number, y: number];
type Quad = readonly [Point, Point, Point, Point];
type Size = { width: number; height: number };

type Setting = {
  pxPerMm: number;
  turn: number;
  bend: number;
  margin: number;
  gain: number;
  slope: number;
  noise: number;
  blur: number;
};

const SETTINGS: Record<Exclude<Shot, 'screen'>, (random: Random) => Setting> = {
  clear: (random) => ({
    ...{ pxPerMm: between(random, 9, 13), turn: between(random, -1, 1), bend: 0.002, margin: between(random, 0.03, 0.12) },
    ...{ gain: 1, slope: 0, noise: between(random, 0, 1.5), blur: 0 },
  }),
  phone: (random) => ({
    ...{ pxPerMm: between(random, 7.5, 12), turn: between(random, -8, 8) + (random.chance(0.3) ? 90 * random.int(1, 3) : 0) },
    ...{ bend: 0.03, margin: between(random, 0.03, 0.25), gain: between(random, 0.7, 1.1), slope: 0.35 },
    ...{ noise: between(random, 1, 7), blur: random.chance(0.6) ? between(random, 0.35, 0.9) : 0 },
  }),
  scan: (random) => ({
    ...{ pxPerMm: random.pick([200, 240, 300]) / 25.4, turn: between(random, -1.5, 1.5), bend: 0 },
    ...{ margin: random.chance(0.3) ? 0 : between(random, 0.03, 0.3), gain: 1, slope: 0, noise: between(random, 0, 2), blur: 0 },
  }),
};

/** Returns a JPEG. */
export async function shoot(random: Random, drawing: Drawing, shot: Shot): Promise<Buffer> {
  const quality = shot === 'phone' ? random.int(62, 90) : random.int(86, 96);
  const setting = shot === 'screen' ? undefined : SETTINGS[shot](random);
  // A smaller thing is photographed from nearer.
  const nearer = drawing.mm[0] < 90 && shot === 'phone' ? 1.25 : 1;
  const pxPerMm = Math.min((setting?.pxPerMm ?? between(random, 7, 12)) * nearer, 2400 / Math.max(...drawing.mm));
  const { data, info } = await sharp(Buffer.from(render(drawing, pxPerMm)))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const page = { width: info.width, height: info.height };
  const isCut = shot === 'screen' || setting?.margin === 0;
  if (isCut)
    return sharp(data, { raw: { ...page, channels: 3 } })
      .jpeg({ quality })
      .toBuffer();
  const { quad, size } = place(random, page, setting!);
  const ground = shot === 'scan' ? lid(random) : table(random);
  const laid = lay(random, { page: data, size: page }, { quad, size, ground, setting: setting! });
  let image = sharp(laid, { raw: { ...size, channels: 3 } });
  if (setting!.blur > 0) image = image.blur(setting!.blur);
  return image.jpeg({ quality }).toBuffer();
}

/** Where the corners of the page are in the picture. */
function place(random: Random, { width, height }: Size, { turn, bend, margin }: Setting): { quad: Quad; size: Size } {
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const shift = () => between(random, -bend, bend) * width;
  const corner = (x: number, y: number): Point => {
    const [u, v] = [x - width / 2 + shift(), y - height / 2 + shift()];
    return [u * cos - v * sin, u * sin + v * cos];
  };
  const corners = [corner(0, 0), corner(width, 0), corner(width, height), corner(0, height)];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs) - margin * width, Math.min(...ys) - margin * width];
  const size = {
    width: Math.round(Math.max(...xs) - left + margin * width),
    height: Math.round(Math.max(...ys) - top + margin * width),
  };
  return { quad: corners.map(([x, y]): Point => [x - left, y - top]) as unknown as Quad, size };
}

/** Writes the colour of a place. */
type Ground = (x: number, y: number, colour: Float64Array) => void;
type Laid = { quad: Quad; size: Size; ground: Ground; setting: Setting };

/** Lays the page down: for each pixel, the place of the page by the inverse of the projection of the unit square. */
function lay(random: Random, { page, size: from }: { page: Buffer; size: Size }, { quad, size, ground, setting }: Laid): Buffer {
  const inverse = inverseOf(quad);
  const data = Buffer.alloc(size.width * size.height * 3);
  const [slopeX, slopeY] = [between(random, -setting.slope, setting.slope), between(random, -setting.slope, setting.slope)];
  const noise = Float32Array.from({ length: 8191 }, () => gaussian(random) * setting.noise);
  const colour = new Float64Array(3);
  for (let y = 0, at = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++, at += 3) {
      const [u, v] = inverse(x, y);
      if (u >= 0 && v >= 0 && u < 1 && v < 1) pixel(page, from, { x: u * (from.width - 1), y: v * (from.height - 1) }, colour);
      else ground(x, y, colour);
      const light = setting.gain * (1 + slopeX * (x / size.width - 0.5) + slopeY * (y / size.height - 0.5));
      for (let channel = 0; channel < 3; channel++) {
        const value = colour[channel]! * light + noise[(at * 7 + channel * 13 + y * 31) % 8191]!;
        data[at + channel] = value < 0 ? 0 : value > 255 ? 255 : value;
      }
    }
  }
  return data;
}

function pixel(page: Buffer, { width, height }: Size, { x, y }: { x: number; y: number }, colour: Float64Array): void {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, bottom] = [Math.min(left + 1, width - 1), Math.min(top + 1, height - 1)];
  const [a, b, c, d] = [top * width + left, top * width + right, bottom * width + left, bottom * width + right];
  for (let channel = 0; channel < 3; channel++) {
    const upper = page[a * 3 + channel]! * (1 - x + left) + page[b * 3 + channel]! * (x - left);
    const lower = page[c * 3 + channel]! * (1 - x + left) + page[d * 3 + channel]! * (x - left);
    colour[channel] = upper * (1 - y + top) + lower * (y - top);
  }
}

/** From pixels to the unit square: the adjoint of the square's projective map (Heckbert 1989, section 2.2.3). */
function inverseOf([p0, p1, p2, p3]: Quad): (x: number, y: number) => Point {
  const [dx1, dx2, dx3] = [p1[0] - p2[0], p3[0] - p2[0], p0[0] - p1[0] + p2[0] - p3[0]];
  const [dy1, dy2, dy3] = [p1[1] - p2[1], p3[1] - p2[1], p0[1] - p1[1] + p2[1] - p3[1]];
  const det = dx1 * dy2 - dx2 * dy1;
  const [g, h] = [(dx3 * dy2 - dx2 * dy3) / det, (dx1 * dy3 - dx3 * dy1) / det];
  const [a, b, c] = [p1[0] - p0[0] + g * p1[0], p3[0] - p0[0] + h * p3[0], p0[0]];
  const [d, e, f] = [p1[1] - p0[1] + g * p1[1], p3[1] - p0[1] + h * p3[1], p0[1]];
  const [i, j, k] = [e - f * h, c * h - b, b * f - c * e];
  const [l, m, n] = [f * g - d, a - c * g, c * d - a * f];
  const [o, p, q] = [d * h - e * g, b * g - a * h, a * e - b * d];
  return (x, y) => {
    const w = o * x + p * y + q;
    return [(i * x + j * y + k) / w, (l * x + m * y + n) / w];
  };
}

/** Wood, cloth or a plain desk. */
function table(random: Random): Ground {
  const base = [random.int(20, 220), random.int(20, 220), random.int(20, 220)];
  const [period, depth] = [between(random, 15, 60), between(random, 4, 26)];
  const lighter = random.pick([
    () => 0,
    (x: number, y: number) => depth * Math.sin((y + 9 * Math.sin(x / 170)) / (period / 6)),
    (x: number, y: number) => (((x / period) & 1) === ((y / period) & 1) ? depth : -depth) * 0.6,
  ]);
  return (x, y, colour) => {
    const more = lighter(x, y);
    for (let channel = 0; channel < 3; channel++) colour[channel] = base[channel]! + more;
  };
}

function lid(random: Random): Ground {
  const white = random.int(236, 254);
  return (_x, _y, colour) => colour.fill(white);
}
