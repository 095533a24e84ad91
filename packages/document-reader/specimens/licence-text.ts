// Writes the text of a licence's barcode in the versions of the AAMVA card design standard since 2005.

import type { Holder } from './holder.ts';
import type { Random } from './random.ts';

/** Issuer identification numbers with country and region. */
const ISSUERS = [
  ['636014', 'USA', 'CA'],
  ['636001', 'USA', 'NY'],
  ['636015', 'USA', 'TX'],
  ['636010', 'USA', 'FL'],
  ['636012', 'CAN', 'ON'],
  ['604428', 'CAN', 'QC'],
  ['636028', 'CAN', 'BC'],
] as const;
/** With the year since which licences have it. */
const VERSIONS = [
  [3, 2005],
  [4, 2009],
  [5, 2010],
  [6, 2011],
  [7, 2012],
  [8, 2013],
  [9, 2016],
  [10, 2020],
] as const;

export function licenceText(holder: Holder, random: Random): { text: string; region: string; version: number } {
  const [number, country, region] = random.pick(ISSUERS);
  const expiryYear = Number(holder.expires.slice(0, 4));
  const [version, since] = random.pick(VERSIONS.filter(([, since]) => since + 1 < expiryYear));
  const issued = `${Math.max(expiryYear - 8, since + 1)}${holder.expires.slice(4)}`;
  const date = (value: string) => {
    const [year, month, day] = value.split('-');
    return country === 'CAN' ? `${year}${month}${day}` : `${month}${day}${year}`;
  };
  const elements = [
    ...(random.chance(0.5) ? ['DCAC', 'DCBNONE', 'DCDNONE'] : ['DCAD']),
    `DBA${date(holder.expires)}`,
    `DCS${holder.surname}`,
    ...givenNames(holder.givenNames, version),
    `DBD${date(issued)}`,
    `DBB${date(holder.dateOfBirth)}`,
    `DBC${holder.sex === 'M' ? 1 : holder.sex === 'F' ? 2 : 9}`,
    'DAYBRO',
    'DAU070 in',
    `DAG${random.int(1, 999)} SPECIMEN STREET`,
    'DAISAMPLETOWN',
    `DAJ${region}`,
    `DAK${random.int(10_000, 99_999)}0000  `,
    `DAQ${holder.number}`,
    `DCF${random.int(10_000_000, 99_999_999)}`,
    `DCG${country}`,
    ...(version >= 4 ? ['DDEN', 'DDFN', 'DDGN'] : []),
  ];
  const kind = random.chance(0.9) ? 'DL' : 'ID';
  const subfile = `${kind}${elements.join('\n')}\r`;
  const header = `@\n\u001e\rANSI ${number}${String(version).padStart(2, '0')}0001`;
  const offset = String(header.length + 10).padStart(4, '0');
  return { text: `${header}${kind}${offset}${String(subfile.length).padStart(4, '0')}${subfile}`, region, version };
}

/** Until version 3, one element has all given names; later, the first name has its own. */
function givenNames(names: string, version: number): string[] {
  const [first, ...rest] = names.split(' ');
  return version <= 3 ? [`DCT${names.replaceAll(' ', ',')}`] : [`DAC${first}`, `DAD${rest.length > 0 ? rest.join(' ') : 'NONE'}`];
}
