// `earmark review list|show|accept|reject`: people at a terminal decide on documents.
import { writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { requireMigrated } from '../db/migrate.ts';
import { decide, type Judgement } from '../documents/decide.ts';
import { type Document, findDocument, listPending } from '../documents/document.ts';
import { lookAtCopy } from '../documents/look.ts';
import { REASONS, type Reason } from '../documents/reason.ts';
import type { Reviewer } from '../documents/review.ts';
import { openStores } from '../documents/store/store.ts';
import { findPerson } from '../documents/subject.ts';
import { isId } from '../ids.ts';
import { Refusal } from '../problems.ts';
import { command, UsageError } from './command.ts';
import { print, printTable } from './output.ts';
import { openSealerOf, type Tools, withDatabase } from './with-database.ts';

const LISTED = 200;

const DOCUMENT = { name: 'DOCUMENT_ID', about: 'the id of the document' } as const;
const NOTE = { value: 'TEXT', about: 'words kept with the decision' } as const;

const listCommand = command({
  name: 'review list',
  about: 'Lists the documents that wait for a decision.',
  examples: ['earmark review list'],
  run: async ({ json }) => list(json),
});

const showCommand = command({
  name: 'review show',
  about: 'Writes the clean copy of a document to a file that only you can read; that you looked is recorded.',
  words: [DOCUMENT],
  options: { file: { value: 'FILE', about: 'where to write it', fallback: 'DOCUMENT_ID.jpg or .pdf here' } },
  examples: ['earmark review show 01890000-0000-7000-8000-000000000000 --file /tmp/passport.jpg'],
  run: async ({ words: [id], options, json }) => show(id, options.file, json),
});

const acceptCommand = command({
  name: 'review accept',
  about: 'Accepts a document.',
  words: [DOCUMENT],
  options: { note: NOTE },
  examples: ['earmark review accept 01890000-0000-7000-8000-000000000000'],
  run: async ({ words: [id], options: { note }, json }) => judge(id, { decision: 'accepted', reasons: [], note }, json),
});

const rejectCommand = command({
  name: 'review reject',
  about: 'Rejects a document, with the reasons that its owner is told.',
  words: [DOCUMENT],
  options: { reason: { value: 'CODE', about: 'why', values: REASONS, multiple: true }, note: NOTE },
  examples: ['earmark review reject 01890000-0000-7000-8000-000000000000 --reason ScanNotReadable,ScanIdExpired'],
  run: async ({ words: [id], options: { reason, note }, json }) =>
    judge(id, { decision: 'rejected', reasons: reason as Reason[], note }, json),
});

export const review = [listCommand, showCommand, acceptCommand, rejectCommand];

async function list(json: boolean): Promise<number> {
  const waiting = await withDatabase(async ({ database: { sql } }) => {
    const documents = await listPending(sql, LISTED);
    return Promise.all(documents.map(async (document) => ({ document, person: await findPerson(sql, document) })));
  }, requireMigrated);
  const rows = waiting.map(({ document, person }) => ({
    document_id: document.id,
    type: document.type,
    created: document.created.toISOString(),
    of: document.ownerId === null ? 'customer' : 'beneficial owner',
    name: `${person?.firstName} ${person?.lastName}`,
  }));
  if (json) print({ documents: rows }, true);
  else printTable(rows, 'No document waits for a decision.');
  return 0;
}

async function show(id: string, file: string | undefined, json: boolean): Promise<number> {
  return withDatabase(async (tools) => {
    const { config, database } = tools;
    const sealer = await openSealerOf(tools);
    const document = await findWanted(tools, id);
    const copy = await lookAtCopy({ database, sealer, stores: openStores(config, database) }, document, person(), new Date());
    if (!copy) throw new UsageError('The pictures of this document have been erased.');
    const isPdf = document.mediaType === 'application/pdf';
    const path = resolve(file ?? `${id}.${isPdf ? 'pdf' : 'jpg'}`);
    await writePrivately(path, copy);
    if (isPdf) process.stderr.write('This PDF is as it was submitted: open it where scripts and links do nothing.\n');
    print({ document_id: id, type: document.type, status: document.status, file: path }, json);
    return 0;
  });
}

type Wanted = Omit<Judgement, 'note'> & { note: string | undefined };

async function judge(id: string, { decision, reasons, note }: Wanted, json: boolean): Promise<number> {
  const judgement = { decision, reasons, ...(note !== undefined && { note }) };
  const reviewId = await withDatabase(async (tools) => {
    const document = await findWanted(tools, id);
    return tools.database.transaction((tx) => decide(tx, tools.config, document, person(), judgement, new Date()));
  }).catch((error: unknown) => {
    throw error instanceof Refusal ? new UsageError(error.message) : error;
  });
  print({ document_id: id, decision, review_id: reviewId }, json);
  return 0;
}

async function findWanted({ database }: Tools, id: string): Promise<Document> {
  const document = isId(id) ? await findDocument(database.sql, id) : undefined;
  if (!document) throw new UsageError(`There is no document ${id}.`);
  return document;
}

function person(): Reviewer {
  return { kind: 'person', name: userInfo().username, place: hostname() };
}

/** For its owner's eyes only, and never over a file that is there. */
async function writePrivately(path: string, content: Buffer): Promise<void> {
  await writeFile(path, content, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(error.code === 'EEXIST' ? `${path} is there already.` : `${path} cannot be written: ${error.code}.`);
  });
}
