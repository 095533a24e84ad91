// Cells of statements in CSV that people chose, as spreadsheets read them with any of their separators.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf } from '../../../test/support/data.ts';
import { startService } from '../../../test/support/service.ts';

const FORMULA = /^[\s"]*[=+\-@]/u;
const AMOUNT = /^-\d+\.\d\d$/;
/** A spreadsheet that separates cells by these does not see the quotes of a cell that is separated by commas. */
const SEPARATORS = /[;|\t\r\n\u0085\u2028\u2029]/;
const HOSTILE = [
  ...['=1', '+1', '-1', '@A1'],
  ...['＝1', '＋1', '－1', '＠A1', '﹦1', '﹢1', '﹣1', '﹫1'],
  ...['a;=1', 'a; ＝1', 'a|@A1', 'a\u2028=1', ';;=1', 'a;"=1"', ' =1', '\u3000=1', '"=1', 'a,=1;=2'],
];

test('no reference or name becomes a formula, whatever separates the cells', async (t) => {
  const { create, newCustomer, call } = await startService(t);
  const customer = await newCustomer();
  for (const text of HOSTILE) {
    await create(`${customer}/deposits`, { ...amountOf('1.00'), reference: text });
    await create(`${customer}/labels`, { name: text, ...amountOf('0.00') });
  }
  const month = new Date().toISOString().slice(0, 7);
  const { text } = await call('GET', `${customer}/statements/${month}?currency=USD`, { headers: { accept: 'text/csv' } });
  const byComma = text
    .split('\r\n')
    .flatMap((line) => [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) => cell!));
  const others = text.split(SEPARATORS);
  const formulas = [...byComma, ...others].filter((cell) => FORMULA.test(cell.normalize('NFKC')) && !AMOUNT.test(cell));
  assert.deepEqual(formulas, []);
  assert.ok(byComma.length > HOSTILE.length * 12, `${byComma.length} cells`);
});
