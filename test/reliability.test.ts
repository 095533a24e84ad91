// The figures in RELIABILITY.md equal those of the last long runs in reliability/; `npm run reliability` updates them.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './support/paths.ts';

type Figures = { command: string; at: string; seconds: number };

const FOLDER = join(ROOT, 'reliability');
const FILE = join(ROOT, 'RELIABILITY.md');
const KINDS_MAX = 6;
const [BEGIN, END] = ['<!-- figures -->\n', '<!-- end of figures -->'];

test('RELIABILITY.md shows the figures of the last runs', () => {
  const text = readFileSync(FILE, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  assert.ok(begin >= BEGIN.length && end >= begin);
  const written = `${text.slice(0, begin)}${table()}${text.slice(end)}`;
  if (process.env.RELIABILITY_WRITE) writeFileSync(FILE, written);
  assert.equal(readFileSync(FILE, 'utf8'), written, 'run `npm run reliability` and commit the result');
});

function table(): string {
  const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')) : [];
  const rows = files.sort().map((name) => {
    const { command, at, seconds, ...figures } = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Figures;
    return `| \`${command}\` | ${at.slice(0, 10)} | ${seconds} s | ${describe(figures).join(', ')} |\n`;
  });
  return rows.length === 0 ? '' : `\n| Run | When | Time | Figures |\n| --- | --- | --- | --- |\n${rows.join('')}\n`;
}

/** Figures with their names. Objects with many members are shown by their number; the command contains the seed. */
function describe(figures: object): string[] {
  return Object.entries(figures).flatMap(([name, value]) => {
    const named = name.replaceAll('-', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    if (name === 'seed') return [];
    if (value === null || typeof value !== 'object') return [`${named} ${shown(value)}`];
    const members = describe(value);
    return members.length > KINDS_MAX ? [`${members.length} ${named}`] : [`${named} (${members.join(', ')})`];
  });
}

function shown(value: unknown): string {
  return typeof value === 'number' && value >= 10_000 ? value.toLocaleString('en') : String(value);
}
