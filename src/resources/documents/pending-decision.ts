// Decisions of people of the console, which they can take back for some seconds: stored, taken back, and applied when the time is over. A
// decision that is stored is applied by any process, also when the one that stored it dies.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { startLoop } from '../../core/loop.ts';
import { Refusal, refuse } from '../../core/problems.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { decideAudited, type Judgement, requireDecidable } from './decide.ts';
import { type Document, findDocument } from './document.ts';
import type { Reviewer } from './review.ts';
import { lockSubject } from './subject.ts';

type Person = Extract<Reviewer, { kind: 'person' }> & { id: string };
type Rules = Pick<Config, 'foreignPassports' | 'reviewFourEyes'>;
type Pending = { reviewer: Person; judgement: Judgement };
type Tools = { config: Rules; database: Database; clock: Clock; log: FastifyBaseLogger };

const POLL_MS = 1_000;
const BATCH = 100;

/** Stores a decision that applies after some seconds, with the checks of `decide`. The document is free of the person's claim. */
export async function deferDecision(
  tx: Sql,
  config: Rules,
  document: Document,
  { reviewer, judgement, now, seconds }: Pending & { now: Date; seconds: number },
): Promise<void> {
  await requireDecidable(tx, config, document, reviewer, judgement, now);
  const pending: Pending = { reviewer, judgement };
  await tx`
    update document set pending_review = ${pending}, pending_until = now() + make_interval(secs => ${seconds}), claimed_by = null,
      claimed_until = null
    where bucket = ${document.bucket} and id = ${document.id}`;
}

/** Takes a decision back. Refuses when it has been applied, or is not of this person. Returns what it was. */
export async function takeBack(tx: Sql, document: Document, personId: string): Promise<Judgement> {
  await lockSubject(tx, document);
  const pending = await findPending(tx, document);
  if (pending?.reviewer.id !== personId) {
    throw refuse('documentDecided', {
      message: 'It is too late: the decision has been applied. You can review the document again.',
    });
  }
  await clearPending(tx, document);
  return pending.judgement;
}

/** The decision of a document that can still be taken back, and until when. */
export async function findPending(
  sql: Sql,
  { bucket, id }: Pick<Document, 'bucket' | 'id'>,
): Promise<(Pending & { until: Date }) | undefined> {
  const [row] = await sql<{ pending: Pending | null; until: Date | null }>`
    select pending_review as pending, pending_until as until from document
    where bucket = ${bucket} and id = ${id} and pending_until is not null`;
  return row?.pending && row.until ? { ...row.pending, until: row.until } : undefined;
}

/** Applies decisions whose time is over, until it is stopped. */
export function startApplying(tools: Tools): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const onError = openOutage(tools.log, 'decisions on documents cannot be applied').note;
  const step = () => applyDue(tools);
  const loop = startLoop({ pollMs: () => POLL_MS, step, onError, signal: stopping.signal });
  return {
    async stop() {
      stopping.abort();
      await loop.ended;
    },
  };
}

async function applyDue(tools: Tools): Promise<boolean> {
  const rows = await tools.database.sql<{ id: string }>`
    select id from document where pending_until <= now() order by pending_until limit ${BATCH}`;
  for (const { id } of rows) await applyOne(tools, id);
  return rows.length === BATCH;
}

/** The review, its events and its entry of the audit log commit together with the end of the pending decision. */
async function applyOne({ config, database, clock, log }: Tools, id: string): Promise<void> {
  const document = await findDocument(database.sql, id);
  if (!document) return;
  try {
    await database.transaction((tx) => apply(tx, config, document, clock.now(document.accountId)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // It was decided on or erased since. Nothing else may apply the decision later.
    log.warn({ err: error, document: id }, 'a decision on a document is not possible any more');
    await database.transaction(async (tx) => {
      await lockSubject(tx, document);
      await clearPending(tx, document);
    });
  }
}

async function apply(tx: Sql, config: Rules, document: Document, now: Date): Promise<void> {
  await lockSubject(tx, document);
  const pending = await findPending(tx, document);
  // Another process applied it, or the person took it back.
  if (!pending) return;
  await clearPending(tx, document);
  const { reviewer, judgement } = pending;
  const actor = { operatorId: reviewer.id, name: reviewer.name, place: reviewer.place };
  await decideAudited(tx, config, document, { reviewer, actor }, judgement, now);
}

async function clearPending(tx: Sql, { bucket, id }: Document): Promise<void> {
  await tx`update document set pending_review = null, pending_until = null where bucket = ${bucket} and id = ${id}`;
}
