// Asks the checkers about a document: each verdict with its checker, and whether all checks came to their end.
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/sql.ts';
import type { Sealer } from '../../../platform/keys/sealing.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import type { Document } from '../document.ts';
import { isReasonFor } from '../reason.ts';
import { findRecord } from '../record.ts';
import type { Reviewer } from '../review.ts';
import type { Stores } from '../store/store.ts';
import { findPerson, type Person } from '../subject.ts';
import { viewChip, viewCopy, viewOriginal } from '../view-copy.ts';
import type { Checker, Submitted, Verdict } from './checker.ts';

export type Tools = {
  config: Config;
  database: Database;
  sealer: Sealer;
  stores: Stores;
  log: FastifyBaseLogger;
  clock: Clock;
  metrics: Pick<Metrics, 'documentChecks'>;
};

export type Opinion = { checker: Pick<Checker, 'name' | 'version'>; reviewer: Reviewer; verdict: Verdict; isScript: boolean };

/** Asks every checker, or until the script decides. Returns undefined when a check did not come to its end, unless it `isLast`. */
export async function askAll(
  tools: Tools,
  checkers: Checker[],
  document: Document,
  { isLast }: { isLast: boolean },
): Promise<Opinion[] | undefined> {
  const person = await findPerson(tools.database.sql, document);
  const opinions: Opinion[] = [];
  const asked = document.source === 'chip' ? checkers.filter(({ readsChips }) => readsChips) : checkers;
  for (const checker of person ? asked : []) {
    const opinion = await ask(tools, checker, document, person!);
    const { verdict, isScript } = opinion;
    if (verdict.isUnfinished && !isLast) return undefined;
    opinions.push(opinion);
    if (isScript && verdict.decision !== 'undecided') break;
  }
  return opinions;
}

/** A checker that throws has not finished. One that rejects for a reason that does not apply counts as undecided. */
async function ask(tools: Tools, checker: Checker, document: Document, person: Person): Promise<Opinion> {
  const { name, version, isScript = false } = checker;
  const { database, sealer, config, clock } = tools;
  const asReviewer = (lookedAt: string[]): Reviewer => ({ kind: 'checker', name, version, lookedAt });
  const now = clock.now(document.accountId);
  const submitted: Submitted = {
    document,
    person,
    today: now.toISOString().slice(0, 10),
    record: () => findRecord(database.sql, sealer, document),
    copy: () => viewCopy(tools, document, asReviewer(['copy']), now),
    original: () => viewOriginal(tools, document, asReviewer(['original']), now),
    chip: () => viewChip(tools, document, asReviewer(['chip']), now),
  };
  const { runs, seconds } = tools.metrics.documentChecks;
  const startedMs = performance.now();
  let failed = false;
  const given = await checker.check(submitted).catch((error: unknown): Verdict => {
    failed = true;
    tools.log.error({ err: error, checker: name, document: document.id }, 'checker failed');
    return { decision: 'undecided', lookedAt: [], isUnfinished: true };
  });
  seconds({ checker: name }).observe((performance.now() - startedMs) / 1000);
  runs({ checker: name, outcome: failed ? 'failed' : given.isUnfinished ? 'timeout' : given.decision }).add();
  const { decision: _, ...rest } = given;
  const fits = given.decision !== 'rejected' || given.reasons.every((reason) => isReasonFor(reason, document.type, config));
  const verdict: Verdict = fits ? given : { ...rest, decision: 'undecided' };
  return { checker: { name, version }, reviewer: asReviewer(given.lookedAt), verdict, isScript };
}
