// Tests of statements as PDF over HTTP: names and references in many scripts, the layout of pages, and totals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { amountOf, customerForm } from '../../../test/support/data.ts';
import { type Character, type PdfPage, readPdf } from '../../../test/support/pdf.ts';
import { SCRIPTS } from '../../../test/support/scripts.ts';
import { startService } from '../../../test/support/service.ts';

const PDF = 'application/pdf';
const MONTH = '2026-03';
/** Where the columns of the table begin, in points. */
const TABLE = { description: 130, reference: 252, amount: 376 };
const PAGE = { left: 47, right: 548, bottom: 810, lastRow: 775 };
const ENTRIES_PER_PAGE = 45;

let now = Date.parse('2026-03-10T12:00:00Z');
const shared = await startService({ after }, { clock: { now: () => new Date(now) } });

/** A customer of a new account, whose statements of March are read as PDF. */
async function openStatements(names: Record<string, string> = {}) {
  now = Date.parse('2026-03-10T12:00:00Z');
  const account = { ...shared, ...(await shared.newPlatform()) };
  const customer = await account.create('/customers', { ...customerForm(), ...names });
  const read = async (accept: string, query = '') => {
    const headers = { accept, authorization: `Bearer ${account.token}` };
    const answer = await fetch(`${customer}/statements/${MONTH}${query}`, { headers });
    assert.equal(answer.status, 200);
    return new Uint8Array(await answer.arrayBuffer());
  };
  return { ...account, customer, read, pages: async (query = '') => readPdf(await read(PDF, query)) };
}

/** Without what only readers of right-to-left text add. */
const plain = (text: string) => text.replace(/[\u200e\u200f\u202a-\u202e]/g, '').normalize('NFC');
const column = (pages: PdfPage[], left: number, right: number) =>
  plain(pages.map((page) => page.textIn({ left, right, top: 0, bottom: page.height })).join('\n'));

/** Whether the glyph of a character is an empty box. */
function isBox(page: PdfPage, character: Character): boolean {
  const { width, height, darkness } = page.ink(character);
  if (width < 8 || height < 8) return false;
  const share = (pixels: number[]) => pixels.filter((pixel) => pixel > 80).length / pixels.length;
  const row = (y: number) => darkness.slice(y * width, (y + 1) * width);
  const edge = (x: number) => Array.from({ length: height }, (_, y) => darkness[y * width + x]!);
  const edges = [
    [row(0), row(1)],
    [row(height - 1), row(height - 2)],
    [edge(0), edge(1)],
    [edge(width - 1), edge(width - 2)],
  ];
  return edges.every((lines) => lines.some((line) => share(line) > 0.7));
}

/** No character outside of the page, of its column or of the ink, or over another, and none is a box. */
function assertLaidOut(pages: PdfPage[]): void {
  for (const page of pages) {
    const seen = page.characters.filter(({ text, left, right }) => /\S/.test(text) && right > left);
    for (const [index, one] of seen.entries()) {
      const about = `${JSON.stringify(one)} after ${seen
        .slice(Math.max(0, index - 20), index)
        .map(({ text }) => text)
        .join('')}`;
      assert.ok(one.left >= PAGE.left && one.right <= PAGE.right && one.bottom <= PAGE.bottom, `outside of the page: ${about}`);
      assert.ok(!isBox(page, one), `a box: ${about}`);
      if (/\p{L}/u.test(one.text)) assert.ok(Math.max(...page.ink(one).darkness) > 40, `not drawn: ${about}`);
      // The characters of a cluster share its place.
      const over = seen.slice(index + 8).find((other) => overlap(one, other) > 0.5);
      assert.equal(over, undefined, `over another: ${about}`);
    }
  }
}

function overlap(a: Character, b: Character): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const area = ({ left, right, top, bottom }: Character) => (right - left) * (bottom - top);
  return width <= 0 || height <= 0 ? 0 : (width * height) / Math.min(area(a), area(b));
}

test('names and references of all scripts are drawn, can be copied, and stay in their columns', async () => {
  const names = { firstName: 'محمد', lastName: 'العربي', businessName: SCRIPTS.arabic };
  const { customer, create, pages, read: readBytes } = await openStatements(names);
  await create(`${customer}/deposits`, amountOf('1000.00'));
  for (const sample of Object.values(SCRIPTS)) {
    await create(`${customer}/labels`, { name: sample, ...amountOf('1.00') });
    await create(`${customer}/deposits`, { ...amountOf('2.00'), reference: sample });
  }
  const read = await pages();
  const [description, reference, all] = [
    column(read, TABLE.description, TABLE.reference),
    column(read, TABLE.reference, TABLE.amount),
    column(read, 0, 600),
  ];
  for (const [script, sample] of Object.entries(SCRIPTS)) {
    assert.ok(description.includes(plain(sample)), `${script} in ${description}`);
    assert.ok(reference.includes(plain(sample)), `${script} in ${reference}`);
  }
  assert.ok(all.includes('محمد العربي'), all);
  assert.deepEqual(await readBytes(PDF), await readBytes(PDF), 'the same bytes each time');
  assertLaidOut(read);
});

