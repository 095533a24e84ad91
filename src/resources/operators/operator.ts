// Operators: the people who use the console, with their roles.
import { randomBytes } from 'node:crypto';
import { newId } from '../../core/ids.ts';
import { COMMAND_LINE, IDENTITY_PROVIDER } from '../../ledger/audit/audit.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { Role } from './role.ts';

export type Operator = {
  id: string;
  name: string;
  roles: Role[];
  /** The OpenID provider that the person signs in with; null for links and passkeys. */
  issuer: string | null;
  /** The user handle of passkeys, base64url. */
  handle: string;
  created: Date;
  disabled: Date | null;
};

export type OperatorReport = Operator & { passkeys: number; lastSignIn: Date | null };

export const NAME_LENGTH = 100;

/** Characters that are not shown, or would control a terminal: with them two people could have names that look the same. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Operators are of all accounts, which have no bucket either. */
const BUCKET = 0;
const HANDLE_BYTES = 32;

const columns = fragment`o.id, o.name, o.roles, o.issuer, o.handle, o.created, o.disabled`;

/** A name without invisible characters and repeated spaces; empty if nothing of it is visible. */
export function cleanName(given: string): string {
  return given.normalize('NFC').replace(/\s+/gu, ' ').replace(INVISIBLE, '').replace(/ +/g, ' ').trim();
}

/** Whether the audit log has this name for an actor who is no person of the console. */
export function isReserved(name: string): boolean {
  const folded = name.toLowerCase();
  return folded === IDENTITY_PROVIDER || folded.endsWith(COMMAND_LINE);
}

/** Creates an operator. Returns undefined when the name, or the identity, is taken. */
export async function createOperator(
  sql: Sql,
  { name, roles, identity }: { name: string; roles: readonly Role[]; identity?: { issuer: string; subject: string } },
): Promise<Operator | undefined> {
  const handle = randomBytes(HANDLE_BYTES).toString('base64url');
  const [operator] = await sql<Operator>`
    insert into operator as o (id, name, roles, issuer, subject, handle, created)
    values (${newId(BUCKET)}, ${cleanName(name)}, ${roles}, ${identity?.issuer}, ${identity?.subject}, ${handle}, now())
    on conflict do nothing
    returning ${columns}`;
  return operator;
}

/** Finds an operator by id, by name without regard to case, or by the identity at an OpenID provider. */
export async function findOperator(
  sql: Sql,
  {
    id = null,
    name = null,
    identity,
  }: { id?: string | null; name?: string | null; identity?: { issuer: string; subject: string } },
): Promise<Operator | undefined> {
  const [operator] = await sql<Operator>`
    select ${columns} from operator o
    where o.id = ${id} or lower(o.name) = lower(${name}) or (o.issuer = ${identity?.issuer} and o.subject = ${identity?.subject})`;
  return operator;
}

/** Lists all operators by name, with the number of their passkeys and the time of their last sign-in. */
export async function listOperators(sql: Sql): Promise<OperatorReport[]> {
  const rows = await sql<OperatorReport>`
    select ${columns}, (select count(*)::int from operator_passkey p where p.operator_id = o.id) as passkeys,
      (select a.created from audit_entry a where a.operator_id = o.id and a.action = 'sign_in' order by a.id desc limit 1)
        as last_sign_in
    from operator o order by lower(o.name)`;
  return rows;
}

/** Sets the roles of an operator and ends the sessions, so that no page works with the former roles. */
export async function changeRoles(tx: Sql, id: string, roles: readonly Role[]): Promise<void> {
  await tx`update operator set roles = ${roles} where id = ${id}`;
  await endSessions(tx, id);
}

/** Disables an operator: ends the sessions, and makes links and passkeys useless until the operator is enabled. */
export async function disableOperator(tx: Sql, id: string): Promise<void> {
  await tx`update operator set disabled = coalesce(disabled, now()) where id = ${id}`;
  await tx`delete from operator_link where operator_id = ${id}`;
  await endSessions(tx, id);
}

export async function enableOperator(sql: Sql, id: string): Promise<void> {
  await sql`update operator set disabled = null where id = ${id}`;
}

/** The zone must be one that `isZone` knows. */
export async function chooseTimeZone(tx: Sql, id: string, timeZone: string): Promise<void> {
  await tx`update operator set time_zone = ${timeZone} where id = ${id}`;
}

/** Lets changes of people run one after another, so that what one of them reads stays true until it commits. Sign-ins go on. */
export async function lockOperators(tx: Sql): Promise<void> {
  await tx`lock table operator in share row exclusive mode`;
}

/** The number of enabled administrators. */
export async function countAdmins(sql: Sql): Promise<number> {
  const [row] = await sql<{ admins: number }>`
    select count(*)::int as admins from operator where disabled is null and 'admin' = any(roles)`;
  return row!.admins;
}

/** Whether a person can be known to be in possession of their account: they have signed in, or have a passkey. */
export async function hasEntered(sql: Sql, id: string): Promise<boolean> {
  const [row] = await sql<{ entered: boolean }>`
    select exists (select from operator_passkey where operator_id = ${id})
      or exists (select from audit_entry where operator_id = ${id} and action = 'sign_in') as entered`;
  return row!.entered;
}

/** Who gave a person the present roles, by name, as the audit log has it. */
export async function rolesGivenBy(sql: Sql, id: string): Promise<string | undefined> {
  const [last] = await sql<{ actor: string }>`
    select actor from audit_entry where resource_id = ${id} and action in ('create_operator', 'change_roles')
    order by id desc limit 1`;
  return last?.actor;
}

async function endSessions(tx: Sql, id: string): Promise<void> {
  await tx`delete from operator_session where operator_id = ${id}`;
}
