// Says at a start in production what policies that accept less than a chip mean.
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../../platform/config/config.ts';
import type { Database } from '../../../platform/db/sql.ts';
import { ACCEPT_TEXTS } from './choices.ts';
import { defaultPolicy, type Policy } from './policy.ts';

type Tools = {
  config: Pick<Config, 'autoDecide' | 'documentCheckers' | 'mode'>;
  database: Pick<Database, 'sql'>;
  log: FastifyBaseLogger;
};

const WEAK: Policy['accept'][] = ['text', 'document'];

export async function warnOfPolicies({ config, database, log }: Tools): Promise<void> {
  if (config.mode !== 'production' || config.documentCheckers.length === 0) return;
  const { accept } = defaultPolicy(config.autoDecide, config.mode);
  if (WEAK.includes(accept)) log.warn({ setting: 'AUTO_DECIDE', accept }, ACCEPT_TEXTS[accept]);
  const set = await database.sql<{ accountId: string; accept: Policy['accept'] }>`
    select account_id, accept from (
      select distinct on (account_id) account_id, accept from evidence_policy order by account_id, version desc
    ) newest
    where accept = any(${WEAK})
    order by account_id`;
  for (const policy of set) log.warn({ account: policy.accountId, accept: policy.accept }, ACCEPT_TEXTS[policy.accept]);
}
