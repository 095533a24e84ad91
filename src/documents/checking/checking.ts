// Background loop that passes new documents to the checkers. Due times are stored in the database, so pending checks survive a restart.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/sql.ts';
import { type ProblemName, Refusal } from '../../problems.ts';
import type { Sealer } from '../../sealing.ts';
import { decide, type Judgement } from '../decide.ts';
import { type Document, findDocument } from '../document.ts';
import { isReasonFor } from '../reason.ts';
import { type Reviewer, writeReview } from '../review.ts';
import type { Stores } from '../store/store.ts';
import { findPerson, type Person } from '../subject.ts';
import { viewCopy } from '../view-copy.ts';
import type { Checker, Verdict } from './checker.ts';

type Checking = {
  /** Delay between the submission of a document and its check; undefined without checkers. */
  delayMs: number | undefined;
  /** Schedules a run for a document that was just submitted. */
  wake(): void;
  close(): Promise<void>;
};

type Tools = { config: Config; database: Database; sealer: Sealer; stores: Stores; log: FastifyBaseLogger; clock: Clock };
type Opinion = { reviewer: Reviewer; verdict: Verdict };

const BATCH = 20;
// Picks up documents submitted through other processes, and those whose lease expired.
const POLL_MS = 5_000;
const LEASE_MS = 5 * 60_000;
const OVERTAKEN: ProblemName[] = ['documentDecided', 'notFound'];

/** Starts the loop, beginning with documents already due. Without checkers every document goes to human review. */
export function openChecking(tools: Tools, checkers: Checker[], delayMs: number): Checking {
  if (checkers.length === 0) return { delayMs: undefined, wake() {}, async close() {} };
  let closed = false;
  let running: Promise<void> | undefined;
  /** The timer fired during a run, which may have missed the newest document. */
  let rerun = false;
  let timer: { handle: NodeJS.Timeout; atMs: number } | undefined;

  function runIn(ms: number): void {
    const atMs = performance.now() + ms;
    if (closed || (timer && timer.atMs <= atMs)) return;
    clearTimeout(timer?.handle);
    timer = { atMs, handle: setTimeout(start, ms).unref() };
  }
  function start(): void {
    timer = undefined;
    rerun = running !== undefined;
    running ??= checkDue(tools, checkers, () => closed)
      .catch((error: unknown) => tools.log.warn({ err: error }, 'checking of documents failed'))
      .finally(() => {
        running = undefined;
        runIn(rerun ? 0 : POLL_MS);
        rerun = false;
      });
  }

  runIn(0);
  return {
    delayMs,
    wake: () => runIn(delayMs),
    async close() {
      closed = true;
      clearTimeout(timer?.handle);
      await running;
    },
  };
}

/** Checks all due documents, in batches. */
async function checkDue(tools: Tools, checkers: Checker[], isClosed: () => boolean): Promise<void> {
  const { sql } = tools.database;
  for (let due = BATCH; due === BATCH; ) {
    const now = tools.clock.now();
    const rows = await sql<{ bucket: number; id: string; accountId: string; checkAt: Date }>`
      select d.bucket, d.id, d.account_id, d.check_at
      from document d
      left join account_clock c on c.account_id = d.account_id
      where d.check_at <= ${now}::timestamptz + coalesce(c.ahead_ms, 0) * interval '1 ms' order by d.check_at limit ${BATCH}`;
    for (const { bucket, id, accountId, checkAt } of rows) {
      if (isClosed()) return;
      // A lease: one process checks the document, and another retries it if that process dies.
      const leased = await sql`
        update document set check_at = ${new Date(tools.clock.now(accountId).getTime() + LEASE_MS)}
        where bucket = ${bucket} and id = ${id} and check_at = ${checkAt}
        returning id`;
      const document = leased.length > 0 ? await findDocument(sql, id) : undefined;
      if (document) await check(tools, checkers, document);
    }
    due = rows.length;
  }
}

/** Asks the checkers in order until one decides, and records every verdict. */
async function check(tools: Tools, checkers: Checker[], document: Document): Promise<void> {
  const person = await findPerson(tools.database.sql, document);
  const opinions: Opinion[] = [];
  for (const checker of person ? checkers : []) {
    const opinion = await ask(tools, checker, document, person!);
    opinions.push(opinion);
    if (opinion.verdict.decision !== 'undecided') break;
  }
  await tools.database
    .transaction(async (tx) => {
      const now = tools.clock.now(document.accountId);
      for (const { reviewer, verdict } of opinions) {
        if (verdict.decision === 'undecided') {
          await writeReview(tx, document, { reviewer, decision: 'undecided', reasons: [], note: undefined }, now);
        } else {
          await decide(tx, tools.config, document, reviewer, toJudgement(verdict), now);
        }
      }
      await tx`update document set check_at = null where bucket = ${document.bucket} and id = ${document.id}`;
    })
    .catch((error: unknown) => {
      // Meanwhile a person decided on the document, or a reset deleted it.
      if (!(error instanceof Refusal && OVERTAKEN.includes(error.problem))) throw error;
    });
}

/** A checker that throws, or rejects for a reason that does not apply, counts as undecided. */
async function ask(tools: Tools, checker: Checker, document: Document, person: Person): Promise<Opinion> {
  const { name, version } = checker;
  const asReviewer = (lookedAt: string[]): Reviewer => ({ kind: 'checker', name, version, lookedAt });
  const { type } = document;
  const copy = () => viewCopy(tools, document, asReviewer(['copy']), tools.clock.now(document.accountId));
  const verdict = await checker.check({ type, person, copy }).catch((error: unknown): Verdict => {
    tools.log.error({ err: error, checker: name, document: document.id }, 'checker failed');
    return { decision: 'undecided', lookedAt: [] };
  });
  const fits = verdict.decision !== 'rejected' || verdict.reasons.every((reason) => isReasonFor(reason, type, tools.config));
  const { lookedAt } = verdict;
  return { reviewer: asReviewer(lookedAt), verdict: fits ? verdict : { decision: 'undecided', lookedAt } };
}

function toJudgement(verdict: Exclude<Verdict, { decision: 'undecided' }>): Judgement {
  return verdict.decision === 'accepted' ? { decision: 'accepted' } : { decision: 'rejected', reasons: verdict.reasons };
}
