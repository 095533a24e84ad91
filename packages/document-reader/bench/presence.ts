// `npm run bench -- presence [--seed N --pictures N]`: how many whole documents, and how many forged pages, look like a document.
import { parseArgs } from 'node:util';
import { pdf417 } from '../specimens/barcode.ts';
import { inventHolder } from '../specimens/holder.ts';
import { licenceText } from '../specimens/licence-text.ts';
import { openRandom, type Random } from '../specimens/random.ts';
import { cardBack, type Drawing, FORGERIES, forge, licenceBack, passport, wideCard } from '../specimens/second/drawings.ts';
import { type Shot, shoot } from '../specimens/second/shots.ts';
import { zoneLines } from '../specimens/zone-lines.ts';
import { readPicture, warmUp } from '../src/read-picture.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, pictures: { type: 'string', default: '400' } },
});
const TODAY = '2026-11-22';
const KINDS = ['td3', 'td2', 'td1', 'aamva'] as const;
type Kind = (typeof KINDS)[number];
const DECLARED = { td1: 'idCard', td2: 'idCard', td3: 'passport', aamva: 'license' } as const;

type Counts = { pictures: number; read: number; outline: number; portrait: number; document: number; cpuMs: number };
const counts = new Map<string, Counts>();
const random = openRandom(Number(values.seed));
await warmUp();
for (let index = 0; index < Number(values.pictures); index++) {
  const own = random.fork();
  const kind = KINDS[(index >> 1) % 4]!;
  const shot: Shot = (index >> 3) % 2 === 0 ? 'clear' : 'phone';
  if (index % 2 === 0) await count(`whole ${kind} ${shot}`, kind, await shoot(own, await draw(own, kind), shot));
  else {
    const name = FORGERIES[(index >> 1) % FORGERIES.length]!;
    const kind = name.startsWith('barcode') ? 'aamva' : own.pick(['td3', 'td2', 'td1'] as const);
    await count(`forged: ${name}`, kind, await shoot(own, await drawForgery(own, name, kind), shot));
  }
}
console.log('pictures               count  read  outline  portrait  document  CPU ms');
for (const [name, { pictures, read, outline, portrait, document, cpuMs }] of [...counts].sort()) {
  const columns = [pictures, read, outline, portrait, document, Math.round(cpuMs / pictures)];
  console.log(name.padEnd(22) + columns.map((value, at) => String(value).padStart([6, 6, 9, 10, 10, 8][at]!)).join(''));
}

async function draw(own: Random, kind: Kind): Promise<Drawing> {
  const holder = inventHolder(own, TODAY);
  const shown = { holder, face: own.int(0, 1e9) };
  if (kind === 'aamva') return licenceBack(own, await pdf417(own, licenceText(holder, own).text));
  const lines = zoneLines(kind, holder, own);
  if (kind === 'td1') return cardBack(own, holder, lines);
  return kind === 'td3' ? passport(own, shown, lines) : wideCard(own, shown, lines);
}

async function drawForgery(own: Random, name: (typeof FORGERIES)[number], kind: Kind): Promise<Drawing> {
  const holder = inventHolder(own, TODAY);
  const lines = kind === 'aamva' ? [''] : zoneLines(kind, holder, own);
  return forge(own, name, { lines, barcode: await pdf417(own, licenceText(holder, own).text) });
}

async function count(name: string, kind: Kind, picture: Buffer): Promise<void> {
  const before = process.cpuUsage();
  const reading = await readPicture(picture, { type: DECLARED[kind], today: TODAY });
  const { user, system } = process.cpuUsage(before);
  const own = counts.get(name) ?? { pictures: 0, read: 0, outline: 0, portrait: 0, document: 0, cpuMs: 0 };
  counts.set(name, own);
  own.pictures++;
  own.cpuMs += (user + system) / 1000;
  if (reading.kind === 'none' || !reading.verified) return;
  own.read++;
  const { outline = false, portrait } = reading.page ?? {};
  if (outline) own.outline++;
  if (portrait !== undefined) own.portrait++;
  if (outline && (portrait !== undefined || reading.kind === 'td1')) own.document++;
}
