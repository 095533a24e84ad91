// The evidence of a picture: what was read, and hints for a reviewer.
import type { Hint, Reading } from '../../../../packages/document-reader/src/reading.ts';
import type { Evidence } from './evidence.ts';

export const HINT_TEXTS: Record<Hint, string> = {
  screen: 'The picture has a fine regular pattern, as a photograph of a screen has.',
  greyCopy: 'The picture has no colour, as a photocopy or a scan in grey has.',
  editor: 'The metadata names a program that edits pictures. It may have turned or cut the picture only.',
};

export function evidenceOf(reading: Reading): Evidence {
  const hints = (reading.hints ?? []).map((name) => ({ name, text: HINT_TEXTS[name] }));
  return { ...levelOf(reading), ...(hints.length > 0 && { hints }) };
}

function levelOf(reading: Reading): Evidence {
  if (reading.kind === 'none') return { level: 'none', parts: [{ name: 'data', result: 'unknown', text: 'Nothing was read.' }] };
  const failed = reading.checks.filter(({ passed }) => !passed).map(({ name }) => name);
  return reading.verified
    ? { level: 'text', parts: [{ name: 'data', result: 'holds', text: 'The check digits hold.' }] }
    : { level: 'none', parts: [{ name: 'data', result: 'fails', text: `Checks that fail: ${failed.join(', ')}.` }] };
}
