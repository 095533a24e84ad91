// The evidence of a picture: what was read, whether the picture shows a document around it, and hints for a reviewer.
import { type Hint, type Presence, type Reading, showsDocument } from '../../../../packages/document-reader/src/reading.ts';
import type { Evidence, Part, ShownHint } from './evidence.ts';

export const HINT_TEXTS: Record<Hint, string> = {
  screen: 'The picture has a fine regular pattern, as a photograph of a screen has.',
  greyCopy: 'The picture has no colour, as a photocopy or a scan in grey has.',
  editor: 'The metadata names a program that edits pictures. It may have turned or cut the picture only.',
};

export function evidenceOf(reading: Reading): Evidence {
  const hints = (reading.hints ?? []).map(showHint);
  return { ...levelOf(reading), ...(hints.length > 0 && { hints }) };
}

export function showHint(name: Hint): ShownHint {
  return { name, text: HINT_TEXTS[name] };
}

function levelOf(reading: Reading): Evidence {
  if (reading.kind === 'none') return { level: 'none', parts: [{ name: 'data', result: 'unknown', text: 'Nothing was read.' }] };
  const failed = reading.checks.filter(({ passed }) => !passed).map(({ name }) => name);
  if (!reading.verified) {
    return { level: 'none', parts: [{ name: 'data', result: 'fails', text: `Checks that fail: ${failed.join(', ')}.` }] };
  }
  const data: Part = { name: 'data', result: 'holds', text: 'The check digits hold.' };
  const { presence, kind } = reading;
  if (!presence) return { level: 'text', parts: [data] };
  const parts = [data, outlineOf(presence), portraitOf(presence), printOf(presence)];
  if (kind === 'aamva') parts.push(CONSISTENT);
  return { level: showsDocument(presence) ? 'document' : 'text', parts };
}

/** What contradicts itself is not verified. */
const CONSISTENT: Part = {
  name: 'consistency',
  result: 'holds',
  text: 'The number of the issuer is that of the jurisdiction and the country, and the version of the barcode and the dates agree.',
};

function outlineOf({ outline }: Presence): Part {
  return outline
    ? { name: 'outline', result: 'holds', text: 'Four edges of the right proportions are around the data, at their place.' }
    : { name: 'outline', result: 'fails', text: 'No four edges of the right proportions are around the data, at their place.' };
}

function portraitOf({ outline, portrait }: Presence): Part {
  const name = 'portrait';
  if (!outline) return { name, result: 'unknown', text: 'A portrait is only looked for inside an outline.' };
  if (portrait === undefined) return { name, result: 'unknown', text: 'The side with the data has no portrait.' };
  return portrait
    ? { name, result: 'holds', text: 'A picture is where the portrait belongs.' }
    : { name, result: 'fails', text: 'No picture is where the portrait belongs.' };
}

function printOf({ print, portrait }: Presence): Part {
  const name = 'printedText';
  if (print === undefined) return { name, result: 'unknown', text: 'Print is only looked for inside an outline.' };
  if (portrait === undefined) {
    return print
      ? { name, result: 'holds', text: 'Other text is printed beside the data. The names are on the other side.' }
      : { name, result: 'fails', text: 'Nothing is printed beside the data.' };
  }
  return print
    ? { name, result: 'holds', text: 'The printed names and number agree with the data.' }
    : { name, result: 'fails', text: 'The names and the number of the data were not found in the print.' };
}
