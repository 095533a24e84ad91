// The manifest of transparency logs.
import type { Sql } from '../../platform/db/sql.ts';
import type { Manifest, Owned, Removed } from '../../platform/manifest.ts';

export const transparencyLog = {
  tags: [{ name: 'transparency log', description: 'The feed of an account as a log that anybody can verify' }],
  topics: {
    account_checkpoint_created: {
      resource: 'account',
      about: 'A day with events has passed; the event carries the newest checkpoint of the transparency log',
    },
    account_audit_head_created: {
      resource: 'account',
      about: 'Operators have acted within the last hour; the entry of the transparency log has the head of their audit log',
    },
  },
  sealed: [{ table: 'log_key', column: 'private_key', content: 'transparency log keys', context: sealingContext, key: 'id' }],
  reset: { tables: ['log_tile', 'log_entries', 'log_announcement', 'audit_head'], run: beginNextLog },
} satisfies Manifest;

/** `id`: that of the key. */
export function sealingContext({ id }: { id: string }): string {
  return `log_key:${id}`;
}

/** Begins a log with a new origin, because the entries of the old one are deleted. Settling is locked out already, by the reset of events. */
async function beginNextLog(tx: Sql, { accountId }: Owned): Promise<Partial<Removed>> {
  await tx`
    update transparency_log l
    set size = 0,
      -- A number of the past that a restore lost may have been signed.
      number = case when held is null then number + 1 else greatest(number + 1, extract(epoch from clock_timestamp())::bigint) end,
      checkpoint = null, witnessed = null, signers = null, held = null, announced = clock_timestamp(), announced_size = 0,
      audited = clock_timestamp(), audit_entries = 0,
      start = coalesce((select position from event_head h where h.account_id = l.account_id), 0)
    where account_id = ${accountId}`;
  await tx`delete from log_tile where account_id = ${accountId}`;
  await tx`delete from log_entries where account_id = ${accountId}`;
  await tx`delete from log_announcement where account_id = ${accountId}`;
  await tx`delete from audit_head where account_id = ${accountId}`;
  return {};
}
