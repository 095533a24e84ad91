// What an application has instead of a secret: its keys, their address or a trusted issuer, and what it requires of the calls it makes.
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { type ClientJwk, type ClientKey, readKey } from './client-key.ts';
import type { RequiredBinding } from './scope.ts';

/** The issuer and the subject of the tokens of a workload, which are its assertions. */
export type Trust = { issuer: string; subject: string };

/** Where the keys of an application are, and what it must do. */
export type KeyTerms = {
  /** Stored keys, newest first. */
  keys: ClientKey[];
  jwksUri: string | null;
  trust: Trust | null;
  isSecretForbidden: boolean;
  /** What each of its tokens must be bound to. */
  requiredBinding: RequiredBinding | null;
};

/** A stored public key, and its use. */
export type StoredKey = {
  thumbprint: string;
  jwk: ClientJwk;
  kid: string | undefined;
  algorithm: string;
  created: Date;
  lastUsed: Date | null;
};

/** As reported to the operator. `keyUsed`: when a key that is not stored was last used. */
export type KeyReport = Omit<KeyTerms, 'keys'> & {
  keys: StoredKey[];
  keyUsed: Date | null;
};

/** A change of the terms: members that are absent stay. Keys, address and issuer replace each other: `null` removes them all. */
export type NewTerms = {
  keys?: ClientJwk[] | null;
  jwksUri?: string;
  trust?: Trust;
  isSecretForbidden?: boolean;
  requiredBinding?: RequiredBinding | null;
};

export type KeyColumns = {
  keys: { jwk: ClientJwk; created: string; lastUsed: string | null }[];
  jwksUri: string | null;
  trustedIssuer: string | null;
  trustedSubject: string | null;
  keyUsed: Date | null;
  secretForbidden: boolean;
  requiredBinding: RequiredBinding | null;
};

/** The columns of an application `a`. */
export const KEYS_OF = fragment`a.jwks_uri, a.trusted_issuer, a.trusted_subject, a.key_used, a.secret_forbidden, a.required_binding,
  (select coalesce(jsonb_agg(jsonb_build_object('jwk', k.jwk, 'created', k.created, 'lastUsed', k.last_used)
    order by k.created desc, k.thumbprint), '[]') from application_key k where k.application_id = a.id) as keys`;

export function toKeyTerms(row: KeyColumns): KeyTerms {
  const keys = row.keys.map(({ jwk }) => readKey(jwk)).filter((key) => typeof key !== 'string');
  return { keys, ...termsOf(row) };
}

export function toKeyReport(row: KeyColumns): KeyReport {
  const keys = row.keys.map(({ jwk, created, lastUsed }) => {
    const { thumbprint, algorithms } = readKey(jwk) as ClientKey;
    const used = lastUsed === null ? null : new Date(lastUsed);
    return { thumbprint, jwk, kid: jwk.kid, algorithm: algorithms[0]!, created: new Date(created), lastUsed: used };
  });
  return { keys, keyUsed: row.keyUsed, ...termsOf(row) };
}

/** Changes what an application has instead of a secret. A stored key that stays keeps its last use. */
export async function changeTerms(tx: Sql, id: string, terms: NewTerms): Promise<void> {
  const { keys, jwksUri = null, trust, isSecretForbidden = null, requiredBinding = null } = terms;
  const isMoved = keys !== undefined || jwksUri !== null || trust !== undefined;
  await tx`
    update application set changed = now(),
      jwks_uri = case when ${isMoved} then ${jwksUri} else jwks_uri end,
      trusted_issuer = case when ${isMoved} then ${trust?.issuer ?? null} else trusted_issuer end,
      trusted_subject = case when ${isMoved} then ${trust?.subject ?? null} else trusted_subject end,
      secret_forbidden = coalesce(${isSecretForbidden}::boolean, secret_forbidden),
      required_binding = case when ${terms.requiredBinding !== undefined} then ${requiredBinding} else required_binding end
    where id = ${id}`;
  if (isMoved) await replaceKeys(tx, id, keys ?? []);
}

async function replaceKeys(tx: Sql, id: string, jwks: ClientJwk[]): Promise<void> {
  const keys = jwks.map((jwk) => readKey(jwk) as ClientKey);
  const thumbprints = keys.map(({ thumbprint }) => thumbprint);
  await tx`delete from application_key where application_id = ${id} and thumbprint <> all(${thumbprints})`;
  for (const { thumbprint, jwk } of keys) {
    await tx`
      insert into application_key (application_id, thumbprint, jwk, created) values (${id}, ${thumbprint}, ${jwk}, now())
      on conflict (application_id, thumbprint) do update set jwk = excluded.jwk`;
  }
}

/** Stores when a key was last used: of a stored one beside it, of others with the application. */
export async function noteKeyUse(sql: Sql, id: string, { thumbprint, used }: { thumbprint: string; used: Date }): Promise<void> {
  const stored = await sql`
    update application_key set last_used = ${used} where application_id = ${id} and thumbprint = ${thumbprint} returning 1`;
  if (stored.length === 0) await sql`update application set key_used = ${used} where id = ${id}`;
}

function termsOf({ jwksUri, trustedIssuer, trustedSubject, secretForbidden, requiredBinding }: KeyColumns) {
  const trust = trustedIssuer === null ? null : { issuer: trustedIssuer, subject: trustedSubject! };
  return { jwksUri, trust, isSecretForbidden: secretForbidden, requiredBinding };
}
