// Background loop that passes new documents to the checkers. Due times are stored in the database, so pending checks survive a restart.
import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { nowOfAccount } from '../../db/account-clock.ts';
import type { Database } from '../../db/sql.ts';
import { type ProblemName, Refusal } from '../../problems.ts';
import type { Sealer } from '../../sealing.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { decide, type Judgement } from '../decide.ts';
import { type Document, findDocument } from '../document.ts';
import { isReasonFor } from '../reason.ts';
import { findRecord } from '../record.ts';
import { type Reviewer, writeReview } from '../review.ts';
import type { Stores } from '../store/store.ts';
import { findPerson, type Person } from '../subject.ts';
import { viewCopy } from '../view-copy.ts';
import { mayDecide } from './auto-decide.ts';
import type { Checker, Submitted, Verdict } from './checker.ts';
import { LEASE_MS, returnLease, takeLease } from './lease.ts';
import { writeResult } from './result.ts';

type Checking = {
  /** Delay between the submission of a document and its check; undefined without checkers. */
  delayMs: number | undefined;
  /** Schedules a run for a document that was just submitted. */
  wake(): void;
  close(): Promise<void>;
};

type Tools = {
  config: Config;
  database: Database;
  sealer: Sealer;
  stores: Stores;
  log: FastifyBaseLogger;
  clock: Clock;
  metrics: Pick<Metrics, 'documentChecks'>;
};
type Due = { bucket: number; id: string; accountId: string; checkAt: Date };
type Opinion = { checker: Pick<Checker, 'name' | 'version'>; reviewer: Reviewer; verdict: Verdict; decides: boolean };

const BATCH = 20;
/** A slow checker of one account does not delay the documents of others. */
const ACCOUNTS_AT_ONCE = 4;
// Picks up documents submitted through other processes, and those whose lease expired.
const POLL_MS = 5_000;
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
      for (const checker of checkers) checker.close?.();
      await running;
    },
  };
}

/** Checks all due documents, in batches that take from each account in turn. */
async function checkDue(tools: Tools, checkers: Checker[], isClosed: () => boolean): Promise<void> {
  const { sql } = tools.database;
  for (let due = BATCH; due === BATCH && !isClosed(); ) {
    const now = tools.clock.now();
    const rows = await sql<Due>`
      select bucket, id, account_id, check_at
      from (
        select d.bucket, d.id, d.account_id, d.check_at, row_number() over (partition by d.account_id order by d.check_at) as place
        from document d
        left join account_clock clock on clock.account_id = d.account_id
        left join document_check_lease l on l.account_id = d.account_id and l.until > now()
        where l.account_id is null and d.check_at <= ${nowOfAccount(now)}
      ) due
      order by place, check_at limit ${BATCH}`;
    const accounts = [...Map.groupBy(rows, ({ accountId }) => accountId).values()];
    const work = async () => {
      for (let next = accounts.shift(); next; next = accounts.shift()) await checkAccount(tools, checkers, next, isClosed);
    };
    await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, work));
    due = rows.length;
  }
}

/** Checks the documents of one account, unless another process does. */
async function checkAccount(tools: Tools, checkers: Checker[], rows: Due[], isClosed: () => boolean): Promise<void> {
  const { sql } = tools.database;
  const lease = { accountId: rows[0]!.accountId, holder: randomUUID() };
  try {
    for (const row of rows) if (!isClosed() && (await takeLease(sql, lease))) await checkOne(tools, checkers, row, isClosed);
  } finally {
    await returnLease(sql, lease);
  }
}

async function checkOne(tools: Tools, checkers: Checker[], due: Due, isClosed: () => boolean): Promise<void> {
  const { sql } = tools.database;
  const { bucket, id, accountId, checkAt } = due;
  // A lease of the document: another process retries it if this one dies.
  const leased = await sql`
    update document set check_at = ${new Date(tools.clock.now(accountId).getTime() + LEASE_MS)}
    where bucket = ${bucket} and id = ${id} and check_at = ${checkAt}
    returning id`;
  const document = leased.length > 0 ? await findDocument(sql, id) : undefined;
  if (!document) return;
  const opinions = await askInOrder(tools, checkers, document);
  // The checkers were interrupted: the next process asks them again.
  if (isClosed())
    await sql`update document set check_at = ${checkAt} where bucket = ${bucket} and id = ${id} and status = 'pending'`;
  else await record(tools, document, opinions);
}

/** Asks the checkers until the verdict of one may decide. */
async function askInOrder(tools: Tools, checkers: Checker[], document: Document): Promise<Opinion[]> {
  const person = await findPerson(tools.database.sql, document);
  const opinions: Opinion[] = [];
  for (const checker of person ? checkers : []) {
    const opinion = await ask(tools, checker, document, person!);
    opinions.push(opinion);
    if (opinion.decides) break;
  }
  return opinions;
}

/** Records every verdict with its result, and decides if one may. */
async function record({ database, sealer, config, clock }: Tools, document: Document, opinions: Opinion[]): Promise<void> {
  await database
    .transaction(async (tx) => {
      const now = clock.now(document.accountId);
      for (const { checker, reviewer, verdict, decides } of opinions) {
        if (verdict.result) await writeResult(tx, sealer, document, { ...checker, result: verdict.result }, now);
        if (decides && verdict.decision !== 'undecided') {
          await decide(tx, config, document, reviewer, toJudgement(verdict), now);
        } else {
          await writeReview(
            tx,
            document,
            { reviewer, decision: 'undecided', reasons: [], note: undefined, effective: false },
            now,
          );
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
  const { database, sealer, config, clock } = tools;
  const asReviewer = (lookedAt: string[]): Reviewer => ({ kind: 'checker', name, version, lookedAt });
  const now = clock.now(document.accountId);
  const submitted: Submitted = {
    document,
    person,
    today: now.toISOString().slice(0, 10),
    record: () => findRecord(database.sql, sealer, document),
    copy: () => viewCopy(tools, document, asReviewer(['copy']), now),
  };
  const { runs, seconds } = tools.metrics.documentChecks;
  const startedMs = performance.now();
  let failed = false;
  const given = await checker.check(submitted).catch((error: unknown): Verdict => {
    failed = true;
    tools.log.error({ err: error, checker: name, document: document.id }, 'checker failed');
    return { decision: 'undecided', lookedAt: [] };
  });
  seconds({ checker: name }).observe((performance.now() - startedMs) / 1000);
  runs({ checker: name, outcome: failed ? 'failed' : given.decision }).add();
  const { lookedAt, result } = given;
  const fits = given.decision !== 'rejected' || given.reasons.every((reason) => isReasonFor(reason, document.type, config));
  const verdict: Verdict = fits ? given : { decision: 'undecided', lookedAt, ...(result && { result }) };
  const decides = checker.isScript ? verdict.decision !== 'undecided' : mayDecide(verdict, config.autoDecide);
  return { checker: { name, version }, reviewer: asReviewer(lookedAt), verdict, decides };
}

function toJudgement(verdict: Exclude<Verdict, { decision: 'undecided' }>): Judgement {
  return verdict.decision === 'accepted' ? { decision: 'accepted' } : { decision: 'rejected', reasons: verdict.reasons };
}
