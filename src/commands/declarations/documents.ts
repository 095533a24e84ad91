// Declarations of the commands that review documents.
import { REASONS } from '../../documents/reason.ts';
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
  about: 'Writes the clean copy of a document to a file that only you can read. The access is recorded for audit.',
  words: [DOCUMENT],
  options: { file: { value: 'FILE', about: 'the file to write', fallback: 'DOCUMENT_ID.jpg or .pdf in the current folder' } },
  examples: ['earmark review show 01890000-0000-7000-8000-000000000000 --file /tmp/passport.jpg'],
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

export const documentCommands = [list, show, accept, reject];
