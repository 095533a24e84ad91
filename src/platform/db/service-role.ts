// The database role of services: it reads and writes rows, but owns nothing, so it can neither change the schema nor switch a trigger off.
// The embedded server always has it. On another server, `migrate` gives it its privileges if the role exists there.
import { hash } from 'node:crypto';
import type pg from 'pg';

export const SERVICE_ROLE = 'earmark_service';
/** Rows of these tables are never changed. The chain of the audit log is written by a trigger with the rights of its owner. */
const APPEND_ONLY = ['audit_entry'];
const READ_ONLY = ['schema_migration', 'audit_chain'];

/** The role, a table or a view of the schema that it cannot read yet; no row if there is no such role, or if the caller owns no table. */
const LACKING = `
  select from pg_roles r
  where r.rolname = '${SERVICE_ROLE}' and exists (
    select from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') and pg_has_role(c.relowner, 'usage')
      and not (has_schema_privilege(r.oid, 'public', 'usage') and has_table_privilege(r.oid, c.oid, 'select')))`;

/** The password of the role on an embedded server, from that of the owner: one file keeps both. */
export function servicePassword(ownerPassword: string): string {
  return hash('sha256', `${SERVICE_ROLE} ${ownerPassword}`, 'base64url');
}

/** Creates the role of an embedded server, if it is missing. It may analyse tables, which otherwise only their owner may,
 * and see the transactions of others, for which settling of events waits.
 */
export async function ensureServiceRole(client: pg.Client, ownerPassword: string): Promise<void> {
  const { rowCount } = await client.query(`select from pg_roles where rolname = '${SERVICE_ROLE}'`);
  if (rowCount) return;
  await client.query(
    `create role ${SERVICE_ROLE} login in role pg_maintain, pg_read_all_stats password '${servicePassword(ownerPassword)}'`,
  );
}

/** Call in a transaction of the owner, after migrations. */
export async function grantToService(client: pg.Client): Promise<void> {
  await client.query(`
    grant usage on schema public to ${SERVICE_ROLE};
    grant select, insert, update, delete on all tables in schema public to ${SERVICE_ROLE};
    grant usage, select on all sequences in schema public to ${SERVICE_ROLE}`);
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relname = any ($1)`,
    [[...APPEND_ONLY, ...READ_ONLY]],
  );
  for (const { name } of rows)
    await client.query(`revoke ${READ_ONLY.includes(name) ? 'insert, ' : ''}update, delete on ${name} from ${SERVICE_ROLE}`);
}

/** Whether the role lacks privileges, because it or a table is new. */
export async function lacksPrivileges(client: pg.Client): Promise<boolean> {
  return (await client.query(LACKING)).rowCount === 1;
}
