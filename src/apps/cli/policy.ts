// `earmark policy show|set`: what checkers may decide for an account without a person.
import { writeAudit } from '../../ledger/audit/audit.ts';
import { readConfig } from '../../platform/config/config.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { findMode } from '../../platform/db/mode.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { ACCEPT_TEXTS, type ACCEPTS, REJECTS } from '../../resources/documents/policy/choices.ts';
import {
  countDisagreements,
  defaultPolicy,
  findPolicy,
  listPolicies,
  type Policy,
  setPolicy,
} from '../../resources/documents/policy/policy.ts';
import { commandLineActor } from './actor.ts';
import { chooseAccount } from './choose-account.ts';
import { CallError } from './command.ts';
import { print, printTable, printText, quiet } from './output.ts';
import { withDatabase } from './with-database.ts';

type ShowCall = { options: { account: string | undefined }; json: boolean };
type SetCall = {
  options: {
    account: string | undefined;
    accept: string | undefined;
    reject: string | undefined;
    sample: string | undefined;
    'per-day': string | undefined;
    reason: string;
  };
  json: boolean;
};

const PER_DAY_MAX = 1_000_000;

export async function show({ options: { account }, json }: ShowCall): Promise<number> {
  const { accountId, policy, history, counts } = await withDatabase(async ({ database: { sql } }) => {
    const accountId = await chooseAccount({ sql }, account);
    const history = await listPolicies(sql, accountId);
    const policy: Policy = history[0] ?? (await defaultOf(sql));
    return { accountId, policy, history, counts: await countDisagreements(sql, accountId) };
  }, requireMigrated);
  const shown = { account_id: accountId, ...describe(policy), means: ACCEPT_TEXTS[policy.accept] };
  const versions = history.map(({ actor, reason, created, ...version }) => ({
    ...describe(version),
    ...{ set: created.toISOString(), by: actor, reason },
  }));
  const sampled = { sampled_decided: counts.sampled, sampled_rejected: counts.disagreed };
  if (json) print({ ...shown, ...sampled, history: versions }, true);
  else {
    print({ ...shown, ...sampled }, false);
    printText(`\n${quiet(policy.version === 0 ? 'The default of AUTO_DECIDE.' : 'History, newest first:')}\n`);
    if (versions.length > 0) printTable(versions, '');
  }
  return 0;
}

export async function set({ options, json }: SetCall): Promise<number> {
  const { reason } = options;
  if (!reason.trim()) throw new CallError('Say why with --reason: it is kept with the policy.');
  const result = await withDatabase(async ({ database }) => {
    const accountId = await chooseAccount({ sql: database.sql }, options.account);
    return database.transaction(async (tx) => {
      const before = (await findPolicy(tx, accountId)) ?? (await defaultOf(tx));
      const wanted = changed(before, options);
      const actor = commandLineActor();
      const version = await setPolicy(tx, accountId, { ...wanted, actor: actor.name, reason });
      const resource = { type: 'account', id: accountId };
      const detail = { version, ...wanted, reason };
      await writeAudit(tx, actor, { action: 'set_evidence_policy', resource, detail });
      return { account_id: accountId, ...describe({ ...wanted, version }), means: ACCEPT_TEXTS[wanted.accept] };
    });
  });
  print(result, json);
  return 0;
}

/** The default of AUTO_DECIDE, as a service with the settings of this command has it. */
async function defaultOf(sql: Sql): Promise<Policy> {
  const found = await findMode(sql);
  const { autoDecide, mode } = readConfig(found && { MODE: found });
  return defaultPolicy(autoDecide, mode);
}

/** The options replace members of the policy in force. */
function changed(before: Policy, options: SetCall['options']): Omit<Policy, 'version'> {
  const { accept, reject, sample, 'per-day': perDay } = options;
  return {
    accept: (accept as (typeof ACCEPTS)[number] | undefined) ?? before.accept,
    reject: reject === undefined ? before.reject : readRejects(reject),
    sample: sample === undefined ? before.sample : readNumber('--sample', sample, 100),
    perDay: perDay === undefined ? before.perDay : perDay === 'none' ? null : readNumber('--per-day', perDay, PER_DAY_MAX),
  };
}

function readRejects(given: string): Policy['reject'] {
  if (given === 'none') return [];
  const named = given.split(',');
  const known = REJECTS.filter((name) => named.includes(name));
  if (known.length === named.length && (known.length === REJECTS.length || known[0] === 'expired')) return known;
  throw new CallError(`--reject must be none, expired, or expired,mismatch, not ${given}.`);
}

function readNumber(name: string, given: string, max: number): number {
  const number = Number(given);
  if (/^\d+$/.test(given) && number <= max) return number;
  throw new CallError(`${name} must be a whole number from 0 to ${max}, not ${given}.`);
}

function describe({ version, accept, reject, sample, perDay }: Policy) {
  return { version, accept, reject: reject.join(',') || 'none', sample_percent: sample, per_day: perDay ?? 'no limit' };
}
