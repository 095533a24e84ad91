// Tests of bank files of strangers: every fault is one line with its place, and no file costs more than its size.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../../test/support/paths.ts';
import { dayOfZone } from '../../core/zone.ts';
import { FILE_MAX } from './decode.ts';
import { type ReadOptions, readBankFile } from './read.ts';
import { BankFileError } from './statement.ts';

const NAMES = ['camt053.xml', 'mt940', 'bai2', 'ofx', 'csv'];
const MAP =
  'date=Booked;value=Valued;amount=Amount;currency=Currency;reference=Reference;text=Text;name=Name;balance=Balance;dates=DD.MM.YYYY;decimal=,';
const OPTIONS = { dayOf: dayOfZone('Europe/Berlin'), map: MAP };

const example = (name: string) => readFileSync(join(ROOT, `examples/bank-files/statement.${name}`), 'utf8');
const read = (text: string | Uint8Array, options: Partial<ReadOptions> = {}) =>
  readBankFile(typeof text === 'string' ? Buffer.from(text) : text, { ...OPTIONS, ...options });
const linesOf = (text: string | Uint8Array, options: Partial<ReadOptions> = {}) => read(text, options).accounts[0]!.lines;

function assertFault(text: string | Uint8Array, says: RegExp, options: Partial<ReadOptions> = {}): void {
  assert.throws(
    () => read(text, options),
    (error: Error) => {
      assert.match(error.message, says);
      assert.ok(error instanceof BankFileError && !error.message.includes('\n'), `${error.name}: ${error.message}`);
      return true;
    },
  );
}

test('all formats say the same', () => {
  const amounts = NAMES.map((name) =>
    linesOf(example(name)).map(({ amount, references }) => [amount, references.some((one) => /E2E/.test(one))]),
  );
  for (const one of amounts.slice(1)) assert.deepEqual(one, amounts[0]);
});

test('a file that ends early, at any line, is refused, or is no statement of the same balance', () => {
  for (const name of NAMES) {
    const lines = example(name).split('\n');
    const whole = read(example(name)).accounts[0]!;
    for (let length = 0; length < lines.length - 2; length++) {
      const text = lines.slice(0, length).join('\n');
      try {
        const account = read(text, { format: read(example(name)).format }).accounts[0]!;
        // A CSV file has no end.
        assert.equal(name, 'csv', `${name} to line ${length}`);
        assert.notDeepEqual(account.lines, whole.lines);
      } catch (error) {
        assert.ok(error instanceof BankFileError, `${name} to line ${length}: ${(error as Error).stack}`);
      }
    }
  }
});

test('a changed digit of an amount is refused where the format has balances', () => {
  assertFault(example('camt053.xml').replace('300.00', '300.01').replace('500.00', '500.01'), /^Line 5: .*do not add up/);
  assertFault(example('mt940').replace('C300,00', 'C300,01'), /^Line 2: .*do not add up/);
  assertFault(
    example('bai2').replace('30000', '30001'),
    /^Line 10: the trailer 49 says control total 300000, the file has 300001/,
  );
  assertFault(example('csv').replace('300,00;EUR', '300,01;EUR'), /^Line 7: the balance is not/);
});

test('declarations of XML are refused before any entity is known', () => {
  const laughs = '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><Document>&b;</Document>';
  assertFault(laughs, /^Line 1: a document type/);
  assertFault(example('camt053.xml').replace('Ada', '&ada;'), /^Line 1\d: not well-formed XML: Invalid character entity/);
  assertFault(example('ofx').replace('<OFX>', '<!DOCTYPE x [<!ENTITY a "b">]>\n<OFX>'), /^Line 11: a document type/);
  assertFault(`<a>${'<b>'.repeat(100)}`, /not a statement|deeper/, { format: 'camt.053' });
  const deep = example('camt053.xml').replace('<Ntry>', `<Ntry>${'<x>'.repeat(40)}`);
  assertFault(deep, /^Line 11: elements are nested deeper than 32/);
});

