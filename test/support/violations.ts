// Values that break what a schema declares, one for each of its constraints.
import { type Document, resolve, type Schema } from '../fuzz/document.ts';

/** One of them breaks any pattern of the interface; in a header only the first can be sent. */
const ODD = ['no such', '\u0007', '\u0000'];

/** Breaks each constraint in turn; that a query is always text is for the caller to know. */
export function violationsOf(document: Document, given: Schema): unknown[] {
  const schema = resolve(document, given);
  const { type, enum: values, pattern, format, items, minItems, maxItems, uniqueItems } = schema;
  const { minimum, maximum, minLength, maxLength } = schema;
  if (schema.anyOf) return ['no such'];
  const broken: unknown[] = [];
  if (values) broken.push('no such');
  if (format) broken.push('no such');
  if (pattern !== undefined) broken.push(ODD.find((text) => !new RegExp(pattern, 'u').test(text)));
  if (minLength !== undefined) broken.push('');
  if (maxLength !== undefined) broken.push('1'.repeat(maxLength + 1));
  if (minimum !== undefined) broken.push(minimum - 1);
  if (maximum !== undefined) broken.push(maximum + 1);
  if (type === 'integer') broken.push('no such', 1.5);
  if (type === 'boolean') broken.push('no such');
  if (type === 'object') broken.push('no such', []);
  if (type === 'array') {
    const inner = violationsOf(document, items!);
    const one = resolve(document, items!).enum?.[0];
    broken.push(...inner.map((value) => [value]));
    if (minItems) broken.push([]);
    if (uniqueItems && one !== undefined) broken.push([one, one]);
    if (maxItems !== undefined) broken.push(Array.from({ length: maxItems + 1 }, () => one));
  }
  return broken;
}
