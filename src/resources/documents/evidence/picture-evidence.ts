// The evidence of a picture: what was read.
import type { Reading } from '../../../../packages/document-reader/src/reading.ts';
import type { Evidence } from './evidence.ts';

export function evidenceOf(reading: Reading): Evidence {
  if (reading.kind === 'none') return { level: 'none', parts: [{ name: 'data', result: 'unknown', text: 'Nothing was read.' }] };
  const failed = reading.checks.filter(({ passed }) => !passed).map(({ name }) => name);
  return reading.verified
    ? { level: 'text', parts: [{ name: 'data', result: 'holds', text: 'The check digits hold.' }] }
    : { level: 'none', parts: [{ name: 'data', result: 'fails', text: `Checks that fail: ${failed.join(', ')}.` }] };
}
