// Published samples of bank files, which packages of npm and PyPI bring: `earmark reconcile` reads them, or says which sum is wrong.
import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { run } from './package/pack.ts';
import type { Body } from './support/http.ts';
import { assertOneLine, runCli, scratch, settingsOf } from './support/process.ts';
import { openAccount, startService } from './support/service.ts';

/** `name`: what its file is called wherever the package is unpacked. Amounts are those of the sample, as a person reads them. */
type Sample = { name: string; account?: string; opening?: string; closing?: string; lines: string[] };

const NPM = ['mt940js@1.3.5', 'ofx@0.5.0'];
const PYPI = [
  'odoo-addon-account-statement-import-camt==19.0.1.0.0.8',
  'odoo-addon-account-statement-import-ofx==18.0.1.0.0.5',
  'odoo-addon-l10n-ro-account-bank-statement-import-mt940-base==19.0.0.5.0',
  'odoo-addon-l10n-ro-account-bank-statement-import-mt940-bcr==19.0.0.3.0',
  'odoo-addon-l10n-ro-account-bank-statement-import-mt940-brd==19.0.0.4.0',
  'odoo-addon-l10n-ro-account-bank-statement-import-mt940-ing==19.0.0.2.0.1',
];
/** Only its source has the samples. */
const PYPI_SOURCE = 'bai2==0.15.0';

const READ: Sample[] = [
  { name: 'test-camt053-no-ntry', opening: '1520.76', closing: '1520.76', lines: [] },
  { name: 'test-camt053-txdtls', opening: '75960.15', closing: '79443.15', lines: ['1296.00', '2187.00'] },
  { name: 'test-rabo.swi', opening: '4433.52', closing: '4798.91', lines: ['400.00', '-34.61'] },
  { name: 'test_ing_940.txt', opening: '1000.00', closing: '2000.00', lines: ['1000.00'] },
  { name: 'test_ing_940n.txt', opening: '1000.00', closing: '2000.00', lines: ['1000.00'] },
  {
    ...{ name: 'test-with-NS.mt940x', opening: '3503.60', closing: '2971.53' },
    lines: ['-369.00', '-15.07', '-123.00', '-25.00'],
  },
  { name: 'test2.mt940x', opening: '3503.60', closing: '2971.53', lines: ['-369.00', '-15.07', '-123.00', '-25.00'] },
  // Its two statements do not follow each other: each is read alone.
  { name: 'test1.mt940 1', opening: '0.00', closing: '500.00', lines: ['500.00'] },
  { name: 'test1.mt940 2', opening: '3058.98', closing: '798.98', lines: ['-2760.00', '500.00'] },
  {
    ...{ name: 'nwb_example.bai2', opening: '365.21', closing: '338.45' },
    lines: ['-9.71', '-1.00', '-1.23', '-15.71', '0.89'],
  },
  { name: 'svb_us_example.bai2', opening: '347269.79', closing: '361229.75', lines: ['4901.96', '9058.00'] },
  { name: 'account_trailer_amount_blank_example.bai2', account: '12345', lines: [] },
  {
    name: 'example1.ofx',
    lines: ['19.90', '-1.01', '-100.00', '-71.99', '-20.01'],
  },
  { name: 'example-xml.qfx', closing: '1025.23', lines: ['0.84'] },
  {
    ...{ name: 'test_ofx.ofx', account: '000000123 123456', closing: '2156.56' },
    lines: ['-80.00', '-90.00', '-100.00', '-90.00'],
  },
];
/** Samples that contradict themselves, or are of another message. */
const REFUSED: [name: string, says: RegExp][] = [
  ['test-camt053', /Line 7: the opening balance and the lines of "NL77ABNA0574908765" do not add up/],
  ['test-camt054', /camt\.054.*is not a statement: it must be camt\.053/],
  ['test-wrong-file.940', /Line 1: ":9401:" is before the first field :20:/],
  ['test_file_bcr.STA', /Line 1: the opening balance and the lines of "RO48RNCB0090000506460001" do not add up/],
  ['test_brd_940.txt', /Line 14: the balance is not in RON/],
  ['test1.mt940', /Line 12: the statement of "123456789" does not begin with the balance that the one of line 2 ends with/],
  ['citi_example.bai2', /Line 3: the opening balance and the lines of "77777777" do not add up/],
];

const shared = await startService({ after });
const folder = scratch({ after });
const files = new Map<string, string>();

before(async () => {
  const fetch = (program: string, ...args: string[]) => run(program, args, { cwd: folder });
  const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--ignore-requires-python'];
  await fetch('npm', 'pack', '--silent', ...NPM);
  await fetch('python3', ...pip, '--only-binary', ':all:', ...PYPI);
  await fetch('python3', ...pip, '--no-binary', ':all:', PYPI_SOURCE);
  for (const archive of globSync('*.whl', { cwd: folder }))
    await fetch('python3', '-m', 'zipfile', '-e', archive, `of-${archive}`);
  for (const archive of globSync('*.{tgz,tar.gz}', { cwd: folder })) {
    mkdirSync(join(folder, `of-${archive}`));
    await fetch('tar', 'xzf', archive, '-C', `of-${archive}`);
  }
  for (const file of globSync('**/*', { cwd: folder })) files.set(basename(file), join(folder, file));
  const both = readFileSync(files.get('test1.mt940')!, 'utf8').split(/(?=\{1:)/);
  for (const [index, text] of both.entries()) {
    const file = join(folder, `test1.mt940 ${index + 1}`);
    writeFileSync(file, text);
    files.set(basename(file), file);
  }
});

test('reads each sample with its balances and lines', async (t) => {
  for (const { name, account, opening, closing, lines } of READ) {
    const { client } = await openAccount(shared);
    const args = ['--account', client.account_id, '--json', ...(account ? ['--bank-account', account] : [])];
    const env = { ...settingsOf(shared), PUBLIC_URL: shared.url };
    const { stdout, stderr } = await runCli(t, ['reconcile', files.get(name)!, ...args], env);
    assert.ok(stdout.startsWith('{'), `${name}: ${stderr}`);
    const { currencies, onlyAtBank } = JSON.parse(stdout) as Body;
    const [{ bank }] = currencies;
    const amounts: string[] = onlyAtBank.map(({ amount }: Body) => amount.value);
    assert.deepEqual(
      [name, bank.opening, bank.closing, amounts.toSorted()],
      [name, opening ?? null, closing ?? null, lines.toSorted()],
    );
    if (opening !== undefined) assert.equal(amounts.reduce(plus, cents(opening)), cents(closing!), name);
  }
});

test('refuses samples that contradict themselves, with the line', async (t) => {
  for (const [name, says] of REFUSED) {
    const ended = await runCli(t, ['reconcile', files.get(name)!, '--json'], { ...settingsOf(shared), PUBLIC_URL: shared.url });
    assertOneLine(ended, says, 1);
  }
});

function plus(sum: number, amount: string): number {
  return sum + cents(amount);
}

function cents(amount: string): number {
  return Math.round(Number(amount) * 100);
}
