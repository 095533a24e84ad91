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
/** The command shows these. */
const OPTIONS = ['seed', 'kills', 'rounds', 'minutes', 'steps', 'pause-seconds'];
/** Names of figures that are not words of the field. */
const LABELS: Record<string, string> = {
  acknowledged: 'acknowledged requests',
  refused: 'refused requests',
  unknown: 'requests with an unknown outcome',
  unknownDone: 'of these, took effect',
  lost: 'acknowledged but not stored',
  twice: 'stored twice',
  wrong: 'stored twice or with other values',
  almostHttp: 'malformed HTTP requests',
  hung: 'requests without an end',
  read: 'reads',
  slow: 'slow requests',
};
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
  const runs = files.sort().map((name) => {
    const { command, at, seconds, ...figures } = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Figures;
    const rows = describe(figures).map(([figure, value]) => `| ${figure} | ${value} |\n`);
    return `\n\`${command}\`, ${at.slice(0, 10)}, ${seconds} s\n\n| Figure | Value |\n| --- | ---: |\n${rows.join('')}`;
  });
  return runs.length === 0 ? '' : `${runs.join('')}\n`;
}

/** Rows of figures with their names. Objects with many members are shown by their number; the command has the options and the seed. */
function describe(figures: object, of = ''): [figure: string, value: string][] {
  return Object.entries(figures).flatMap(([name, value]): [string, string][] => {
    if (OPTIONS.includes(name) && typeof value === 'number') return [];
    const figure = [of, LABELS[name] ?? wordsOf(name)].filter(Boolean).join(': ');
    if (value === null || typeof value !== 'object') return [[figure, shown(value)]];
    const members = describe(value, figure);
    return members.length > KINDS_MAX ? [[`kinds of ${figure}`, String(Object.keys(value).length)]] : members;
  });
}

/** The words of a name, with the unit at its end. */
function wordsOf(name: string): string {
  const words = name.replaceAll('-', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/ ms$/, ', ms').replace(/ mb$/, ', MB');
}

function shown(value: unknown): string {
  return typeof value === 'number' && value >= 10_000 ? value.toLocaleString('en') : String(value);
}
