// Generates values that violate each constraint of a schema.
import { type Document, resolve, type Schema } from '../fuzz/document.ts';

/** At least one of these violates any pattern of the API; only the first can be sent in a header. */
const ODD = ['no such', '\u0007', '\u0000'];

/** Returns one value per violated constraint. For query parameters, which are text, callers drop the others. */
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
