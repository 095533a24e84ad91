// Invented holders of specimens.
import type { Random } from './random.ts';

/** Dates are YYYY-MM-DD; names have capitals A to Z and spaces. */
export type Holder = {
  surname: string;
  givenNames: string;
  dateOfBirth: string;
  expires: string;
  number: string;
  sex: 'F' | 'M' | 'X';
  issuer: string;
};

const SURNAMES = (
  'ANDERSON BAKER OCONNOR DUBOIS LINDQVIST MUELLER KOWALSKI NOWAK OLIVEIRA ROSSI IVANOV HOLMES BRIGGS ODELL ILLESCU GUIDO DOYLE QUIGLEY ' +
  'SORENSEN VUKOVIC WYNN ZOLA FJELD HADDAD NGUYEN OKAFOR TANAKA ESPINOZA BJORK DIOP KHAN LEE LI O XU HOBBS BOSS GIBBS DODD UDO SOLIS ' +
  'VILLALOBOS PAPADOPOULOS SCHWARZENBERGER'
).split(' ');
const DOUBLE = ['VAN DER BERG', 'DE LA CRUZ', 'SMITH JONES', 'BIN SALLEH', 'DOS SANTOS', 'VON WEIZSAECKER', 'GARCIA MARQUEZ'];
const GIVEN = (
  'ANNA MARIA OLIVER DIEGO ISLA HUGO LUCIA OSKAR GRETE BODIL QUENTIN IDA JOSE ULLA VIVIEN WILL XENIA YUSUF ZOE BOB EDOUARD FELIX INGRID ' +
  'KOFI LOUISE NIAMH PRIYA RUI SVEN TOMASZ BARTHOLOMEW'
).split(' ');
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const STATES = ['UTO', 'UTO', 'UTO', 'D', 'FRA', 'USA', 'NLD', 'GBR', 'ESP', 'BRA', 'IND', 'NGA'];

/** `today` is the day on which a specimen is not expired, unless chance wants it expired. */
export function inventHolder(random: Random, today: string): Holder {
  const year = Number(today.slice(0, 4));
  const surname = random.chance(0.2) ? random.pick(DOUBLE) : random.pick(SURNAMES);
  const given = Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, () => random.pick(GIVEN));
  return {
    surname,
    givenNames: given.join(' '),
    dateOfBirth: `${random.int(1940, year - 19)}-${day(random)}`,
    expires: random.chance(0.15)
      ? `${random.int(year - 8, year - 1)}-${day(random)}`
      : `${random.int(year + 1, year + 10)}-${day(random)}`,
    number: documentNumber(random),
    sex: random.pick(['F', 'M', 'F', 'M', 'X']),
    issuer: random.pick(STATES),
  };
}

function day(random: Random): string {
  return `${String(random.int(1, 12)).padStart(2, '0')}-${String(random.int(1, 28)).padStart(2, '0')}`;
}

function documentNumber(random: Random): string {
  const length = random.pick([7, 8, 9, 9, 9]);
  const digit = () => String(random.int(0, 9));
  const letter = () => LETTERS[random.int(0, 25)]!;
  const first = random.chance(0.6) ? letter() : digit();
  return first + Array.from({ length: length - 1 }, () => (random.chance(0.15) ? letter() : digit())).join('');
}
