// Photographs a page on a screen: stripes of red, green and blue behind a lens, taken by pixels of another size and at another angle.
import sharp from 'sharp';
import { fitHomography, project } from '../src/homography.ts';
import { addNoise } from './camera.ts';
import { between } from './numbers.ts';
import type { Page } from './pages.ts';
import type { Random } from './random.ts';

/** Of light: what a screen emits, and a camera encodes again. */
const GAMMA = 2.2;
const LINEAR = Float64Array.from({ length: 256 }, (_, value) => (value / 255) ** GAMMA);
const ENCODED = Uint8Array.from({ length: 4096 }, (_, at) => Math.round(255 * (at / 4096) ** (1 / GAMMA)));
/** Shares of a pixel of the screen that are dark, across and down. */
const GAP = { across: 0.08, down: 0.15 };
/** A pixel of the camera is the mean of nine points, half a pixel apart: the blur of a lens. */
const POINTS = [-0.5, 0, 0.5].flatMap((right) => [-0.5, 0, 0.5].flatMap((down) => [right, down]));
const SIDES = 0.04;

/** Returns a JPEG of a page that a screen shows with 700 to 1,600 pixels, and a camera takes with 1,400 to 2,200. */
export async function photographScreen(random: Random, page: Page): Promise<Buffer> {
  const shown = await sharp(Buffer.from(page.svg))
    .removeAlpha()
    .resize({ width: random.int(700, 1600) })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pageWidth = random.int(1400, 2200);
  const [width, height] = [pageWidth, (pageWidth * page.height) / page.width].map((px) => Math.round(px * (1 + 2 * SIDES)));
  const data = look(random, shown, { width: width!, height: height! });
  addNoise(random, data, { deviation: between(random, 0, 5), width: width! });
  return sharp(data, { raw: { width: width!, height: height!, channels: 3 } })
    .resize({ width: random.int(1100, width!) })
    .jpeg({ quality: random.int(70, 92) })
    .toBuffer();
}

type Shown = { data: Buffer; info: { width: number; height: number } };

function look(random: Random, { data: screen, info }: Shown, { width, height }: { width: number; height: number }): Buffer {
  const map = placeCamera(random, info, { width, height });
  const light = between(random, 0.7, 1.1) / ((1 - 3 * GAP.across) * (1 - GAP.down));
  const around = random.int(20, 240);
  const sums = new Float32Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const first = project(map, 0, y / width);
    const last = project(map, 1, y / width);
    // The rows are nearly affine: their ends differ in depth by a few percent.
    const [stepX, stepY] = [(last.x - first.x) / width, (last.y - first.y) / width];
    for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
      for (let point = 0; point < POINTS.length; point += 2) {
        const [right, down] = [POINTS[point]!, POINTS[point + 1]!];
        const u = first.x + (x + right) * stepX - down * stepY;
        const v = first.y + (x + right) * stepY + down * stepX;
        const column = Math.floor(u);
        const row = Math.floor(v);
        const channel = Math.floor((u - column) * 3);
        if (v - row < GAP.down || (u - column) * 3 - channel < GAP.across * 3) continue;
        const isPage = column >= 0 && row >= 0 && column < info.width && row < info.height;
        sums[at + channel]! += LINEAR[isPage ? screen[(row * info.width + column) * 3 + channel]! : around]!;
      }
    }
  }
  // A third of the nine points is on each stripe.
  return Buffer.from(
    Uint8Array.from(sums, (sum) => ENCODED[Math.min(ENCODED.length - 1, Math.round(((light * sum) / 3) * ENCODED.length))]!)
      .buffer,
  );
}

/** The map from the picture, in units of its width, to pixels of the screen. */
function placeCamera(random: Random, screen: { width: number; height: number }, picture: { width: number; height: number }) {
  const angle = (between(random, -4, 4) * Math.PI) / 180;
  const scale = picture.width / (1 + 2 * SIDES) / screen.width;
  const corners = [
    [0, 0],
    [screen.width, 0],
    [screen.width, screen.height],
    [0, screen.height],
  ].map(([x, y]) => {
    const [dx, dy] = [(x! - screen.width / 2) * scale, (y! - screen.height / 2) * scale];
    const jitter = () => between(random, -0.012, 0.012) * picture.width;
    const toX = dx * Math.cos(angle) - dy * Math.sin(angle) + picture.width / 2 + jitter();
    const toY = dx * Math.sin(angle) + dy * Math.cos(angle) + picture.height / 2 + jitter();
    return { fromX: toX / picture.width, fromY: toY / picture.width, toX: x!, toY: y! };
  });
  return fitHomography(corners)!;
}
