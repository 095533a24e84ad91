// Writes the machine-readable zone of a holder (ICAO Doc 9303, parts 4, 5 and 6).

import type { Holder } from './holder.ts';
import type { Random } from './random.ts';

type ZoneKind = 'td1' | 'td2' | 'td3';

/** The lines of the zone. With `random`, some have optional data. */
export function zoneLines(kind: ZoneKind, holder: Holder, random: Random): string[] {
  const number = fill(holder.number, 9);
  const birth = shortDate(holder.dateOfBirth);
  const expiry = shortDate(holder.expires);
  const sex = holder.sex === 'X' ? '<' : holder.sex;
  const issuer = fill(holder.issuer, 3);
  const dated = `${checked(birth)}${sex}${checked(expiry)}`;
  const name = `${holder.surname.replaceAll(' ', '<')}<<${holder.givenNames.replaceAll(' ', '<')}`;
  const optional = random.chance(0.4) ? Array.from({ length: 6 }, () => random.int(0, 9)).join('') : '';
  if (kind === 'td1') {
    const first = `${random.pick(['I<', 'ID', 'C<', 'AC'])}${issuer}${checked(number)}${fill(optional, 15)}`;
    const second = `${dated}${issuer}${fill('', 11)}`;
    const composite = digitOf(first.slice(5) + second.slice(0, 7) + second.slice(8, 15) + second.slice(18));
    return [first, second + composite, fill(name, 30)];
  }
  const middle = `${checked(number)}${issuer}${dated}`;
  if (kind === 'td2') {
    const second = middle + fill(optional, 7);
    return [`${random.pick(['I<', 'ID', 'A<'])}${issuer}${fill(name, 31)}`, second + composite(second)];
  }
  const personal = fill(optional, 14);
  const second = `${middle}${personal}${optional === '' && random.chance(0.7) ? '<' : digitOf(personal)}`;
  return [`${random.pick(['P<', 'P<', 'PP', 'PO'])}${issuer}${fill(name, 39)}`, second + composite(second)];
}

function composite(line: string): string {
  return digitOf(line.slice(0, 10) + line.slice(13, 20) + line.slice(21));
}

function fill(text: string, length: number): string {
  return text.slice(0, length).padEnd(length, '<');
}

function shortDate(date: string): string {
  return date.slice(2).replaceAll('-', '');
}

function checked(text: string): string {
  return text + digitOf(text);
}

/** Written independently of the reader, which must agree with it. */
function digitOf(text: string): string {
  const values = [...text].map((character) => (character === '<' ? 0 : Number.parseInt(character, 36)));
  return String(values.reduce((sum, value, at) => sum + value * (at % 3 === 0 ? 7 : at % 3 === 1 ? 3 : 1), 0) % 10);
}
