// The text of a bank file: its size and its characters are checked before anything else is read.
import { isUtf8 } from 'node:buffer';
import { ENCODINGS, type Encoding } from '../../core/bank-formats.ts';
import { BankFileError, faultAt } from './statement.ts';

/** Bytes of a file. A statement of 50,000 lines has about 50 MB of camt.053, and a tenth of that in the other formats. */
export const FILE_MAX = 64 * 1024 * 1024;
/** How far into a file its own words about its characters are looked for. */
const HEADER_LENGTH = 1024;
/** Names of ASCII, which is a part of UTF-8. */
const ASCII = ['us-ascii', 'ascii'];
/** The first bytes of a text in UTF-16. */
const UTF_16 = [
  [0xff, 0xfe],
  [0xfe, 0xff],
];
const CR = 13;
const LF = 10;

/** Decodes a file: by the given encoding, or by the one that its header names, or as UTF-8. Throws a BankFileError for other bytes. */
export function decode(bytes: Uint8Array, given: Encoding | undefined): string {
  if (bytes.length > FILE_MAX) throw tooLarge();
  const header = new TextDecoder('latin1').decode(bytes.subarray(0, HEADER_LENGTH));
  if (UTF_16.some(([first, second]) => bytes[0] === first && bytes[1] === second))
    throw faultAt(1, 'the file is UTF-16. Save it as UTF-8.');
  const encoding = given ?? namedIn(header) ?? 'utf-8';
  if (encoding === 'utf-8' && !isUtf8(bytes))
    throw faultAt(
      lineOf(bytes, firstFault(bytes)),
      'a byte is not UTF-8. Name the characters of the file, such as windows-1252.',
    );
  // The label `iso-8859-1` means windows-1252 to TextDecoder.
  const text = encoding === 'iso-8859-1' ? Buffer.from(bytes).toString('latin1') : new TextDecoder(encoding).decode(bytes);
  const at = text.indexOf('\0');
  if (at >= 0) throw faultAt(countLines(text.slice(0, at)), 'a NUL character. The file is not text, or is UTF-16.');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

export function tooLarge(): BankFileError {
  return new BankFileError(`The file is larger than ${FILE_MAX / 1024 / 1024} MiB.`);
}

/** The lines of a text; those of Unix, Windows and of old Macintosh end differently. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Counts the line of an index, from 1. Indexes must not decrease between calls. */
export function countedLines(text: string): (index: number) => number {
  let [line, next] = [1, text.indexOf('\n')];
  return (index) => {
    for (; next >= 0 && next < index; next = text.indexOf('\n', next + 1)) line += 1;
    return line;
  };
}

/** The encoding that the declaration of XML or the header of OFX names. */
function namedIn(header: string): Encoding | undefined {
  const declared = /^\s*<\?xml [^>]{0,200}encoding=["']([A-Za-z0-9._-]{1,40})["']/.exec(header)?.[1]?.toLowerCase();
  if (declared !== undefined) {
    const known = ENCODINGS.find((encoding) => encoding === declared) ?? (ASCII.includes(declared) ? 'utf-8' : undefined);
    if (known === undefined) throw faultAt(1, `the encoding ${declared} is not one of ${ENCODINGS.join(', ')}.`);
    return known;
  }
  if (!header.includes('OFXHEADER:')) return undefined;
  return /CHARSET:\s*(1252|ISO-8859-1)/.test(header) && !/ENCODING:\s*(UTF-8|UNICODE)/.test(header) ? 'windows-1252' : undefined;
}

/** The index of the first byte that is not UTF-8: bisects, because the beginning of valid text is valid, but for a broken last character. */
function firstFault(bytes: Uint8Array): number {
  let [low, high] = [0, bytes.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (isUtf8(bytes.subarray(0, startOfCharacter(bytes, middle)))) low = middle;
    else high = middle;
  }
  return low;
}

/** The beginning of the character that a byte belongs to: it has at most three bytes before. */
function startOfCharacter(bytes: Uint8Array, index: number): number {
  for (let start = index; start > index - 4 && start > 0; start--) if ((bytes[start]! & 0xc0) !== 0x80) return start;
  return index;
}

function lineOf(bytes: Uint8Array, index: number): number {
  let line = 1;
  for (let at = 0; at < index; at++) if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) line += 1;
  return line;
}

function countLines(text: string): number {
  return linesOf(text).length;
}
