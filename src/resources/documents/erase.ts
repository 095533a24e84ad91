// Erases document content, after the retention period or on request: drops the keys, deletes the bytes and what was read. The record and
// its reviews stay. A document that nobody decided on is rejected, because nobody can decide on it any more.
import type { Config } from '../../platform/config/config.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { decide, type Judgement } from './decide.ts';
import { type Document, findDocument } from './document.ts';
import type { Reviewer } from './review.ts';
import type { Stores } from './store/store.ts';
import { lockContent } from './subject.ts';

type Tools = {
  config: Pick<Config, 'documentRetentionDays' | 'foreignPassports'>;
  database: Database;
  stores: Stores;
};
type Row = { id: string; status: Document['status']; since: Date };

/** Who erases, and the note on a document that was pending. */
type Cause = { reviewer: Reviewer; note: string };

const BATCH = 100;
const DAY_MS = 24 * 3_600_000;
// Longer than any upload takes.
const UNCLAIMED_AFTER_MS = 3_600_000;
/** A retention that is shorter is not meant for documents that still wait for a person. */
const PENDING_DAYS_MIN = 30;
const RETENTION: Reviewer = { kind: 'checker', name: 'retention', version: '1', lookedAt: ['created'] };

/**
 * Erases documents decided DOCUMENT_RETENTION_DAYS before `now`, and abandoned ones, uploaded as long before (at least 30 days) and
 * never decided: one transaction each. Then sweeps unclaimed content from an external store. Stops when the signal aborts. Returns the
 * number of documents for each. A failure does not stop the others: the first error is thrown at the end.
 */
export async function eraseDocuments(tools: Tools, now: Date, signal?: AbortSignal): Promise<{ erased: number; swept: number }> {
  const { config, database, stores } = tools;
  const failures: unknown[] = [];
  const pendingDays = Math.max(config.documentRetentionDays, PENDING_DAYS_MIN);
  const before = { decided: daysBefore(now, config.documentRetentionDays), created: daysBefore(now, pendingDays) };
  const note = `Nobody decided on the document within ${pendingDays} days. Its content was erased.`;
  let erased = 0;
  for (let last: Row | undefined, rows: Row[] = []; ; last = rows.at(-1)) {
    rows = await listDue(database, before, last);
    for (const row of rows) {
      if (signal?.aborted) break;
      try {
        const isDue = ({ status }: Document) => status === row.status;
        if (await eraseDocument(tools, row.id, { reviewer: RETENTION, note }, now, { isDue })) erased++;
      } catch (error) {
        failures.push(error);
      }
    }
    if (rows.length < BATCH || signal?.aborted) break;
  }
  const swept = await stores.current.sweep(new Date(now.getTime() - UNCLAIMED_AFTER_MS), signal);
  if (failures.length > 0) throw failures[0];
  return { erased, swept };
}

type Options = {
  /** Asked again in the transaction: a person may have decided meanwhile. */
  isDue?(document: Document): boolean;
  /** More work in the transaction. */
  also?(tx: Sql): Promise<void>;
};

/** Erases the content of a document. Returns false if it has been erased already, or is on hold. An external store deletes the bytes in its next sweep. */
export async function eraseDocument(
  { config, database, stores }: Tools,
  id: string,
  { reviewer, note }: Cause,
  now: Date,
  { isDue = () => true, also }: Options = {},
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const found = await findDocument(tx, id);
    if (!found) return false;
    const document = await lockContent(tx, found);
    if (!document || !isDue(document)) return false;
    if (document.held !== null) return false;
    const { bucket, status, store } = document;
    await tx`
      update document set opinion_id = null, claimed_by = null, claimed_until = null, check_at = null, pending_review = null,
        pending_until = null
      where bucket = ${bucket} and id = ${id}`;
    if (status === 'pending') {
      const judgement: Judgement = { decision: 'rejected', reasons: ['ScanNotUploaded'], note };
      await decide(tx, { ...config, reviewFourEyes: false }, document, reviewer, judgement, now);
    }
    await tx`
      update document set original_key = null, copy_key = null, content_mac = null, erased = ${now}
      where bucket = ${bucket} and id = ${id}`;
    await stores.of({ store }).erase(tx, id, now);
    await tx`delete from document_reading where bucket = ${bucket} and document_id = ${id}`;
    await tx`delete from document_trait where document_id = ${id}`;
    await also?.(tx);
    return true;
  });
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

async function listDue({ sql }: Database, before: { decided: Date; created: Date }, last: Row | undefined): Promise<Row[]> {
  return sql<Row>`
    select id, status, coalesce(decided, created) as since from document
    where erased is null and held is null and coalesce(decided, created) <= ${before.decided}
      and (status <> 'pending' or created <= ${before.created})
      and (coalesce(decided, created), id) > (${last?.since ?? new Date(0)}, ${last?.id ?? '00000000-0000-0000-0000-000000000000'})
    order by coalesce(decided, created), id
    limit ${BATCH}`;
}
