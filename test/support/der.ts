// Writes DER (ITU-T X.690) for tests: independent of the libraries that read it.

export function der(tag: number | number[], ...content: (Uint8Array | string)[]): Buffer {
  const value = Buffer.concat(content.map((piece) => Buffer.from(piece)));
  return Buffer.concat([Buffer.from([tag].flat()), lengthOf(value.length), value]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(length.toString(16).padStart(2 * Math.ceil(length.toString(16).length / 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

export const sequence = (...content: Buffer[]) => der(0x30, ...content);
/** Sorted, as DER wants the elements of a set. */
export const set = (...content: Buffer[]) => der(0x31, ...content.toSorted(Buffer.compare));
export const octets = (bytes: Uint8Array) => der(0x04, bytes);
export const bits = (bytes: Uint8Array) => der(0x03, Buffer.of(0), bytes);
export const NULL = der(0x05);

export function integer(value: number | Uint8Array): Buffer {
  const bytes = typeof value === 'number' ? Buffer.from(value.toString(16).padStart(value > 0xff ? 4 : 2, '0'), 'hex') : value;
  return der(0x02, ...(bytes[0]! >= 0x80 ? [Buffer.of(0)] : []), bytes);
}

export function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number);
  const bytes = [first! * 40 + second!, ...rest].flatMap((number) => {
    const groups = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(0x06, Buffer.from(bytes));
}

/** YYYY-MM-DD as UTCTime up to 2049, and as GeneralizedTime after it (RFC 5280). */
export function timeOf(day: string): Buffer {
  const text = `${day.replaceAll('-', '')}120000Z`;
  return day < '2050' ? der(0x17, text.slice(2)) : der(0x18, text);
}
