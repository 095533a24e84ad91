// Training cells: lines of random characters in OCR-B, drawn, spoiled as cameras and printers do, and cut as the reader cuts them.
import sharp from 'sharp';
import { between, gaussian } from '../specimens/numbers.ts';
import { SHARP } from '../specimens/ocr-b-sharp.ts';
import type { Random } from '../specimens/random.ts';
import { ALPHABET } from '../src/alphabet.ts';
import { CELL_SIZE, cutCell } from '../src/cell.ts';
import { REGULAR } from '../src/ocr-b.ts';
import type { Raster } from '../src/raster.ts';

/** `inputs` holds one cell of CELL_SIZE after another, `labels` the index of its character in ALPHABET. */
export type Cells = { inputs: Float32Array; labels: Uint8Array };

const LETTERS = 40;
const PITCH_PX = 40;
const MARGIN_PX = 60;
const HEIGHT_PX = 180;
const BASELINE_PX = 104;
const CAPITAL = 0.701;
const EM_PX = PITCH_PX / 0.723;
/** Characters that are taken for each other get more room in the training text. */
const LOOK_ALIKES = 'O0QDI1LB8S5G6Z2UVMNWHKXKT7<<<<';

export async function makeCells(random: Random, lines: number): Promise<Cells> {
  const inputs = new Float32Array(lines * LETTERS * CELL_SIZE);
  const labels = new Uint8Array(lines * LETTERS);
  for (let line = 0; line < lines; line++) {
    const text = randomText(random);
    const pitchPx = Math.exp(between(random, Math.log(7), Math.log(36)));
    const strip = await spoil(random, drawLine(random, text), pitchPx / PITCH_PX);
    for (let at = 0; at < LETTERS; at++) {
      const index = line * LETTERS + at;
      labels[index] = ALPHABET.indexOf(text[at]!);
      cutCell(strip, shiftedCell(random, at, pitchPx), inputs, index * CELL_SIZE);
    }
  }
  return { inputs, labels };
}

function randomText(random: Random): string {
  return Array.from({ length: LETTERS }, () => random.pick([...(random.chance(0.3) ? LOOK_ALIKES : ALPHABET)])).join('');
}

