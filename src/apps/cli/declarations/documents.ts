// Declarations of the commands that review and read documents.
import { DOCUMENT_TYPES, REASONS } from '../../../resources/documents/reason.ts';
import { command } from '../command.ts';

const DOCUMENT = { name: 'DOCUMENT_ID', about: 'the id of the document' } as const;
const NOTE = { value: 'TEXT', about: 'a note stored with the decision' } as const;

const list = command({
  name: 'review list',
  about: 'Lists the documents that need a decision.',
  examples: ['earmark review list'],
  run: async (call) => (await import('../review.ts')).list(call),
});

const show = command({
  name: 'review show',
  about: 'Prints what a document proves, and what was read beside the record; with --file also writes its clean copy.',
  detail: 'The access is recorded for audit. Birth dates and numbers are hidden without --reveal.',
  words: [DOCUMENT],
  options: {
    file: {
      value: 'FILE',
      about: 'writes the copy to this file, which only you can read and which ends in .jpg, .pdf or .json; - is standard output',
    },
    reveal: { about: 'also print birth dates and document numbers' },
  },
  examples: [
    'earmark review show 01890000-0000-7000-8000-000000000000',
    'earmark review show 01890000-0000-7000-8000-000000000000 --file /tmp/passport.jpg',
  ],
  run: async (call) => (await import('../review.ts')).show(call),
});

const accept = command({
  name: 'review accept',
  about: 'Accepts a document.',
  words: [DOCUMENT],
  options: { note: NOTE },
  examples: ['earmark review accept 01890000-0000-7000-8000-000000000000'],
  run: async (call) => (await import('../review.ts')).accept(call),
});

const reject = command({
  name: 'review reject',
  about: 'Rejects a document for one or more reasons, which the API returns with the document.',
  words: [DOCUMENT],
  options: { reason: { value: 'CODE', about: 'reason for the rejection', values: REASONS, multiple: true }, note: NOTE },
  examples: ['earmark review reject 01890000-0000-7000-8000-000000000000 --reason ScanNotReadable,ScanIdExpired'],
  run: async (call) => (await import('../review.ts')).reject(call),
});

const read = command({
  name: 'documents read',
  about: 'Reads the picture of a passport, card or licence and prints the result. Needs no service and stores nothing.',
  words: [{ name: 'FILE', about: 'a JPEG or PNG' }],
  options: {
    type: { value: 'TYPE', about: 'what the picture shows', values: DOCUMENT_TYPES, fallback: 'passport' },
  },
  examples: ['earmark documents read passport.jpg', 'earmark documents read licence-back.jpg --type license --json'],
  run: async (call) => (await import('../documents.ts')).read(call),
});

const evaluate = command({
  name: 'documents evaluate',
  about: 'Reads the pictures of a folder, compares each with its truth, and prints how many were decided as they should be.',
  detail: `The folder has the pictures and truths.json, a list of
{"file": "1.jpg", "type": "passport", "person": {"firstName": "Anna", "lastName": "Eriksson", "dateOfBirth": "1974-08-12"},
"expected": "accepted" | "rejected" | "undecided", "reasons": ["ScanIdExpired"], "today": "2026-11-22"}.
A rejection is wrong if it has a reason that the truth does not have. Exits with 1 if a decision is wrong.`,
  words: [{ name: 'FOLDER', about: 'the folder' }],
  examples: ['earmark documents evaluate ./pictures'],
  exits: { 1: 'a decision is wrong, or a file cannot be read' },
  run: async (call) => (await import('../documents.ts')).evaluate(call),
});

const erase = command({
  name: 'documents erase',
  about:
    'Erases the pictures of one document, or of all documents of a person, and what was read from them. This cannot be undone.',
  detail: `The record and its decisions stay, and the audit log says who erased. A document without a decision is rejected as
ScanNotUploaded, because nobody can decide on it any more. Backups keep the pictures until they are deleted themselves.`,
  words: [{ ...DOCUMENT, optional: true }],
  options: {
    owner: { value: 'ID', about: 'all documents of this beneficial owner' },
    customer: { value: 'ID', about: 'all documents of this customer, without those of its beneficial owners' },
  },
  examples: [
    'earmark documents erase 01890000-0000-7000-8000-000000000000 --yes',
    'earmark documents erase --owner 01890000-0000-7000-8000-000000000000 --yes',
  ],
  asks({ words: [id], options: { owner, customer } }) {
    // Without exactly one of them there is nothing to ask: the command refuses.
    const [named, ...others] = [id, owner, customer].filter((one) => one !== undefined);
    if (named === undefined || others.length > 0) return undefined;
    return id === undefined
      ? `Erase all documents of ${named}? This cannot be undone.`
      : `Erase the document ${id}? This cannot be undone.`;
  },
  run: async (call) => (await import('../erase.ts')).erase(call),
});

const recheck = command({
  name: 'documents recheck',
  about:
    'Checks documents again that checkers looked at, with the reader, certificates and policies of now, and lists what differs.',
  detail:
    'Nothing is decided: a person who disagrees with an earlier decision reviews the document. Each document has the evidence of the new check afterwards, unless --dry-run.',
  options: {
    since: { value: 'TIME', about: 'the first day of the checks, YYYY-MM-DD', required: true },
    'dry-run': { about: 'stores nothing' },
  },
  examples: ['earmark documents recheck --since 2026-11-01 --dry-run'],
  run: async (call) => (await import('../recheck.ts')).recheck(call),
});

const hold = command({
  name: 'documents hold',
  about: 'Puts a legal hold on a document: its content is not erased until the hold ends, whatever the retention period says.',
  words: [DOCUMENT],
  options: {
    reason: { value: 'TEXT', about: 'why, for the audit log', required: true },
    end: { about: 'ends the hold' },
  },
  examples: [
    'earmark documents hold 01890000-0000-7000-8000-000000000000 --reason "Case 4711."',
    'earmark documents hold 01890000-0000-7000-8000-000000000000 --end --reason "Case 4711 is closed."',
  ],
  run: async (call) => (await import('../erase.ts')).hold(call),
});

export const documentCommands = [list, show, accept, reject, read, evaluate, erase, hold, recheck];