test('size and characters are checked first', () => {
  assertFault(Buffer.alloc(FILE_MAX + 1), /^The file is larger than 64 MiB\.$/);
  const latin = Buffer.from(example('mt940').replace('Ada', 'Ädä'), 'latin1');
  assertFault(latin, /^Line 7: a byte is not UTF-8\. Name the characters/);
  assert.equal(linesOf(latin, { encoding: 'iso-8859-1' })[0]!.counterparty, 'Ädä Lovelace');
  assertFault(Buffer.from(example('csv'), 'utf16le'), /NUL|UTF-8/);
  assertFault(example('camt053.xml').replace('UTF-8', 'EBCDIC'), /^Line 1: the encoding ebcdic/);
  assertFault('', /^/);
});

test('negative zero moves no money, and amounts that are not exact are refused', () => {
  const csv = (amount: string, currency = 'EUR') =>
    read(`date,amount\n2026-01-05,${amount}\n2026-01-06,1\n`, { map: 'date=date;amount=amount', currency });
  for (const zero of ['-0.00', '0', '+0.0', '0.000'])
    assert.deepEqual([csv(zero).accounts[0]!.lines.length, csv(zero).accounts[0]!.ignored], [1, 1]);
  assert.equal(csv('9007199254740993.01').accounts[0]!.lines[0]!.amount, 900719925474099301n);
  assert.equal(csv('"1,234.50"').accounts[0]!.lines[0]!.amount, 123450n);
  assert.equal(csv('12.00', 'JPY').accounts[0]!.lines[0]!.amount, 12n);
  for (const wrong of ['1.005', '1e3', 'NaN', '0x10', '"1,23"', '"12,34.50"', '1.2.3', '١', '', '9'.repeat(30)])
    assert.throws(() => csv(wrong), /^.*Line 2: ".*" is not an amount in EUR/, wrong);
  assertFault(example('camt053.xml').replace('>184.50<', '>-184.50<'), /^Line 32: "-184\.50" is not an amount/);
});

test('accounts of one file are apart, and a statement that occurs twice is refused', () => {
  const mt940 = example('mt940');
  const other = mt940.replace('202051', '999999');
  assert.deepEqual(
    read(mt940 + other).accounts.map(({ account }) => account),
    ['12030000/202051', '12030000/999999'],
  );
  assertFault(mt940 + mt940, /does not begin with the balance that the one of line 2 ends with/);
  const second = mt940.replace('EUR0,00', 'EUR1315,50').replace('EUR1315,50\n-}', 'EUR2631,00\n-}');
  const [joined] = read(mt940 + second).accounts;
  assert.deepEqual([joined!.opening, joined!.closing, joined!.lines.length], [0n, 263100n, 8]);
  assert.equal(new Set(joined!.lines.map(({ id }) => id)).size, 8, 'equal lines have different ids');
});

test('days are those of the bank, and moments those of its zone', () => {
  const dated = (text: string) =>
    linesOf(example('camt053.xml').replace('<BookgDt><Dt>2026-01-05</Dt>', `<BookgDt><DtTm>${text}</DtTm>`))[0]!.booked;
  assert.equal(dated('2026-01-05T23:30:00Z'), '2026-01-06');
  assert.equal(dated('2026-01-05T23:30:00'), '2026-01-05');
  for (const offset of ['Z', '+01:00', '-11:00']) assert.equal(dated(`2026-01-05${offset}`), '2026-01-05');
  const dated23 = example('camt053.xml').replaceAll('<BookgDt><Dt>2026-01-05</Dt>', '<BookgDt><DtTm>2026-01-05T23:30:00Z</DtTm>');
  const idsIn = (zone: string, text: string) => linesOf(text, { dayOf: dayOfZone(zone) }).map(({ id }) => id);
  for (const text of [dated23, dated23.replaceAll(/<AcctSvcrRef>[^<]*<\/AcctSvcrRef>/g, '')])
    assert.deepEqual(idsIn('Europe/Berlin', text), idsIn('UTC', text), 'the id of a line does not depend on the zone');
  assertFault(example('csv').replace('05.01.2026;05', '31.02.2026;05'), /^Line 8: "2026-02-31" is not a day/);
  assertFault(example('mt940').replace(':61:2601050105', ':61:2613050105'), /is not a day/);
  const turn = example('mt940').replace(':61:2601050105', ':61:2512311231').replace(':61:2601120112C300', ':61:2601011231C300');
  assert.deepEqual(
    linesOf(turn)
      .map(({ booked }) => booked)
      .slice(0, 2),
    ['2025-12-31', '2025-12-31'],
  );
});

