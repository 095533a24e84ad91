// Elements of DER (ITU-T X.690), read with limits: the parsers of the libraries have none, and a chip is input of a stranger.

/** The data is not what the standard says. `message` is for people, and repeats nothing of the data. */
export class ChipDataError extends Error {}

/** `raw` has tag and length too. */
type Element = { tag: number; value: Uint8Array; raw: Uint8Array };

/** `opaque`: the tag of an element that is constructed by its number only. */
type Limits = { elements: number; opaque: number[] };

const DEPTH_MAX = 24;
const ELEMENTS_MAX = 20_000;
/** Longer than a key of 16,384 bits. */
const INTEGER_BYTES_MAX = 2100;
const TAG_BYTES_MAX = 3;
const LENGTH_BYTES_MAX = 4;
const INTEGER = 0x02;
const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;

/** Checks the whole tree before a library parses it. Throws a ChipDataError, within the time of one pass. */
export function requireBounded(bytes: Uint8Array, { elements = ELEMENTS_MAX, opaque = [] }: Partial<Limits> = {}): void {
  const left = { elements };
  const walk = (within: Uint8Array, depth: number): void => {
    if (depth > DEPTH_MAX) throw new ChipDataError('The data is nested too deeply.');
    for (let at = 0; at < within.length; ) {
      const element = readElement(within, at);
      if (--left.elements < 0) throw new ChipDataError('The data has too many elements.');
      if (element.tag === INTEGER && element.value.length > INTEGER_BYTES_MAX) {
        throw new ChipDataError('The data has an integer that is too long.');
      }
      if (isConstructed(element.raw) && !opaque.includes(element.tag)) walk(element.value, depth + 1);
      at += element.raw.length;
    }
  };
  walk(bytes, 0);
}

/** The elements of a value, one after another. */
export function elementsOf(bytes: Uint8Array): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; at += elements.at(-1)!.raw.length) elements.push(readElement(bytes, at));
  return elements;
}

export function firstElement(bytes: Uint8Array): Element {
  return readElement(bytes, 0);
}

/** The first element with a tag, also within others. */
export function findElement(bytes: Uint8Array, ...tags: number[]): Element | undefined {
  for (const element of elementsOf(bytes)) {
    if (tags.includes(element.tag)) return element;
    const found = isConstructed(element.raw) ? findElement(element.value, ...tags) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** The single element of a file, with the tag that the standard gives it. Files may be padded with zeros. */
export function requireFile(bytes: Uint8Array, tag: number, name: string): Element {
  const file = readElement(bytes, 0);
  if (file.tag !== tag) throw new ChipDataError(`${name} does not begin with its tag.`);
  if (bytes.subarray(file.raw.length).some((byte) => byte !== 0)) throw new ChipDataError(`${name} has data behind its end.`);
  return file;
}

function isConstructed(raw: Uint8Array): boolean {
  return (raw[0]! & CONSTRUCTED) !== 0;
}

function readElement(bytes: Uint8Array, from: number): Element {
  let at = from + 1;
  let tag = bytes[from]!;
  if ((tag & LONG_TAG) === LONG_TAG) {
    do {
      if (at - from >= TAG_BYTES_MAX || at >= bytes.length) throw new ChipDataError('The data has a malformed tag.');
      tag = tag * 0x100 + bytes[at]!;
    } while ((bytes[at++]! & 0x80) !== 0);
  }
  const first = bytes[at++];
  if (first === undefined) throw new ChipDataError('The data is truncated.');
  if (first === 0x80) throw new ChipDataError('The data has an element of indefinite length, which DER forbids.');
  let length = first;
  if (first > 0x80) {
    const count = first - 0x80;
    if (count > LENGTH_BYTES_MAX) throw new ChipDataError('The data has a malformed length.');
    if (at + count > bytes.length) throw new ChipDataError('The data is truncated.');
    length = 0;
    for (const end = at + count; at < end; at++) length = length * 0x100 + bytes[at]!;
  }
  if (at + length > bytes.length) throw new ChipDataError('The data is truncated.');
  return { tag, value: bytes.subarray(at, at + length), raw: bytes.subarray(from, at + length) };
}
