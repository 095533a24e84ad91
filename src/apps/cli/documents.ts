// `earmark documents read|evaluate`: reads pictures of documents without a service or a database.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static } from 'typebox';
import type { Reading } from '../../../packages/document-reader/src/reading.ts';
import { Refusal } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import { validatorOf } from '../../platform/http/schemas.ts';
import { openReaders } from '../../resources/documents/checking/readers.ts';
import { compareReading } from '../../resources/documents/comparison/compare.ts';
import { openPictures } from '../../resources/documents/picture.ts';
import { DOCUMENT_TYPES, type DocumentType, REASONS } from '../../resources/documents/reason.ts';
import { UsageError } from './command.ts';
import { bad, good, print, printTable } from './output.ts';
import { printReading } from './reading.ts';

type ReadCall = { words: readonly [file: string]; options: { type: string | undefined }; json: boolean };
type EvaluateCall = { words: readonly [folder: string]; json: boolean };
type Measured = { truth: Truth; reading: Reading | undefined; outcome: Outcome; reasons: string[]; ms: number };
type Outcome = (typeof OUTCOMES)[number];
type Truth = Static<typeof Truth>;

const OUTCOMES = ['accepted', 'rejected', 'undecided'] as const;
const TRUTHS = 'truths.json';
const DATE = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });

/** What a picture shows: the record to compare it with, and the outcome that a careful person reaches. */
const Truth = Type.Object(
  {
    file: Type.String(),
    type: Type.Enum(DOCUMENT_TYPES),
    person: Type.Object({
      firstName: Type.String(),
      lastName: Type.String(),
      dateOfBirth: Type.Optional(DATE),
      passportNumber: Type.Optional(Type.String()),
    }),
    expected: Type.Enum(OUTCOMES),
    reasons: Type.Optional(Type.Array(Type.Enum(REASONS))),
    today: Type.Optional(DATE),
  },
  { additionalProperties: false },
);

export async function read({ words: [file], options: { type = 'passport' }, json }: ReadCall): Promise<number> {
  const readPicture = openPictureReader();
  try {
    const reading = await readPicture(file, { type: type as DocumentType, today: today() });
    if (!reading) throw new UsageError(`${file} could not be read within the limit of CPU time.`);
    if (json) print(reading, true);
    else printReading(reading);
    return 0;
  } finally {
    readPicture.close();
  }
}

export async function evaluate({ words: [folder], json }: EvaluateCall): Promise<number> {
  const truths = await readTruths(folder);
  const readPicture = openPictureReader();
  const measured: Measured[] = [];
  try {
    for (const truth of truths) {
      const about = { type: truth.type, today: truth.today ?? today() };
      const started = performance.now();
      const reading = await readPicture(join(folder, truth.file), about);
      const ms = performance.now() - started;
      const compared = reading && compareReading(reading, truth.person, about);
      measured.push({ truth, reading, ms, outcome: compared?.outcome ?? 'undecided', reasons: compared?.reasons ?? [] });
    }
  } finally {
    readPicture.close();
  }
  const summary = summarize(measured);
  if (json) print(summary, true);
  else printSummary(measured, summary);
  return summary.wrong_acceptances + summary.wrong_rejections === 0 ? 0 : 1;
}

/** Reads as the service does: from the clean copy, in separate processes. */
function openPictureReader() {
  const [pictures, readers] = [openPictures(), openReaders()];
  const close = () => {
    pictures.close();
    readers.close();
  };
  const readPicture = async (path: string, about: { type: DocumentType; today: string }): Promise<Reading | undefined> => {
    const file = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`${path} cannot be read: ${error.code}.`);
    });
    const { content } = await pictures.clean(file, { type: 'passport', accountId: '' }).catch((error: unknown) => {
      if (error instanceof Refusal && error.problem === 'unavailable') throw notRead(path);
      throw error instanceof Refusal ? new UsageError(`${path} is not a JPEG or PNG picture that can be decoded.`) : error;
    });
    const tried = await readers.picture({ file: content, original: file, about });
    if (tried.state === 'unfinished') throw notRead(path);
    return tried.state === 'done' ? tried.result : undefined;
  };
  return Object.assign(readPicture, { close });
}

function notRead(path: string): UsageError {
  return new UsageError(`${path} was not read: the machine is too busy. Try again.`);
}

async function readTruths(folder: string): Promise<Truth[]> {
  const path = join(folder, TRUTHS);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read: ${error.code}.`);
  });
  const truths = parse(text);
  const [error] = validatorOf(Type.Array(Truth))(truths);
  if (!error) return truths as Truth[];
  throw new UsageError(`${path} is invalid: ${error.instancePath || 'the file'} ${error.message}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A wrong acceptance or rejection is one that the truth does not have; an undecided document is never wrong. */
function summarize(measured: Measured[]) {
  const isWrong = ({ outcome, reasons, truth }: Measured) =>
    outcome === 'accepted' ? truth.expected !== 'accepted' : reasons.some((reason) => !truth.reasons?.includes(reason as never));
  const times = measured.map(({ ms }) => ms).sort((a, b) => a - b);
  const wrong = measured.filter(isWrong);
  return {
    pictures: measured.length,
    read: measured.filter(({ reading }) => reading && reading.kind !== 'none' && reading.verified).length,
    decided: measured.filter(({ outcome }) => outcome !== 'undecided').length,
    wrong_acceptances: wrong.filter(({ outcome }) => outcome === 'accepted').length,
    wrong_rejections: wrong.filter(({ outcome }) => outcome === 'rejected').length,
    median_ms: Math.round(times[Math.floor(times.length / 2)] ?? 0),
    wrong: wrong.map(({ truth: { file }, outcome, reasons }) => ({ file, outcome, reasons })),
  };
}

function printSummary(measured: Measured[], summary: ReturnType<typeof summarize>): void {
  const rows = OUTCOMES.map((expected) => {
    const of = measured.filter(({ truth }) => truth.expected === expected);
    const counts = OUTCOMES.map((outcome) => [outcome, of.filter((one) => one.outcome === outcome).length]);
    return { 'should be': expected, ...(Object.fromEntries(counts) as Record<Outcome, number>) };
  });
  printTable(rows, '');
  const { pictures, read, decided, wrong_acceptances, wrong_rejections, median_ms, wrong } = summary;
  process.stdout.write(`\n${read} of ${pictures} pictures read with confidence, ${decided} decided, median ${median_ms} ms\n`);
  const isRight = wrong_acceptances + wrong_rejections === 0;
  const verdict = `wrong acceptances: ${wrong_acceptances}, wrong rejections: ${wrong_rejections}`;
  process.stdout.write(`${isRight ? good(verdict) : bad(verdict)}\n`);
  for (const { file, outcome, reasons } of wrong) process.stdout.write(`  ${file}: ${[outcome, ...reasons].join(' ')}\n`);
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
