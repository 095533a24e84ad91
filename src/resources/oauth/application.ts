// Applications: the OAuth clients of an account, with their allowed scopes and at most two live secrets.
import { randomBytes } from 'node:crypto';
import { newId, randomBucket } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Mac, Sealer } from '../../platform/keys/sealing.ts';
import { KEYS_OF, type KeyColumns, type KeyReport, type KeyTerms, toKeyReport, toKeyTerms } from './application-key.ts';
import type { Scope } from './scope.ts';

export type Application = {
  /** The client_id. */
  id: string;
  accountId: string;
  scopes: Scope[];
  disabled: boolean;
  /** The live secrets, newest first. */
  secrets: Secret[];
} & KeyTerms;

/** An application as reported to the operator. */
export type ApplicationReport = {
  id: string;
  accountId: string;
  name: string;
  scopes: Scope[];
  disabled: boolean;
  created: Date;
  /** When any of its secrets or keys was last used. */
  lastUsed: Date | null;
  /** The live secrets, newest first. `expires` is null unless a newer secret replaces this one. */
  secrets: { created: Date; expires: Date | null; lastUsed: Date | null }[];
} & KeyReport;

export type Secret = { hash: Buffer; expiresMs: number; lastUsedMs: number };

export const LIVE_SECRETS_MAX = 2;

const SECRET_BYTES = 32;
const OVERLAP_MS = 24 * 3_600_000;

type NewApplication = { accountId: string; name: string; scopes: Scope[]; maker?: string | null };

/**
 * Creates an application. Returns the secret, of which only a keyed hash is stored. `maker`, here and below: the person of the console
 * who gets the secret, whom the application counts as from then on.
 */
export async function createApplication(
  tx: Sql,
  sealer: Sealer,
  wanted: NewApplication,
): Promise<{ client_id: string; client_secret: string }> {
  const id = await createWithoutSecret(tx, wanted);
  return { client_id: id, client_secret: await addSecret(tx, sealer, id) };
}

/** Creates an application that has keys instead. Returns its client_id. */
export async function createWithoutSecret(tx: Sql, { accountId, name, scopes, maker }: NewApplication): Promise<string> {
  const id = newId(randomBucket());
  await tx`
    insert into application (id, account_id, name, scopes, created, changed)
    values (${id}, ${accountId}, ${name}, ${scopes}, now(), now())`;
  await noteMaker(tx, id, maker);
  return id;
}

/**
 * Creates a new secret for an application and returns it. The previous secret stays valid for `overlapMs`; any older one is deleted.
 * Returns undefined if the application does not exist.
 */
export async function rotateSecret(
  tx: Sql,
  sealer: Sealer,
  clientId: string,
  { overlapMs = OVERLAP_MS, maker = null }: { overlapMs?: number; maker?: string | null } = {},
): Promise<string | undefined> {
  // Also locks the row, so that concurrent rotations run one after the other.
  const [known] = await tx`update application set changed = now() where id = ${clientId} returning id`;
  if (!known) return undefined;
  await noteMaker(tx, clientId, maker);
  await tx`delete from application_secret where application_id = ${clientId} and expires is not null`;
  await tx`
    update application_secret set expires = now() + make_interval(secs => ${overlapMs / 1000})
    where application_id = ${clientId} and expires is null`;
  return addSecret(tx, sealer, clientId);
}

/** Tokens lose within about a second what the application loses; what it gets is for new ones. */
export async function changeScopes(tx: Sql, clientId: string, scopes: Scope[]): Promise<void> {
  await tx`update application set scopes = ${scopes}, changed = now() where id = ${clientId}`;
}

/** Makes an application's tokens and secrets invalid until it is enabled again. Returns false if it does not exist. */
export async function disableApplication(tx: Sql, clientId: string): Promise<boolean> {
  const rows = await tx`
    update application set disabled = coalesce(disabled, now()), changed = now() where id = ${clientId} returning id`;
  return rows.length > 0;
}

/** Makes a disabled application's secrets and unexpired tokens valid again. Returns false if it does not exist. */
export async function enableApplication(tx: Sql, clientId: string): Promise<boolean> {
  const rows = await tx`
    update application set disabled = null, changed = now() where id = ${clientId} returning id`;
  return rows.length > 0;
}

/** Returns the keyed hashes of a secret, one per encryption key. */
export function hashesOf(sealer: Sealer, secret: string): [Mac, ...Mac[]] {
  return sealer.macs('application secret', secret);
}

