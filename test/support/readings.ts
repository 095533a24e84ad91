// Readings of documents as the reader returns them, for tests of what follows.
import type { Fields, Read, Reading } from '../../packages/document-reader/src/reading.ts';

const QUALITY = { longEdge: 1600, sharpness: 0.7, glare: 0, brightness: 0.6, contrast: 0.7, cutOff: false, faults: [] };

type Options = { kind?: Read['kind']; verified?: boolean; sure?: number; letter?: [at: number, confidence: number] };

/** A verified passport of Anna Maria Eriksson, with other fields where given. `letter` is a doubtful letter of the surname. */
export function readingOf(fields: Partial<Fields> = {}, options: Options = {}): Read & Reading {
  const { kind = 'td3', verified = true, sure = 0.99, letter } = options;
  const all: Fields = {
    documentNumber: 'L898902C3',
    surname: 'ERIKSSON',
    givenNames: 'ANNA MARIA',
    nameTruncated: { surname: false, givenNames: false },
    dateOfBirth: '1974-08-12',
    expires: '2031-04-15',
    issuer: 'NLD',
    ...fields,
  };
  const letters = { surname: [...all.surname].map(() => sure), givenNames: [...all.givenNames].map(() => sure) };
  if (letter) letters.surname[letter[0]] = letter[1];
  const confidence = { documentNumber: sure, surname: sure, givenNames: sure, dateOfBirth: sure, expires: sure, issuer: sure };
  const checks = [{ name: 'composite', passed: verified }];
  const fingerprint = 'f0e1d2c3b4a59687'.repeat(4);
  return { kind, verified, fields: all, confidence, letters, checks, lines: [], quality: QUALITY, fingerprint };
}

/** A picture without data that can be read, with the measures that prove it, if any. */
export function unreadOf(faults: Reading['quality']['faults'] = []): Reading {
  return { kind: 'none', cause: 'noData', quality: { ...QUALITY, faults }, fingerprint: '0123456789abcdef'.repeat(4) };
}
