// Sessions of operators: opened by a sign-in, ended by sign-out, change of roles, disabling, idleness, or after twelve hours.
import { refuse } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Role } from './role.ts';
import { hashesOf, makeSecret } from './secret.ts';

export const SESSION_SECONDS = 12 * 3600;
export type SignInMethod = 'link' | 'passkey' | 'openid';

/** The person of a request. `timeZone`: null before they choose one. `isFresh`: they signed in a moment ago, so it is them and not somebody at their open browser. */
export type Person = { id: string; name: string; roles: Role[]; method: SignInMethod; isFresh: boolean; timeZone: string | null };

const FRESH_SECONDS = 600;

/** How a person signed in, and with which passkey: the session ends when that is removed. */
type Entrance = { method: SignInMethod; passkeyId?: string | undefined };

/** Opens a session and returns the secret for the cookie. Refuses when the passkey has been removed since it was used. */
export async function openSession(tx: Sql, sealer: Sealer, operatorId: string, { method, passkeyId }: Entrance): Promise<string> {
  const { secret, hash } = makeSecret(sealer, 'operator session');
  await tx`delete from operator_session where expires < now()`;
  if (passkeyId !== undefined && (await tx`select 1 from operator_passkey where id = ${passkeyId} for key share`).length === 0) {
    throw refuse('forbidden', { message: 'The passkey has been removed.' });
  }
  await tx`
    insert into operator_session (hash, operator_id, method, passkey_id, created, expires)
    values (${hash}, ${operatorId}, ${method}, ${passkeyId}, now(), now() + make_interval(secs => ${SESSION_SECONDS}))`;
  return secret;
}

/**
 * The enabled person of a session that was used within the idle time, or undefined. It counts as used now, to the minute; not with `isQuiet`,
 * for what a page asks by itself.
 */
export async function findSession(
  sql: Sql,
  sealer: Sealer,
  { secret, idleMinutes, isQuiet = false }: { secret: string | undefined; idleMinutes: number; isQuiet?: boolean },
): Promise<Person | undefined> {
  const hashes = hashesOf(sealer, 'operator session', secret);
  if (hashes.length === 0) return undefined;
  const [found] = await sql<Person & { isIdle: boolean }>`
    select o.id, o.name, o.roles, o.time_zone, s.method, s.created > now() - make_interval(secs => ${FRESH_SECONDS}) as is_fresh,
      s.used < now() - interval '1 minute' as is_idle
    from operator_session s join operator o on o.id = s.operator_id
    where s.hash = any(${hashes}) and s.expires > now() and s.used > now() - make_interval(mins => ${idleMinutes})
      and o.disabled is null`;
  if (!found) return undefined;
  const { isIdle, ...person } = found;
  if (isIdle && !isQuiet) await sql`update operator_session set used = now() where hash = any(${hashes})`;
  return person;
}

export async function endSession(sql: Sql, sealer: Sealer, secret: string | undefined): Promise<void> {
  await sql`delete from operator_session where hash = any(${hashesOf(sealer, 'operator session', secret)})`;
}