test('MT940 as banks write it: a heading, subfields of other countries, a field NS, an amount without a comma', () => {
  const mt940 = example('mt940');
  assert.deepEqual(linesOf(mt940.replace(/^.*$/m, ':940:')), linesOf(mt940));
  assert.equal(read(mt940.replace(':25:', ':25:/')).accounts[0]!.account, '12030000/202051');
  for (const separator of ['?', '~', '+', '>', '<', '^']) {
    const one = linesOf(mt940.replace(/166\?.*/, (text) => text.replaceAll('?', separator)))[0]!;
    assert.deepEqual([one.text, one.counterparty], ['Thank you for invoice 2026-17', 'Ada Lovelace'], separator);
  }
  const polish = linesOf(mt940.replace(/166\?.*/, '>20Invoice>212026-17>32Ada>33'))[0]!;
  assert.deepEqual([polish.text, polish.counterparty], ['Invoice2026-17', 'Ada']);
  const phone = '+49 30 1234';
  assert.equal(linesOf(mt940.replace(/166\?.*/, phone))[0]!.text, phone);
  const more = linesOf(mt940.replace(':86:Payout', ':NS:01My Street\n:86:Payout of January'))[3]!;
  assert.equal(more.text, 'Payout of January');
  assert.equal(linesOf(mt940.replace('C1000,00NTRF', 'C1000NTRF'))[0]!.amount, 100_000n);
});

test('BAI2 as banks write it: an empty field before a type code, and no control total without amounts', () => {
  const bai2 = example('bai2');
  const empty = bai2.replace('015,131550,,/', '015,131550,,,/\n88,045,131550,,/').replace('49,300000,8', '49,431550,9');
  const changed = empty.replace('98,300000,1,10', '98,431550,1,11').replace('99,300000,1,12', '99,431550,1,13');
  assert.deepEqual(read(changed).accounts[0]!.closing, 131_550n);
  const none = '01,A,B,260131,2330,1,,,2/\n02,B,A,1,260131,2330,EUR,2/\n03,202051,/\n49,,2/\n98,,1,4/\n99,,1,6/\n';
  assert.deepEqual([read(none).accounts[0]!.opening, read(none).accounts[0]!.lines], [undefined, []]);
  assertFault(bai2.replace('49,300000', '49,'), /^Line 10: "" is not an amount/);
  assertFault(bai2.replace(',010,0,', ',0x0,0,'), /^Line 3: "0x0" is not a type code/);
});

test('OFX: a balance of a day after the period is not that of the period', () => {
  const dated = (end: string, balance: string) => {
    const text = example('ofx')
      .replace(/<DTEND>[^<\n]*/, `<DTEND>${end}`)
      .replace(/<DTASOF>[^<\n]*/, `<DTASOF>${balance}`);
    const { to, closing } = read(text).accounts[0]!;
    return [to, closing];
  };
  assert.deepEqual(dated('20260131', '20260314'), ['2026-01-31', undefined]);
  assert.deepEqual(dated('20260131', '20260131'), ['2026-01-31', 131550n]);
  assert.deepEqual(dated('20260331', '20260314'), ['2026-03-14', 131550n]);
  assert.deepEqual(dated('20260131', '20251231'), ['2026-01-31', undefined], 'nor one of a day before');
});

test('OFX as banks write it: several lists of one account, and XML in ASCII', () => {
  const ofx = example('ofx');
  const border = '</BANKTRANLIST>\n<BANKTRANLIST><DTSTART>20260112<DTEND>20260131\n<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260112';
  const lists = ofx.replace('<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260112', border);
  assert.equal(linesOf(lists).length, 4);
  assert.deepEqual([read(lists).accounts[0]!.from, read(lists).accounts[0]!.to], ['2026-01-01', '2026-01-31']);
  assert.equal(linesOf(`<?xml version="1.0" encoding="ASCII"?>\n${ofx.slice(ofx.indexOf('<OFX>'))}`).length, 4);
});

