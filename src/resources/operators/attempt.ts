// Sign-ins and enrolments in progress: what the service remembers between two requests of a browser. Each is used once.
import type { Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { hashesOf, makeSecret } from './secret.ts';

export const ATTEMPT_SECONDS = 600;

/** `operatorId`: the person who enrols a passkey. `to`: the page that the sign-in began with. */
export type Attempt =
  | { kind: 'passkey'; challenge: string; operatorId?: string; to?: string | undefined }
  | { kind: 'openid'; verifier: string; state: string; nonce: string; to?: string | undefined };

/** Stores an attempt and returns the secret for the cookie. */
export async function beginAttempt(sql: Sql, sealer: Sealer, attempt: Attempt): Promise<string> {
  const { secret, hash } = makeSecret(sealer, 'operator attempt');
  await sql`delete from operator_attempt where expires < now()`;
  await sql`
    insert into operator_attempt (hash, data, expires)
    values (${hash}, ${attempt}, now() + make_interval(secs => ${ATTEMPT_SECONDS}))`;
  return secret;
}

/** Takes an attempt of a kind: a second call with the same secret gets undefined. */
export async function takeAttempt<Kind extends Attempt['kind']>(
  sql: Sql,
  sealer: Sealer,
  { secret, kind }: { secret: string | undefined; kind: Kind },
): Promise<Extract<Attempt, { kind: Kind }> | undefined> {
  const [row] = await sql<{ data: Attempt }>`
    delete from operator_attempt where hash = any(${hashesOf(sealer, 'operator attempt', secret)}) and expires > now() returning data`;
  return row?.data.kind === kind ? (row.data as Extract<Attempt, { kind: Kind }>) : undefined;
}
