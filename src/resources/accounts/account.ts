// Accounts: schema, queries and representation. An account is a platform that owns customers, applications and events.
import type { Static } from 'typebox';
import { newId, randomBucket } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import { LogSchema } from '../../ledger/log/transparency-log.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';

type Account = { id: string; name: string; created: Date };

export const AccountSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, customers: LinkSchema }),
    id: IdSchema,
    name: Type.String(),
    created: Type.String({ format: 'date-time' }),
    log: LogSchema,
  },
  { title: 'Account' },
);

export async function createAccount(tx: Sql, name: string): Promise<Account> {
  const account = { id: newId(randomBucket()), name, created: new Date() };
  await tx`insert into account (id, name, created) values (${account.id}, ${name}, ${account.created})`;
  return account;
}

export async function findAccount(sql: Sql, id: string): Promise<Account | undefined> {
  const [account] = await sql<Account>`select id, name, created from account where id = ${id}`;
  return account;
}

/** Lists all accounts, newest first, with their number of applications. */
export async function listAccounts(sql: Sql): Promise<(Account & { applications: number })[]> {
  return sql<Account & { applications: number }>`
    select a.id, a.name, a.created, count(p.id)::int as applications
    from account a left join application p on p.account_id = a.id
    group by a.id
    order by a.created desc, a.id desc`;
}

export function represent(links: Links, account: Account, log: Static<typeof LogSchema>): Static<typeof AccountSchema> {
  return {
    _links: { self: links.to('account', account.id), customers: links.link('/customers', 'customer') },
    id: account.id,
    name: account.name,
    created: account.created.toISOString(),
    log,
  };
}