test('a period that ends at midnight does not include the day that begins then', () => {
  const ends = (text: string) => {
    const period = `<FrToDt><FrDtTm>2026-01-01T00:00:00+01:00</FrDtTm><ToDtTm>${text}</ToDtTm></FrToDt>`;
    const without = example('camt053.xml').replace(/<FrToDt>[\s\S]*<\/FrToDt>/, '');
    return read(without.replace('<Acct>', `${period}<Acct>`)).accounts[0]!.to;
  };
  for (const text of ['2026-02-01T00:00:00', '2026-02-01T00:00:00+01:00', '2026-01-31T23:00:00Z', '2026-01-31T24:00:00+01:00'])
    assert.equal(ends(text), '2026-01-31', text);
  assert.equal(ends('2026-02-01T00:00:01+01:00'), '2026-02-01');
});

test('accounts of one file cover the same days, whichever have lines on the first', () => {
  const mt940 = (account: string, line: string) =>
    [':20:X', `:25:${account}`, ':28C:1/1', ':60F:C261101EUR0,00', line, ':86:x', ':62F:C261130EUR10,00', '-', ''].join('\n');
  const two = mt940('1203/1', ':61:2611011101C10,00NTRFNONREF') + mt940('1203/2', ':61:2611031103C10,00NTRFNONREF');
  const csv = 'date,amount,currency,reference\n2026-11-02,10,SEK,a\n2026-11-20,10,SEK,b\n2026-11-05,5,NOK,c\n';
  const options = { map: 'date=date;amount=amount;reference=reference;currency=currency' };
  const days = (text: string, from: string, to: string) =>
    assert.deepEqual(
      read(text, options).accounts.map((account) => [account.from, account.to]),
      [
        [from, to],
        [from, to],
      ],
    );
  days(two, '2026-11-01', '2026-11-30');
  days(csv, '2026-11-02', '2026-11-20');
});

test('an entry that moves no money is no line, in camt.053 as in other formats', () => {
  const entry =
    '<Ntry><Amt Ccy="EUR">0.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-01-05</Dt></BookgDt></Ntry>';
  const text = example('camt053.xml');
  const [before, after] = [text, text.replace('<Ntry>', `${entry}<Ntry>`)].map((one) => read(one).accounts[0]!);
  assert.deepEqual([after!.lines.length, after!.ignored], [before!.lines.length, before!.ignored + 1]);
});

test('what is wrong with a file is named as it is written', () => {
  assertFault(Buffer.from(`\ufeff${example('csv')}`, 'utf16le'), /^Line 1: the file is UTF-16\. Save it as UTF-8\.$/);
  assertFault(example('ofx').replace(/<TRNAMT>[^<\n]*/, '<TRNAMT>1,000.00'), /"1,000\.00" is not an amount/);
});

test('CSV with columns of credit and debit: one of them has the amount, and the other is empty or zero', () => {
  const of = (credit: string, debit: string) =>
    read(`day,in,out\n2026-01-05,${credit},${debit}\n2026-01-06,1.00,\n`, {
      map: 'date=day;credit=in;debit=out',
      currency: 'EUR',
    }).accounts[0]!;
  for (const [credit, debit, amount] of [
    ['5.00', '', 500n],
    ['5.00', '0.00', 500n],
    ['', '5.00', -500n],
    ['0.00', '5.00', -500n],
    ['0', '-5.00', -500n],
  ] as const)
    assert.deepEqual(
      of(credit, debit).lines.map((line) => line.amount),
      [amount, 100n],
      `${credit} ${debit}`,
    );
  assert.deepEqual([of('0.00', '').ignored, of('', '0.00').ignored, of('0.00', '0.00').ignored], [1, 1, 1]);
  for (const [credit, debit] of [
    ['', ''],
    ['5.00', '5.00'],
  ] as const)
    assert.throws(() => of(credit, debit), /Line 2: the line has not one of credit and debit\./);
});
