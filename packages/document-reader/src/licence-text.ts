// Divides the text of a licence's barcode into its header and elements (AAMVA card design standard), also in shapes that issued cards have
// and the standard has not.

/** `elements` are those of the first subfile, by name. */
export type LicenceText = { issuerNumber: string; version: number; elements: ReadonlyMap<string, string> };

/** Compliance header: version, and from version 2 the jurisdiction's version; then the number of subfiles. Some cards lack the record separator. */
const HEADER = /^@\p{Cc}{1,5}(?:ANSI ?|AAMVA)(?<issuer>\d{6})(?<version>\d{2})/u;
const FIRST_WITH_JURISDICTION_VERSION = 2;
const LAST_VERSION = 12;
const SUBFILE = /^(?<kind>DL|ID|EN)(?<offset>\d{4})(?<length>\d{4})/;
/** Issuers count from 1 instead of 0, and with or without the two letters of the subfile and the end of its last line. */
const OFFSETS_WRONG = [0, -1, 1];
const LENGTHS_WRONG = [0, 1, -1, 2, -2, 3, -3];
const END_OF_SUBFILE = /\r\n?$/;
const ELEMENT = /^(?<name>[A-Z]{2}[A-Z0-9])(?<value>[\x20-\x7e\u00a0-\u024f\u1e00-\u1eff\ufffd]*)$/;

/** Returns undefined when the structure does not hold: the barcode library calls garbage valid now and then. */
export function divideLicence(text: string): LicenceText | undefined {
  const header = HEADER.exec(text);
  const { issuer, version: digits } = header?.groups ?? {};
  const version = Number(digits);
  if (!header || !issuer || version < 1 || version > LAST_VERSION) return undefined;
  const start = header[0].length + (version >= FIRST_WITH_JURISDICTION_VERSION ? 2 : 0);
  const body = bodyOf(text, start, version);
  const elements = body === undefined ? undefined : elementsOf(body);
  return elements && { issuerNumber: issuer, version, elements };
}

/** The first subfile, without the letters of its kind. Of version 1, some cards lack these letters. */
function bodyOf(text: string, start: number, version: number): string | undefined {
  const count = text.slice(start, start + 2);
  if (!/^\d{2}$/.test(count) || count === '00') return undefined;
  const { kind, offset, length } = SUBFILE.exec(text.slice(start + 2))?.groups ?? {};
  if (!kind) return undefined;
  const isStart = (at: number) => text.startsWith(kind, at) || (version === 1 && ELEMENT.test(text.slice(at, at + 3)));
  const from = OFFSETS_WRONG.map((wrong) => Number(offset) + wrong).find(isStart);
  if (from === undefined) return undefined;
  const isEnd = (at: number) => at === text.length || (at < text.length && END_OF_SUBFILE.test(text.slice(0, at)));
  const to = LENGTHS_WRONG.map((wrong) => from + Number(length) + wrong).find(isEnd);
  if (to === undefined) return undefined;
  return text.slice(text.startsWith(kind, from) ? from + kind.length : from, to);
}

function elementsOf(body: string): Map<string, string> | undefined {
  const elements = new Map<string, string>();
  for (const line of body.split(/[\r\n]+/)) {
    if (line === '') continue;
    const { name, value = '' } = ELEMENT.exec(line)?.groups ?? {};
    if (!name || elements.has(name)) return undefined;
    elements.set(name, value.trim());
  }
  return elements;
}
