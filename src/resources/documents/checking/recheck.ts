// Repeats checks of documents with today's reader, certificates and policies, and lists what differs. Nothing is decided.
import type { Sql } from '../../../platform/db/sql.ts';
import { type Document, findDocument } from '../document.ts';
import { type Level, strongest } from '../evidence/evidence.ts';
import { defaultPolicy, findPolicy } from '../policy/policy.ts';
import { writeReview } from '../review.ts';
import { lockContent } from '../subject.ts';
import { askAll, type Tools } from './ask.ts';
import { agree } from './auto-decide.ts';
import { type Basis, basisOf } from './basis.ts';
import type { Checker } from './checker.ts';
import { writeResult } from './result.ts';

/** `hints`: their names. */
type Outcome = { level: Level; decision: 'accepted' | 'rejected' | 'undecided'; policy: number; hints: string[] };
/** `versions`: the names of what has another version or hash now. */
export type Rechecked = { documentId: string; status: Document['status']; before: Outcome; after: Outcome; versions: string[] };

type Past = { id: string; bucket: number; basis: Basis; decision: Outcome['decision'] };

/** Rechecks every document that checkers looked at since a time and that is not erased, oldest first. */
export async function* recheckDocuments(
  tools: Tools,
  checkers: Checker[],
  { since, isDryRun }: { since: Date; isDryRun: boolean },
): AsyncGenerator<Rechecked> {
  for (const past of await listChecked(tools.database.sql, since)) {
    const document = await findDocument(tools.database.sql, past.id);
    if (document && document.copyKey !== null) yield recheck(tools, checkers, document, { past, isDryRun });
  }
}

async function listChecked(sql: Sql, since: Date): Promise<Past[]> {
  return sql<Past>`
    select distinct on (d.id) d.id, d.bucket, r.basis, r.decision
    from document_review r
    join document d on d.bucket = r.bucket and d.id = r.document_id
    where r.created >= ${since} and r.basis is not null and d.erased is null
    order by d.id, r.id desc`;
}

async function recheck(
  tools: Tools,
  checkers: Checker[],
  document: Document,
  { past, isDryRun }: { past: Past; isDryRun: boolean },
): Promise<Rechecked> {
  const { database, config, sealer, clock } = tools;
  const opinions = (await askAll(tools, checkers, document, { isLast: true })) ?? [];
  const evidence = strongest(opinions.flatMap(({ verdict }) => verdict.evidence ?? []));
  const policy = (await findPolicy(database.sql, document.accountId)) ?? defaultPolicy(config.autoDecide, config.mode);
  const basis = basisOf(evidence, policy);
  const agreed = agree(opinions, policy, evidence.level);
  const outcomeOf = (
    { evidence: { level, hints = [] }, policy: { version } }: Basis,
    decision: Outcome['decision'],
  ): Outcome => ({
    ...{ level, decision, policy: version },
    hints: hints.map(({ name }) => name),
  });
  const before = outcomeOf(past.basis, past.decision);
  const after = outcomeOf(basis, agreed?.judgement.decision ?? 'undecided');
  if (!isDryRun) {
    const now = clock.now(document.accountId);
    const note = `Checked again: ${before.level} and ${before.decision} before, ${after.level} and ${after.decision} now.`;
    await database.transaction(async (tx) => {
      if (!(await lockContent(tx, document))) return;
      for (const { checker, reviewer, verdict } of opinions) {
        if (verdict.result) await writeResult(tx, sealer, document, { ...checker, result: verdict.result }, now);
        await writeReview(tx, document, { reviewer, decision: 'undecided', reasons: [], note, effective: false, basis }, now);
      }
      await tx`update document set evidence = ${evidence} where bucket = ${document.bucket} and id = ${document.id}`;
    });
  }
  const versions = Object.keys(basis.versions).filter((name) => basis.versions[name] !== past.basis.versions[name]);
  return { documentId: document.id, status: document.status, before, after, versions };
}