test('right-to-left names are in order in a sentence, and cannot turn the rest of it', async () => {
  const { customer, create, pages } = await openStatements();
  await create(`${customer}/deposits`, { ...amountOf('10.00'), reference: 'שכר דירה (2026) QXZ-123' });
  await create(`${customer}/labels`, { name: 'שלום', ...amountOf('1.00') });
  await create(`${customer}/labels`, { name: '\u202eevil\u2066', ...amountOf('1.00') });
  const read = await pages('?currency=USD');
  const placeOf = (text: string) => read[0]!.characters.find((one) => one.text === text && one.left > TABLE.reference)!;
  const hebrew = [...'שכר'].map((letter) => placeOf(letter).left);
  assert.deepEqual(
    hebrew,
    [...hebrew].sort((a, b) => b - a),
    'the first letter is at the right',
  );
  assert.ok(placeOf('Q').left < placeOf('ש').left, 'in a right-to-left reference, what follows is at the left');
  const description = column(read, TABLE.description, TABLE.reference);
  assert.match(description, /^To שלום\s*$/m);
  assert.match(description, /^To evil\s*$/m);
  assertLaidOut(read);
});

test('characters that no font has are a replacement sign', async () => {
  const { customer, create, pages } = await openStatements();
  await create(`${customer}/deposits`, { ...amountOf('10.00'), reference: 'a𓀀b' });
  assert.match(column(await pages(), TABLE.reference, TABLE.amount), /^a\ufffdb\s*$/m);
});

test('long names are shortened or wrapped', async () => {
  const long = 'นี่คือชื่อที่ยาวมากสำหรับบัญชีลูกค้า '.repeat(3).slice(0, 100);
  const { customer, create, pages } = await openStatements({ businessName: 'W'.repeat(100) });
  await create(`${customer}/deposits`, { ...amountOf('999999999999.99'), reference: long.repeat(2) });
  await create(`${customer}/deposits`, { ...amountOf('10.00'), reference: 'X'.repeat(255) });
  await create(`${customer}/deposits`, amountOf('999999999999', 'JPY'));
  await create(`${customer}/labels`, { name: long, ...amountOf('1', 'JPY') });
  await create(`${customer}/labels`, { name: 'W'.repeat(100), ...amountOf('1', 'JPY') });
  assertLaidOut(await pages());
  const reference = column(await pages('?currency=USD'), TABLE.reference, TABLE.amount);
  assert.equal(reference.match(/X/g)?.length, 255);
  // Thai writes no space between words.
  for (const line of reference.split(/\s+/).filter((text) => /\p{scx=Thai}/u.test(text)))
    assert.match(line, /^(นี่|คือ|ชื่อ|ที่|ยาว|มาก|สำหรับ|บัญชี|ลูกค้า)/, line);
});

test('a page has 45 entries, and the sections and currencies have totals as in CSV', async () => {
  const { customer, create, pages, read } = await openStatements();

  for (let n = 0; n < 120; n++) {
    const reference = `INV-2026-${String(n).padStart(5, '0')}`;
    await create(`${customer}/deposits`, { ...amountOf('10.00'), reference });
  }
  await create(`${customer}/withdrawals`, amountOf('1200.00'));
  await create(`${customer}/deposits`, amountOf('1234567', 'JPY'));
  await create(`${customer}/deposits`, amountOf('1.234', 'BHD'));
  await create(`${customer}/labels`, { name: 'Funded', ...amountOf('700', 'JPY') });

  const [, page] = await pages('?currency=USD');
  const second = column([page!], TABLE.reference, TABLE.amount).match(/INV-/g);
  assert.equal(second?.length, ENTRIES_PER_PAGE);
  const all = await pages();
  assertLaidOut(all);
  assert.ok(all.every(({ characters }) => characters.every(({ bottom }) => bottom < PAGE.lastRow || bottom > 790)));

  const text = plain(all.map((page) => page.text).join('\n'));
  assert.match(text, /Total in\s+1,200\.00\s+Total out\s+1,200\.00\s+Closing balance\s+0\.00/);
  const totals = text.slice(text.lastIndexOf('Totals'));
  assert.match(totals, /BHD\s+0\.000\s+1\.234\s+0\.000\s+1\.234/);
  assert.match(totals, /JPY\s+0\s+1,235,267\s+700\s+1,234,567/);
  assert.match(totals, /USD\s+0\.00\s+1,200\.00\s+1,200\.00\s+0\.00/);
  const csv = new TextDecoder().decode(await read('text/csv', '?currency=USD'));
  assert.match(csv, /^total out,USD,,,,,,,,,1200\.00,,,\r$/m);
  assert.doesNotMatch(text, /Total out\s+−/);
});

test('no page ends between the opening balance of a section and its first entry, however tall that is', async () => {
  const { customer, create, pages } = await openStatements();
  await create(`${customer}/deposits`, amountOf('1000.00'));
  const label = (name: string) => create(`${customer}/labels`, { name, ...amountOf('0') });
  for (let n = 0; n < 12; n++) {
    const entries = `${await label(`Label ${n}`)}/ledger-entries`;
    await create(entries, { ...amountOf('10.00'), reference: 'W'.repeat(255) });
    for (let more = 0; more < n; more++) await create(entries, amountOf('1.00'));
  }
  for (const page of await pages())
    assert.doesNotMatch(page.textIn({ ...PAGE, top: 0, bottom: PAGE.lastRow }), /Opening balance\s+[\d.,]+\s*$/);
});

test('the statement of a month without entries, and of one entry', async () => {
  const { customer, create, pages } = await openStatements();
  assert.match((await pages())[0]!.text, /No balances/);
  await create(`${customer}/deposits`, amountOf('10.00'));
  const [only, ...others] = await pages();
  assert.equal(others.length, 0);
  assert.match(only!.text, /Page 1\s+of 1\s/);
});
