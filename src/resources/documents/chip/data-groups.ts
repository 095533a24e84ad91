// Data groups of a chip (ICAO Doc 9303 part 10): the machine-readable zone, the portrait, and the full name and birth date.
import { calendarDate } from '../../../../packages/document-reader/src/dates.ts';
import { ChipDataError, findElement, requireBounded, requireFile } from './der.ts';

/** A file of the portrait, as the state stored it. */
export type PortraitFile = { format: 'jpeg' | 'jpeg2000'; bytes: Uint8Array };
/** `name`: as the state writes it, without transliteration. */
export type Holder = { name?: string; dateOfBirth?: string };

const TAGS = { dg1: 0x61, dg2: 0x75, dg11: 0x6b, dg14: 0x6e };
const ZONE = 0x5f1f;
/** The biometric data block, plain or as a template. */
const BIOMETRIC_DATA = [0x5f2e, 0x7f2e];
const FULL_NAME = 0x5f0e;
const FULL_BIRTH = 0x5f2b;
/** Lengths of the lines of a zone, by the length of the whole. */
const LINES: Record<number, number> = { 88: 44, 72: 36, 90: 30 };

const FORMATS: [PortraitFile['format'], Buffer][] = [
  ['jpeg', Buffer.from([0xff, 0xd8, 0xff])],
  ['jpeg2000', Buffer.from([0x00, 0x00, 0x00, 0x0c, 0x6a, 0x50, 0x20, 0x20])],
  ['jpeg2000', Buffer.from([0xff, 0x4f, 0xff, 0x51])],
];
/** The header of ISO/IEC 19794-5 before the image, with up to 100 feature points. */
const HEADER_BYTES_MAX = 1024;

/** The lines of the zone in DG1. */
export function readZoneLines(dg1: Uint8Array): string[] {
  const zone = findElement(contentOf(dg1, 'dg1'), ZONE);
  const text = zone && Buffer.from(zone.value).toString('latin1');
  const length = LINES[text?.length ?? 0];
  if (!text || !length || !/^[A-Z0-9<]+$/.test(text)) throw new ChipDataError('DG1 has no machine-readable zone.');
  return Array.from({ length: text.length / length }, (_, line) => text.slice(line * length, (line + 1) * length));
}

/** The picture in DG2; undefined if it has a format that ICAO does not use. */
export function readPortrait(dg2: Uint8Array): PortraitFile | undefined {
  const block = findElement(contentOf(dg2, 'dg2'), ...BIOMETRIC_DATA);
  if (!block) throw new ChipDataError('DG2 has no biometric data.');
  const bytes = Buffer.from(block.value.buffer, block.value.byteOffset, block.value.byteLength);
  const head = bytes.subarray(0, HEADER_BYTES_MAX);
  const found = FORMATS.map(([format, signature]) => ({ format, at: head.indexOf(signature) })).filter(({ at }) => at >= 0);
  const [first] = found.sort((a, b) => a.at - b.at);
  return first && { format: first.format, bytes: bytes.subarray(first.at) };
}

export function readHolder(dg11: Uint8Array): Holder {
  const content = contentOf(dg11, 'dg11');
  const [name, birth] = [findElement(content, FULL_NAME), findElement(content, FULL_BIRTH)];
  return {
    ...(name && { name: Buffer.from(name.value).toString('utf8').replaceAll('<', ' ').trim() }),
    ...(birth && dateOf(birth.value)),
  };
}

/** A date of eight digits, or in four bytes of two digits each. */
function dateOf(value: Uint8Array): Holder {
  const text = Buffer.from(value).toString(value.length === 4 ? 'hex' : 'latin1');
  const date = calendarDate(text);
  return date === undefined ? {} : { dateOfBirth: date };
}

function contentOf(file: Uint8Array, name: keyof typeof TAGS): Uint8Array {
  const content = requireFile(file, TAGS[name], name.toUpperCase()).value;
  requireBounded(content, { opaque: BIOMETRIC_DATA });
  return content;
}

/** Checks the frame of a data group whose content is only compared with its hash. */
export function requireDg14(dg14: Uint8Array): void {
  contentOf(dg14, 'dg14');
}
