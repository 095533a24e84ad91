// Background loop that passes new documents to the checkers. Due times are stored in the database, so pending checks survive a restart.
import { randomUUID } from 'node:crypto';
import { later } from '../../../core/clock.ts';
import { Refusal } from '../../../core/problems.ts';
import { nowOfAccount } from '../../../platform/db/account-clock.ts';
import { type Fragment, fragment, type Sql } from '../../../platform/db/sql.ts';
import { decide } from '../decide.ts';
import { type Document, findDocument } from '../document.ts';
import { strongest } from '../evidence/evidence.ts';
import { countAcceptance, defaultPolicy, findPolicy } from '../policy/policy.ts';
import { byPrecedence } from '../reason.ts';
import { writeReview } from '../review.ts';
import { lockSubject } from '../subject.ts';
import { askAll, type Opinion, type Tools } from './ask.ts';
import { agree, isSampled } from './auto-decide.ts';
import { basisOf } from './basis.ts';
import type { Checker } from './checker.ts';
import { writeResult } from './result.ts';

type Checking = {
  /** Delay between the submission of a document and its check; undefined without checkers. */
  delayMs: number | undefined;
  /** Schedules a run for a document that was just submitted. */
  wake(): void;
  close(): Promise<void>;
};

type Due = { bucket: number; id: string; accountId: string; checkAt: Date };

const BATCH = 20;
/** A slow checker of one account does not delay the documents of others. */
const ACCOUNTS_AT_ONCE = 4;
// Picks up documents submitted through other processes, and those whose lease expired.
const POLL_MS = 5_000;
/** When a check that did not come to its end is tried again. Meanwhile people see the document in their queue. */
const RETRIES_MS = [30_000, 120_000, 600_000, 3_600_000, 6 * 3_600_000];

/** Starts the loop, beginning with documents already due. Without checkers every document goes to human review. */
export function openChecking(tools: Tools, checkers: Checker[], delayMs: number, retriesMs = RETRIES_MS): Checking {
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
    running ??= checkDue(tools, { checkers, retriesMs, isClosed: () => closed })
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

type Run = { checkers: Checker[]; retriesMs: readonly number[]; isClosed(): boolean };

/** Checks all due documents, in batches that take from each account in turn. */
async function checkDue(tools: Tools, run: Run): Promise<void> {
  const { sql } = tools.database;
  for (let due = BATCH; due === BATCH && !run.isClosed(); ) {
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
      for (let next = accounts.shift(); next; next = accounts.shift()) await checkAccount(tools, run, next);
    };
    await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, work));
    due = rows.length;
  }
}

/** Checks the documents of one account, unless another process does. */
async function checkAccount(tools: Tools, run: Run, rows: Due[]): Promise<void> {
  const { sql } = tools.database;
  const lease = { accountId: rows[0]!.accountId, holder: randomUUID() };
  try {
    for (const row of rows) if (!run.isClosed() && (await takeLease(sql, lease))) await checkOne(tools, run, row);
  } finally {
    await returnLease(sql, lease);
  }
}

async function checkOne(tools: Tools, { checkers, retriesMs, isClosed }: Run, due: Due): Promise<void> {
  const { sql } = tools.database;
  const { bucket, id, accountId, checkAt } = due;
  // A lease of the document: another process retries it if this one dies.
  const leasedUntil = later(tools.clock.now(accountId), LEASE_MS);
  const [leased] = await sql<{ checkAttempts: number }>`
    update document set check_at = ${leasedUntil}, check_attempts = check_attempts + 1
    where bucket = ${bucket} and id = ${id} and check_at = ${checkAt}
    returning check_attempts`;
  const document = leased && (await findDocument(sql, id));
  if (!document) return;
  const pauseMs = retriesMs[leased.checkAttempts - 1];
  const opinions = await askAll(tools, checkers, document, { isLast: pauseMs === undefined });
  // Unless meanwhile a person decided, the content was erased, or another process took over.
  const stillDue = fragment`id = ${id} and check_at = ${leasedUntil}`;
  if (isClosed()) {
    // The checkers were interrupted: the next process asks them again.
    await sql`update document set check_at = ${checkAt}, check_attempts = check_attempts - 1 where bucket = ${bucket} and ${stillDue}`;
  } else if (!opinions) {
    const again = later(tools.clock.now(accountId), pauseMs!);
    await sql`update document set check_at = ${again} where bucket = ${bucket} and ${stillDue}`;
  } else await record(tools, document, opinions, stillDue);
}

