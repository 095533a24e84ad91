// Photographs a page: perspective, turn, ground, light, glare, blur, noise and JPEG, by quality tier.
import sharp from 'sharp';
import { fitHomography, project } from '../src/homography.ts';
import { between, gaussian } from './numbers.ts';
import type { Page } from './pages.ts';
import { openRandom, type Random } from './random.ts';

/** A clean scan, B good photograph, C poor photograph, D spoiled on purpose. */
export type Tier = 'A' | 'B' | 'C' | 'D';

type Shot = {
  /** Of the page in the picture. */
  widthPx: number;
  turnDegrees: number;
  perspective: number;
  marginShare: number;
  light: number;
  brightness: number;
  blurPx: number;
  motionPx: number;
  noise: number;
  quality: number;
  glare: number;
  cropShare: number;
};

type Picture = { width: number; height: number; data: Buffer };

/** Returns a JPEG of the page. */
export async function photograph(random: Random, page: Page, tier: Tier): Promise<Buffer> {
  const shot = chooseShot(random, page, tier);
  // A camera takes the mean over a pixel: the page is not much larger than in the picture when it is sampled.
  const width = Math.round(Math.min(page.width, shot.widthPx * 1.4));
  const drawn = await sharp(Buffer.from(page.svg)).removeAlpha().resize({ width }).raw().toBuffer({ resolveWithObject: true });
  const picture = layDown(random, { data: drawn.data, width: drawn.info.width, height: drawn.info.height }, shot);
  const raw = { width: picture.width, height: picture.height, channels: 3 } as const;
  let image = sharp(picture.data, { raw });
  if (shot.blurPx > 0.3) image = image.blur(shot.blurPx);
  if (shot.motionPx > 1) image = image.convolve(motion(shot.motionPx, random.chance(0.5)));
  const soft = await image.raw().toBuffer();
  addNoise(random, soft, { deviation: shot.noise, width: picture.width });
  const keep = 1 - shot.cropShare;
  const region = { left: 0, top: 0, width: Math.round(raw.width * keep), height: Math.round(raw.height * keep) };
  return sharp(soft, { raw }).extract(region).jpeg({ quality: shot.quality }).toBuffer();
}

function chooseShot(random: Random, page: Page, tier: Tier): Shot {
  const { isCard } = page;
  const clean: Shot = {
    widthPx: isCard ? random.int(1000, 1500) : random.int(1300, 2000),
    turnDegrees: between(random, -0.5, 0.5),
    perspective: 0,
    marginShare: between(random, 0.02, 0.15),
    light: 0,
    brightness: 1,
    blurPx: 0,
    motionPx: 0,
    noise: between(random, 0, 2),
    quality: random.int(85, 95),
    glare: 0,
    cropShare: 0,
  };
  if (tier === 'A') return clean;
  const good: Shot = {
    ...clean,
    widthPx: isCard ? random.int(800, 1300) : random.int(1100, 1900),
    turnDegrees: between(random, -5, 5) + quarterTurns(random, 0.25),
    perspective: between(random, 0, 0.015),
    marginShare: between(random, 0.04, 0.2),
    light: between(random, -0.3, 0.3),
    brightness: between(random, 0.75, 1.05),
    blurPx: between(random, 0, 0.7),
    noise: between(random, 0, 6),
    quality: random.int(70, 88),
  };
  if (tier === 'B') return good;
  const poor: Shot = {
    ...good,
    widthPx: isCard ? random.int(600, 815) : random.int(800, 1200),
    turnDegrees: between(random, -12, 12) + quarterTurns(random, 0.6),
    perspective: between(random, 0, 0.03),
    light: between(random, -0.5, 0.5),
    brightness: between(random, 0.55, 1.1),
    blurPx: between(random, 0, 1.1),
    noise: between(random, 0, 12),
    quality: random.int(40, 65),
  };
  return tier === 'C' ? poor : { ...poor, ...random.pick(SPOILS)(random) };
}

const SPOILS: ((random: Random) => Partial<Shot>)[] = [
  (random) => ({ blurPx: between(random, 3, 7) }),
  (random) => ({ motionPx: random.int(7, 15) }),
  (random) => ({ widthPx: random.int(150, 330) }),
  (random) => ({ cropShare: between(random, 0.25, 0.5) }),
  (random) => ({ glare: between(random, 0.8, 1.5) }),
];

function quarterTurns(random: Random, share: number): number {
  return random.chance(share) ? random.pick([90, 180, 270]) : 0;
}

