// `earmark review list|show|accept|reject`: reviews documents from a terminal.
import { resolve } from 'node:path';
import { isId } from '../../core/ids.ts';
import { Refusal } from '../../core/problems.ts';
import { writeAudit } from '../../ledger/audit/audit.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { describeFindings } from '../../resources/documents/checking/finding.ts';
import { listResults, type StoredResult } from '../../resources/documents/checking/result.ts';
import { decideAudited, type Judgement } from '../../resources/documents/decide.ts';
import { type Document, findDocument, listWaiting } from '../../resources/documents/document.ts';
import { LEVEL_TEXTS, PART_LABELS } from '../../resources/documents/evidence/evidence.ts';
import type { Reason } from '../../resources/documents/reason.ts';
import { findRecord } from '../../resources/documents/record.ts';
import { openStores } from '../../resources/documents/store/store.ts';
import { findPerson } from '../../resources/documents/subject.ts';
import { recordLook, viewCopy } from '../../resources/documents/view-copy.ts';
import { commandLineActor, commandLineReviewer } from './actor.ts';
import { UsageError } from './command.ts';
import { print, printTable, printText } from './output.ts';
import { formatOfFile, isStandardOutput, printBeside, writeOutput } from './output-file.ts';
import { printResult } from './reading.ts';
import { openSealerOf, type Tools, withDatabase } from './with-database.ts';

const LISTED_MAX = 200;
/** The formats of clean copies. */
const ENDINGS = { 'image/jpeg': ['.jpg', '.jpeg'], 'application/pdf': ['.pdf'], 'application/json': ['.json'] } as const;

type DocumentCall<Options> = { words: readonly [id: string]; options: Options; json: boolean };
type ShowCall = DocumentCall<{ file: string | undefined; reveal: boolean }>;
type JudgeCall = DocumentCall<{ note: string | undefined }>;
type RejectCall = DocumentCall<{ reason: string[]; note: string | undefined }>;

export async function list({ json }: { json: boolean }): Promise<number> {
  const pending = await withDatabase(async ({ database: { sql } }) => {
    const documents = await listWaiting(sql, { limit: LISTED_MAX });
    return Promise.all(documents.map(async (document) => ({ document, person: await findPerson(sql, document) })));
  }, requireMigrated);
  const rows = pending.map(({ document, person }) => ({
    document_id: document.id,
    type: document.type,
    created: document.created.toISOString(),
    of: document.ownerId === null ? 'customer' : 'beneficial owner',
    name: `${person?.firstName} ${person?.lastName}`,
  }));
  if (json) print({ documents: rows }, true);
  else printTable(rows, 'No document needs a decision.');
  return 0;
}

export async function show({ words: [id], options: { file, reveal }, json }: ShowCall): Promise<number> {
  const named = file === undefined ? undefined : formatOfFile(file, ENDINGS);
  if (file !== undefined) printBeside(file);
  return withDatabase(async (tools) => {
    const { config, database } = tools;
    const sealer = await openSealerOf(tools);
    const document = await findWanted(tools, id);
    const { mediaType } = document;
    const [ending] = ENDINGS[mediaType];
    // Refuses before the access is recorded.
    if (named !== undefined && named !== mediaType)
      throw new UsageError(`The copy of this document is ${mediaType}: name a file that ends in ${ending}.`);
    if (document.copyKey === null) throw new UsageError('The content of this document has been erased.');
    const path = file === undefined || isStandardOutput(file) ? file : resolve(file);
    const resource = { type: 'document', id };
    const reviewer = commandLineReviewer();
    if (reveal) await writeAudit(database.sql, commandLineActor(), { action: 'reveal_record', resource });
    if (path === undefined) await recordLook(database.sql, document, reviewer, new Date());
    else {
      await writeAudit(database.sql, commandLineActor(), { action: 'look_at_document', resource });
      const stores = openStores(config, database);
      const copy = await viewCopy({ database, sealer, stores }, document, reviewer, new Date());
      await writeOutput(path, [copy!], { isPrivate: true });
      if (mediaType === 'application/pdf')
        process.stderr.write('This PDF is the submitted file: open it in a viewer that disables scripts and links.\n');
    }
    const { level } = document.evidence ?? {};
    const shown = {
      document_id: id,
      type: document.type,
      source: document.source,
      status: document.status,
      ...(path && { file: path }),
    };
    const results = await listResults(database.sql, sealer, document);
    const record = await findRecord(database.sql, sealer, document);
    const { firstName, lastName, ...secrets } = record ?? {};
    const onRecord = record && { firstName, lastName, ...(reveal && secrets) };
    if (json) {
      print(
        {
          ...shown,
          record: onRecord,
          evidence: document.evidence,
          results: results.map((result) => summarize(result, describeFindings(result, record, { reveal }))),
        },
        true,
      );
      return 0;
    }
    print({ ...shown, ...onRecord, evidence: level ? `${level}: ${LEVEL_TEXTS[level]}` : 'not checked yet' }, false);
    if (document.evidence)
      printTable(
        document.evidence.parts.map(({ name, ...part }) => ({ part: PART_LABELS[name], ...part })),
        '',
      );
    for (const { text } of document.evidence?.hints ?? []) printText(`Hint, which proves nothing: ${text}\n`);
    for (const result of results) printResult(result, record, { reveal });
    return 0;
  });
}

function summarize(result: StoredResult, findings: ReturnType<typeof describeFindings>) {
  const { checker, version, created, proposal, reasons, likenesses = [], reference } = result;
  return { checker, version, created, proposal, reasons, findings, likenesses, ...(reference !== undefined && { reference }) };
}

export async function accept({ words: [id], options: { note }, json }: JudgeCall): Promise<number> {
  return judge(id, { decision: 'accepted', reasons: [], note }, json);
}

export async function reject({ words: [id], options: { reason, note }, json }: RejectCall): Promise<number> {
  return judge(id, { decision: 'rejected', reasons: reason as Reason[], note }, json);
}

type Wanted = Omit<Judgement, 'note'> & { note: string | undefined };

async function judge(id: string, { decision, reasons, note }: Wanted, json: boolean): Promise<number> {
  const judgement = { decision, reasons, ...(note !== undefined && { note }) };
  const { reviewId, outcome } = await withDatabase(async (tools) => {
    const document = await findWanted(tools, id);
    const by = { reviewer: commandLineReviewer(), actor: commandLineActor() };
    return tools.database.transaction((tx) => decideAudited(tx, tools.config, document, by, judgement, new Date()));
  }).catch((error: unknown) => {
    throw error instanceof Refusal ? new UsageError(error.message) : error;
  });
  print({ document_id: id, decision, review_id: reviewId, outcome }, json);
  return 0;
}

export async function findWanted({ database }: Tools, id: string): Promise<Document> {
  const document = isId(id) ? await findDocument(database.sql, id) : undefined;
  if (!document) throw new UsageError(`There is no document ${id}.`);
  return document;
}
