// Tests of amounts: reading, writing and validation in every currency.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CURRENCIES as currencies, minorDigits } from './currencies.ts';
import { type Amount, formatAmount, MAX_MINOR_UNITS, parseAmount } from './money.ts';

const currency = fc.constantFrom(...currencies);
const units = fc.oneof(
  fc.bigInt({ min: -MAX_MINOR_UNITS, max: MAX_MINOR_UNITS }),
  fc.bigInt({ min: -10_000n, max: 10_000n }),
  fc.constantFrom(0n, 1n, -1n, MAX_MINOR_UNITS, -MAX_MINOR_UNITS),
);
/** Minor units, or the code and member of the fault. */
const read = (value: string, currency: string, signed = false) => {
  const parsed = parseAmount({ value, currency }, { signed });
  return 'code' in parsed ? `${parsed.code} ${parsed.member}` : parsed.minorUnits;
};
const digitsOf = ({ value }: Amount) => (value.split('.')[1] ?? '').length;

test('currencies have the decimals of ISO 4217, and codes that are not currencies of a place are refused', () => {
  const known = { USD: 2, EUR: 2, JPY: 0, KRW: 0, CLP: 0, BHD: 3, KWD: 3, TND: 3, CLF: 4, UYW: 4, HUF: 2, IQD: 3 };
  for (const [code, digits] of Object.entries(known)) assert.equal(minorDigits(code), digits, code);
  for (const code of ['XXX', 'XTS', 'XAU', 'XAG', 'XDR', 'usd', 'US', '', 'DEM', '840', 'toString', '__proto__']) {
    assert.equal(minorDigits(code), undefined, code);
  }
  assert.ok(currencies.length > 150);
});

test('an amount written is read back unchanged, in every currency', () => {
  fc.assert(
    fc.property(units, currency, (minorUnits, currency) => {
      const amount = formatAmount(minorUnits, currency);
      assert.equal(read(amount.value, currency, true), minorUnits);
      assert.equal(read(amount.value, currency), minorUnits < 0n ? 'InvalidFormat value' : minorUnits);
      assert.equal(digitsOf(amount), minorDigits(currency));
      assert.match(amount.value, /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/);
    }),
    { numRuns: 2000 },
  );
});

test('writes an amount in full, in whichever spelling it was read', () => {
  const decimal = fc.record({ sign: fc.constantFrom('', '+', '-'), whole: fc.bigInt({ min: 0n, max: 10n ** 12n }) });
  fc.assert(
    fc.property(decimal, currency, fc.nat(9999), fc.nat(5), ({ sign, whole }, currency, fraction, zeros) => {
      const digits = minorDigits(currency)!;
      const decimals = String(fraction).padStart(4, '0').slice(0, digits);
      const short = decimals.replace(/0+$/, '');
      const spelled = `${sign}${'0'.repeat(zeros)}${whole}${short && `.${short}`}`;
      const minorUnits = BigInt(`${whole}${decimals}`) * (sign === '-' ? -1n : 1n);
      assert.equal(read(spelled, currency, true), minorUnits);
      assert.equal(read(spelled, currency), sign ? 'InvalidFormat value' : minorUnits);
      assert.equal(read(formatAmount(minorUnits, currency).value, currency, true), minorUnits);
    }),
  );
});

test('refuses one decimal too many in every currency, also a zero', () => {
  for (const currency of currencies) {
    const value = `1.${'0'.repeat(minorDigits(currency)! + 1)}`;
    assert.equal(read(value, currency), 'InvalidFormat value', `${value} ${currency}`);
  }
});

test('reads 18 digits and refuses 19, in every currency', () => {
  for (const currency of currencies) {
    const { value } = formatAmount(MAX_MINOR_UNITS, currency);
    assert.equal(value.replace('.', ''), '9'.repeat(18));
    assert.equal(read(value, currency), MAX_MINOR_UNITS);
    assert.equal(read(`-${value}`, currency, true), -MAX_MINOR_UNITS);
    assert.equal(read(`0${value}`, currency), MAX_MINOR_UNITS, 'leading zeros do not count');
    const past = formatAmount(MAX_MINOR_UNITS + 1n, currency).value;
    assert.equal(read(past, currency), 'Invalid value');
    assert.equal(read(`-${past}`, currency, true), 'Invalid value');
  }
  assert.equal(read('9'.repeat(40), 'USD'), 'Invalid value');
  assert.equal(read('0'.repeat(41), 'USD'), 'InvalidFormat value');
  assert.equal(read('1'.repeat(1_000_000), 'USD'), 'InvalidFormat value');
});

test('refuses everything that is not an amount', () => {
  const amount = /^[+-]?[0-9]{1,17}(\.[0-9]{1,2})?$/;
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,+-eE _x\n\t\u0660\uff10') }), (value) => {
      fc.pre(!amount.test(value) || value.includes('\n'));
      assert.equal(typeof read(value, 'USD', true), 'string', JSON.stringify(value));
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.string(), (currency) => {
      fc.pre(minorDigits(currency) === undefined);
      assert.equal(read('1', currency), 'Invalid currency');
    }),
  );
});