/** Records every verdict with its result, and decides if they agree and the policy of the account allows it. Does nothing unless `stillDue`. */
async function record(
  { database, sealer, config, clock }: Tools,
  document: Document,
  opinions: Opinion[],
  stillDue: Fragment,
): Promise<void> {
  const evidence = strongest(opinions.flatMap(({ verdict }) => verdict.evidence ?? []));
  await database
    .transaction(async (tx) => {
      // Decisions and erasures lock the subject too.
      await lockSubject(tx, document);
      const due = await tx`select 1 from document where bucket = ${document.bucket} and ${stillDue}`;
      if (due.length === 0) return;
      const now = clock.now(document.accountId);
      const today = now.toISOString().slice(0, 10);
      const policy = (await findPolicy(tx, document.accountId)) ?? defaultPolicy(config.autoDecide, config.mode);
      const basis = basisOf(evidence, policy);
      const proposed = agree(opinions, policy, evidence.level);
      const isAcceptance = proposed?.isByPolicy === true && proposed.judgement.decision === 'accepted';
      const sampled = isAcceptance && isSampled(sealer, policy, document.id);
      const isAllowed = !sampled && (!isAcceptance || (await countAcceptance(tx, document.accountId, policy, today)));
      const agreed = isAllowed ? proposed?.judgement : undefined;
      for (const [index, { checker, reviewer, verdict }] of opinions.entries()) {
        if (verdict.result) await writeResult(tx, sealer, document, { ...checker, result: verdict.result }, now);
        if (agreed && index === opinions.length - 1) {
          await decide(tx, config, document, reviewer, { ...agreed, basis }, now);
          continue;
        }
        // What a checker proposes is for reviewers, unless all agree.
        const isAgreed = agreed !== undefined && verdict.decision === agreed.decision;
        const { decision } = isAgreed ? verdict : { decision: 'undecided' as const };
        const reasons = isAgreed && verdict.decision === 'rejected' ? byPrecedence(verdict.reasons) : [];
        await writeReview(tx, document, { reviewer, decision, reasons, note: undefined, effective: isAgreed, basis }, now);
      }
      await tx`
        update document set check_at = null, evidence = ${evidence}, sampled = ${sampled}
        where bucket = ${document.bucket} and id = ${document.id}`;
    })
    .catch((error: unknown) => {
      // Meanwhile a person decided on the document, and can still take the decision back.
      if (!(error instanceof Refusal && error.problem === 'documentDecided')) throw error;
    });
}

/** Longer than a document takes. Another process continues after it when this one dies. */
const LEASE_MS = 5 * 60_000;

/** Takes or renews the lease of an account by the database's clock. Returns false while another holder has it. */
async function takeLease(sql: Sql, { accountId, holder }: { accountId: string; holder: string }): Promise<boolean> {
  const rows = await sql`
    insert into document_check_lease as lease (account_id, holder, until)
    values (${accountId}, ${holder}, now() + ${LEASE_MS} * interval '1 ms')
    on conflict (account_id) do update set holder = excluded.holder, until = excluded.until
    where lease.holder = excluded.holder or lease.until <= now()
    returning account_id`;
  return rows.length > 0;
}

async function returnLease(sql: Sql, { accountId, holder }: { accountId: string; holder: string }): Promise<void> {
  await sql`delete from document_check_lease where account_id = ${accountId} and holder = ${holder}`;
}