/** Lays the page on a ground, in perspective and turned. */
function layDown(random: Random, page: Picture, shot: Shot): Picture {
  const scale = shot.widthPx / page.width;
  const [w, h] = [page.width * scale, page.height * scale];
  const angle = (shot.turnDegrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corners = [
    [0, 0],
    [page.width, 0],
    [page.width, page.height],
    [0, page.height],
  ].map(([x, y]) => {
    const jitter = () => between(random, -shot.perspective, shot.perspective) * w;
    const [dx, dy] = [(x! / page.width - 0.5) * w + jitter(), (y! / page.height - 0.5) * h + jitter()];
    return { x: x!, y: y!, toX: dx * cos - dy * sin, toY: dx * sin + dy * cos };
  });
  const margin = shot.marginShare * w;
  const [left, top] = [Math.min(...corners.map(({ toX }) => toX)) - margin, Math.min(...corners.map(({ toY }) => toY)) - margin];
  const width = Math.round(Math.max(...corners.map(({ toX }) => toX)) + margin - left);
  const height = Math.round(Math.max(...corners.map(({ toY }) => toY)) + margin - top);
  // From the picture to the page, in units of the page's width: pairs near 1 are well conditioned.
  const map = fitHomography(
    corners.map(({ x, y, toX, toY }) => ({ fromX: (toX - left) / width, fromY: (toY - top) / width, toX: x, toY: y })),
  )!;
  const data = Buffer.alloc(width * height * 3);
  const ground = chooseGround(random);
  const glare = { x: between(random, 0.25, 0.75) * width, y: between(random, 0.3, 0.9) * height, reach: 0.16 * width };
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 3) {
      const { x: px, y: py } = project(map, (x + 0.5) / width, (y + 0.5) / width);
      const shine =
        shot.glare > 0 ? shot.glare * 255 * Math.exp(-((x - glare.x) ** 2 + (y - glare.y) ** 2) / (2 * glare.reach ** 2)) : 0;
      const light = shot.brightness * (1 + shot.light * (x / width - 0.5));
      const inside = px >= 0 && py >= 0 && px < page.width - 1 && py < page.height - 1;
      // What the channels share is computed once: a picture has millions of pixels.
      const [column, row] = [Math.floor(px), Math.floor(py)];
      const from = (row * page.width + column) * 3;
      const pattern = inside ? 0 : ground.pattern(x, y);
      for (let channel = 0; channel < 3; channel++) {
        const value = inside ? interpolate(page, from + channel, px - column, py - row) : ground.colour[channel]! + pattern;
        data[at + channel] = Math.max(0, Math.min(255, value * light + shine));
      }
    }
  }
  return { width, height, data };
}

/** Between four neighbours, of which `at` is the first; the shares are of the next column and row. */
function interpolate({ width, data }: Picture, at: number, column: number, row: number): number {
  const below = at + width * 3;
  const upper = data[at]! + (data[at + 3]! - data[at]!) * column;
  const lower = data[below]! + (data[below + 3]! - data[below]!) * column;
  return upper + (lower - upper) * row;
}

/** A table, a cloth, tiles or a plain sheet: its colour, and how much brighter it is in a place. */
function chooseGround(random: Random): { colour: number[]; pattern(x: number, y: number): number } {
  const base = [random.int(20, 240), random.int(20, 240), random.int(20, 240)];
  const period = random.int(9, 90);
  const depth = between(random, 5, 40);
  const angle = between(random, 0, Math.PI);
  const [dx, dy] = [Math.cos(angle) / period, Math.sin(angle) / period];
  const patterns = [
    () => 0,
    (x: number, y: number) => depth * Math.sin(6.28 * (x * dx + y * dy) + 2 * Math.sin(x * dy * 3)),
    (x: number, y: number) => ((Math.floor(x * dx * 2) + Math.floor(y * dx * 2)) % 2 === 0 ? depth : -depth),
    (x: number, y: number) => depth * Math.sin(x * 0.9 + Math.sin(y * 1.7)) * Math.sin(y * 1.1),
  ];
  return { colour: base, pattern: random.pick(patterns) };
}

/** A kernel of equal parts along a row or a column. */
function motion(length: number, isAcross: boolean) {
  const size = length % 2 === 0 ? length + 1 : length;
  const kernel = Array.from({ length: size * size }, (_, at) => {
    const [row, column] = [Math.floor(at / size), at % size];
    return (isAcross ? row : column) === size >> 1 ? 1 : 0;
  });
  return { width: size, height: size, kernel, scale: size };
}

/** Drawing a value for each pixel would take longer than everything else: rows begin at random places of a table. */
const NOISE = Float32Array.from({ length: 1 << 16 }, noiseOf(openRandom(1)));

function noiseOf(random: Random): () => number {
  return () => gaussian(random);
}

export function addNoise(random: Random, data: Buffer, { deviation, width }: { deviation: number; width: number }): void {
  for (let row = 0; row < data.length; row += width * 3) {
    const start = random.int(0, NOISE.length - 1);
    for (let column = 0; column < width; column++) {
      const noise = deviation * NOISE[(start + column) & (NOISE.length - 1)]!;
      const at = row + column * 3;
      for (let channel = at; channel < at + 3; channel++) data[channel] = Math.max(0, Math.min(255, data[channel]! + noise));
    }
  }
}
