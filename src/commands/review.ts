// `earmark review list|show|accept|reject`: people at a terminal decide on documents.
import { writeFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { decide, type Judgement } from '../documents/decide.ts';
import { type Document, findDocument, listPending } from '../documents/document.ts';
import { lookAtCopy } from '../documents/look.ts';
import { REASONS, type Reason } from '../documents/reason.ts';
import type { Reviewer } from '../documents/review.ts';
import { openStores } from '../documents/store/store.ts';
import { findPerson } from '../documents/subject.ts';
import { isId } from '../ids.ts';
import { Refusal } from '../problems.ts';
import { type Command, print, readArgs, UsageError } from './command.ts';
import { openSealerOf, type Tools, withDatabase } from './with-database.ts';

type Values = {
  file?: string | undefined;
  reason?: string[] | undefined;
  note?: string | undefined;
  json?: boolean | undefined;
};

const usage = [
  'review list',
  'review show DOCUMENT_ID [--file PATH]',
  'review accept DOCUMENT_ID [--note TEXT]',
  'review reject DOCUMENT_ID --reason CODE … [--note TEXT]',
];

const LISTED = 200;

export const review: Command = {
  name: 'review',
  usage,
  about: `Lists documents that wait, writes the clean copy of one to a file (which is recorded), decides. Reasons: ${REASONS.join(', ')}.`,
  async run(args) {
    const options = { file: { type: 'string' }, reason: { type: 'string', multiple: true }, note: { type: 'string' } } as const;
    const { values, positionals } = readArgs(args, options, 2);
    const [verb = '', id] = positionals;
    if (verb === 'list' && id === undefined) return list(values);
    if (!id || !['show', 'accept', 'reject'].includes(verb)) {
      throw new UsageError(`Call it as one of:\n${usage.map((line) => `  earmark ${line}`).join('\n')}`);
    }
    if (verb === 'show') return show(id, values);
    return judge(id, verb === 'accept' ? 'accepted' : 'rejected', values);
  },
};

async function list({ json }: Values): Promise<number> {
  const waiting = await withDatabase(async ({ database: { sql } }) => {
    const documents = await listPending(sql, LISTED);
    return Promise.all(documents.map(async (document) => ({ document, person: await findPerson(sql, document) })));
  });
  const rows = waiting.map(({ document, person }) => ({
    document_id: document.id,
    type: document.type,
    created: document.created.toISOString(),
    of: document.ownerId === null ? 'customer' : 'beneficial owner',
    name: `${person?.firstName} ${person?.lastName}`,
  }));
  if (json) print({ documents: rows }, true);
  else if (rows.length === 0) process.stdout.write('No document waits for a decision.\n');
  for (const { document_id, created, type, of, name } of json ? [] : rows) {
    process.stdout.write(`${document_id}  ${created}  ${type.padEnd(8)}  ${of}  ${name}\n`);
  }
  return 0;
}

async function show(id: string, { file, json }: Values): Promise<number> {
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

async function judge(id: string, decision: Judgement['decision'], { reason, note, json }: Values): Promise<number> {
  const reasons = (reason ?? []).flatMap((text) => text.split(/[\s,]+/)).filter((word) => word !== '');
  const unknown = reasons.find((word) => !REASONS.includes(word as Reason));
  if (unknown) throw new UsageError(`--reason takes ${REASONS.join(', ')}; not ${unknown}.`);
  const judgement = { decision, reasons: reasons as Reason[], ...(note !== undefined && { note }) };
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