/** Lists applications changed since a time of the database clock, with all secrets; their expiry is checked at use. */
export async function listChangedApplications(sql: Sql, since: Date): Promise<Application[]> {
  const rows = await sql<Row>`
    select a.id, a.account_id, a.scopes, a.disabled, ${KEYS_OF}, s.hash, s.expires, s.last_used
    from application a left join application_secret s on s.application_id = a.id
    where a.changed >= ${since}
    order by a.id, s.created desc`;
  return [...Map.groupBy(rows, (row) => row.id).values()].map(toApplication);
}

/** Applications of all accounts with a text in their name, the newest first. */
export async function searchApplications(sql: Sql, text: string, limit: number): Promise<{ id: string; name: string }[]> {
  return sql`
    select id, name from application where position(lower(${text}) in lower(name)) > 0
    order by created desc, id desc limit ${limit}`;
}

/** Reports applications, newest first: all, one by `id`, or those of one account. */
export async function reportApplications(
  sql: Sql,
  { id = null, accountId = null }: { id?: string | null; accountId?: string | null },
): Promise<ApplicationReport[]> {
  type SecretRow = { secretCreated: Date | null; expires: Date | null; lastUsed: Date | null; live: boolean };
  const rows = await sql<Omit<ApplicationReport, 'secrets' | 'lastUsed' | keyof KeyReport> & SecretRow & KeyColumns>`
    select a.id, a.account_id, a.name, a.scopes, a.disabled is not null as disabled, a.created, ${KEYS_OF},
      s.created as secret_created, s.expires, s.last_used, coalesce(s.expires > now(), true) as live
    from application a left join application_secret s on s.application_id = a.id
    where (${id}::uuid is null or a.id = ${id}) and (${accountId}::uuid is null or a.account_id = ${accountId})
    order by a.created desc, a.id desc, s.created desc`;
  return [...Map.groupBy(rows, (row) => row.id).values()].map((group) => {
    const { id, accountId, name, scopes, disabled, created } = group[0]!;
    const secrets = group.flatMap(({ secretCreated, expires, lastUsed, live }) =>
      secretCreated !== null && live ? [{ created: secretCreated, expires, lastUsed }] : [],
    );
    const keys = toKeyReport(group[0]!);
    const uses = [...group, ...keys.keys, { lastUsed: keys.keyUsed }].flatMap(({ lastUsed }) => lastUsed?.getTime() ?? []);
    const lastUsed = uses.length > 0 ? new Date(Math.max(...uses)) : null;
    return { id, accountId, name, scopes, disabled, created, lastUsed, secrets, ...keys };
  });
}

/** Stores when a secret was last used. */
export async function noteSecretUse(sql: Sql, clientId: string, { hash, lastUsedMs }: Secret): Promise<void> {
  await sql`
    update application_secret set last_used = ${new Date(lastUsedMs)} where application_id = ${clientId} and hash = ${hash}`;
}

/** An application with one of its secrets, or with none. */
type Row = {
  id: string;
  accountId: string;
  scopes: Scope[];
  disabled: Date | null;
  hash: Buffer | null;
  expires: Date | null;
  lastUsed: Date | null;
} & KeyColumns;

function toApplication(rows: Row[]): Application {
  const { id, accountId, scopes, disabled } = rows[0]!;
  const secrets = rows.flatMap((row) =>
    row.hash
      ? [
          {
            hash: row.hash,
            expiresMs: row.expires?.getTime() ?? Number.POSITIVE_INFINITY,
            lastUsedMs: row.lastUsed?.getTime() ?? 0,
          },
        ]
      : [],
  );
  return { id, accountId, scopes, disabled: disabled !== null, secrets, ...toKeyTerms(rows[0]!) };
}

/** The application counts as this person, who has its secret or private key. */
export async function noteMaker(tx: Sql, id: string, maker: string | null | undefined): Promise<void> {
  if (!maker) return;
  await tx`insert into application_maker (application_id, operator_id) values (${id}, ${maker}) on conflict do nothing`;
}

async function addSecret(tx: Sql, sealer: Sealer, clientId: string): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const [{ hash, keyId }] = hashesOf(sealer, secret);
  await tx`
    insert into application_secret (application_id, hash, key_id, created) values (${clientId}, ${hash}, ${keyId}, now())`;
  return secret;
}