function drawLine(random: Random, text: string): string {
  const ground = random.int(130, 255);
  const ink = random.int(0, Math.min(120, ground - 60));
  const grey = (value: number) => `rgb(${value},${value},${value})`;
  const width = LETTERS * PITCH_PX + 2 * MARGIN_PX;
  const waves = random.chance(0.5) ? strayLines(random, width, Math.max(ink, ground - random.int(10, 70))) : '';
  const look = printing(random, grey(ink), grey(ground));
  const spacing = between(random, 1.6, 2.7) * PITCH_PX;
  const neighbours = [-1, 1].map((side) => (random.chance(0.5) ? letters(randomText(random), look, side * spacing) : ''));
  const specks = random.chance(0.2) ? strayDots(random, width, grey(ground)) : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT_PX}"><rect width="100%" height="100%" fill="${grey(ground)}"/>
    ${waves}${letters(text, look, 0)}${neighbours.join('')}${specks}</svg>`;
}

type Look = { cut: typeof REGULAR; paint: string; stretchX: number; stretchY: number; slant: number; jitter: () => number };

/** One way of printing: cut, weight, proportions, slant, and how far characters stray from their place. */
function printing(random: Random, ink: string, ground: string): Look {
  // The stroke widens the character with ink, or narrows it with the ground.
  const thinner = random.chance(0.25);
  const extra = thinner ? between(random, 0, 34) : between(random, 0, 75);
  const stray = random.chance(0.3) ? between(random, 0, 2) : 0;
  return {
    cut: random.chance(0.5) ? REGULAR : SHARP,
    paint: `fill="${ink}" stroke="${thinner ? ground : ink}" stroke-width="${extra}" fill-opacity="${between(random, 0.75, 1)}"`,
    stretchX: between(random, 0.88, 1.1),
    stretchY: between(random, 0.88, 1.1),
    slant: random.chance(0.3) ? between(random, -9, 9) : 0,
    jitter: () => stray * gaussian(random),
  };
}

function letters(text: string, look: Look, offsetPx: number): string {
  const scale = EM_PX / 1000;
  const paths = [...text].map((letter, at) => {
    const x = MARGIN_PX + (at + 0.5) * PITCH_PX + look.jitter();
    const y = BASELINE_PX + offsetPx + look.jitter();
    const matrix = `translate(${x} ${y}) skewX(${look.slant}) scale(${scale * look.stretchX} ${-scale * look.stretchY}) translate(-361 0)`;
    return `<path transform="${matrix}" d="${look.cut[letter]}"/>`;
  });
  return `<g ${look.paint}>${paths.join('')}</g>`;
}

function strayLines(random: Random, width: number, value: number): string {
  const rise = random.int(-60, 60);
  return Array.from({ length: random.int(2, 14) }, () => {
    const y = random.int(0, HEIGHT_PX);
    const path = `M0 ${y}Q${width / 4} ${y + rise} ${width / 2} ${y}T${width} ${y + random.int(-20, 20)}`;
    return `<path d="${path}" fill="none" stroke="rgb(${value},${value},${value})" stroke-width="${between(random, 0.5, 4)}"/>`;
  }).join('');
}

function strayDots(random: Random, width: number, fill: string): string {
  return Array.from({ length: random.int(20, 160) }, () => {
    return `<circle cx="${random.int(0, width)}" cy="${random.int(55, 115)}" r="${between(random, 0.5, 2.6)}" fill="${fill}"/>`;
  }).join('');
}

async function spoil(random: Random, svg: string, scale: number): Promise<Raster> {
  const width = Math.round((LETTERS * PITCH_PX + 2 * MARGIN_PX) * scale);
  const kernel = random.pick(['cubic', 'lanczos3', 'nearest', 'mitchell'] as const);
  const small = await sharp(Buffer.from(svg))
    .resize({ width, kernel: scale < 0.5 && kernel === 'nearest' ? 'cubic' : kernel })
    .png()
    .toBuffer();
  const blur = random.chance(0.6) ? between(random, 0.3, 0.3 + scale * 4) : 0;
  const soft = blur > 0.3 ? await sharp(small).blur(blur).png().toBuffer() : small;
  const { data, info } = await sharp(soft).greyscale().raw().toBuffer({ resolveWithObject: true });
  const noise = random.chance(0.6) ? between(random, 0, 14) : 0;
  const light = between(random, -60, 60) / info.width;
  for (let at = 0; at < data.length; at++) {
    data[at] = Math.max(0, Math.min(255, data[at]! + noise * gaussian(random) + light * ((at % info.width) - info.width / 2)));
  }
  const raw = { width: info.width, height: info.height, channels: 1 } as const;
  const jpeg = await sharp(data, { raw })
    .jpeg({ quality: random.int(30, 95) })
    .toBuffer();
  const decoded = await sharp(jpeg).greyscale().raw().toBuffer({ resolveWithObject: true });
  return { width: decoded.info.width, height: decoded.info.height, data: decoded.data };
}

/** The place of a character with the error that the reader's grid may have. */
function shiftedCell(random: Random, at: number, pitchPx: number) {
  const turn = between(random, -0.07, 0.07);
  const shear = between(random, -0.06, 0.06);
  const across = pitchPx * between(random, 0.93, 1.07);
  const down = pitchPx * between(random, 0.92, 1.08);
  const scale = pitchPx / PITCH_PX;
  return {
    x: (MARGIN_PX + (at + 0.5) * PITCH_PX) * scale + pitchPx * between(random, -0.13, 0.13) - 0.5,
    y: (BASELINE_PX - (CAPITAL / 2) * EM_PX) * scale + pitchPx * between(random, -0.13, 0.13) - 0.5,
    alongX: across * Math.cos(turn),
    alongY: across * Math.sin(turn),
    downX: down * (shear - Math.sin(turn)),
    downY: down * Math.cos(turn),
  };
}
