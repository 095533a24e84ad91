// Policies of evidence: what checkers may decide for an account without a person. Types, queries, and the default of AUTO_DECIDE.
import type { AutoDecision } from '../../../platform/config/document-checks.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type ACCEPTS, REJECTS } from './choices.ts';

/** `version` 0: the default. `sample`: percent of the acceptances that go to a person. `perDay`: null for no limit. */
export type Policy = {
  version: number;
  accept: (typeof ACCEPTS)[number];
  reject: (typeof REJECTS)[number][];
  sample: number;
  perDay: number | null;
};
export type PolicyVersion = Policy & { actor: string; reason: string; created: Date };

/** The policy of an account without one. `accept` alone is the level `chip` in production, and `text` in the sandbox. */
export function defaultPolicy(allowed: readonly AutoDecision[], mode: 'sandbox' | 'production'): Policy {
  const named = (['text', 'document', 'chip'] as const).find((level) => allowed.includes(`accept-${level}`));
  const plain = mode === 'production' ? 'chip' : 'text';
  return {
    version: 0,
    accept: named ?? (allowed.includes('accept') ? plain : 'never'),
    reject: allowed.includes('reject') ? [...REJECTS] : allowed.includes('reject-expired') ? ['expired'] : [],
    sample: 0,
    perDay: null,
  };
}

/** The policy of an account that an accountable person set last. */
export async function findPolicy(sql: Sql, accountId: string): Promise<PolicyVersion | undefined> {
  const [policy] = await listPolicies(sql, accountId, 1);
  return policy;
}

/** Newest first. */
export async function listPolicies(sql: Sql, accountId: string, limit = 100): Promise<PolicyVersion[]> {
  return sql<PolicyVersion>`
    select version, accept, reject, sample, per_day, actor, reason, created from evidence_policy
    where account_id = ${accountId} order by version desc limit ${limit}`;
}

type Change = Omit<Policy, 'version'> & { actor: string; reason: string };

/** Adds a version. Two people at once: both are kept, one after the other. */
export async function setPolicy(tx: Sql, accountId: string, change: Change): Promise<number> {
  await tx`select 1 from account where id = ${accountId} for update`;
  const { accept, reject, sample, perDay, actor, reason } = change;
  const version = ((await findPolicy(tx, accountId))?.version ?? 0) + 1;
  await tx`
    insert into evidence_policy (account_id, version, accept, reject, sample, per_day, actor, reason, created)
    values (${accountId}, ${version}, ${accept}, ${reject}, ${sample}, ${perDay}, ${actor}, ${reason}, now())`;
  return version;
}

/** Counts an acceptance of today, YYYY-MM-DD. Returns false if the policy allows no more. */
export async function countAcceptance(tx: Sql, accountId: string, { perDay }: Policy, today: string): Promise<boolean> {
  if (perDay === 0) return false;
  const counted = await tx`
    insert into machine_acceptance as counted (account_id, day, accepted) values (${accountId}, ${today}, 1)
    on conflict (account_id, day) do update set accepted = counted.accepted + 1
    where ${perDay}::int is null or counted.accepted < ${perDay}
    returning accepted`;
  return counted.length > 0;
}

/** How often people decided otherwise than the checkers would have, of the sampled documents that are decided. */
export async function countDisagreements(sql: Sql, accountId: string): Promise<{ sampled: number; disagreed: number }> {
  const [row] = await sql<{ sampled: bigint; disagreed: bigint }>`
    select count(*) as sampled, count(*) filter (where status = 'rejected') as disagreed from document
    where account_id = ${accountId} and sampled and status <> 'pending'`;
  return { sampled: Number(row?.sampled), disagreed: Number(row?.disagreed) };
}
