// Passkeys of operators (WebAuthn Level 3): enrolment and sign-in, with the person verified by the authenticator.
import type { AuthenticationResponseJSON, AuthenticatorTransport, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Sql } from '../../platform/db/sql.ts';
import type { Operator } from './operator.ts';

type Passkey = { id: string; operatorId: string; publicKey: string; counter: bigint; transports: string[] };
/** A passkey as its owner sees it. */
export type PasskeyReport = { id: string; created: Date; lastUsed: Date | null };

/** The relying party: its name for people, and the origin of the console. */
type Party = { origin: string };

const PARTY_NAME = 'Earmark';
const PASSKEYS_MAX = 10;
const CREDENTIAL_ID = /^[A-Za-z0-9_-]{1,1400}$/;

/** Loads the library at its first use: its two hundred modules would take a tenth of the start. */
const loadWebAuthn = () => import('@simplewebauthn/server');

export async function listPasskeys(sql: Sql, operatorId: string): Promise<PasskeyReport[]> {
  return sql<PasskeyReport>`
    select id, created, last_used from operator_passkey where operator_id = ${operatorId} order by created`;
}

/** Removes a passkey of a person. The sessions that it opened end with it. */
export async function removePasskey(tx: Sql, operatorId: string, id: string): Promise<boolean> {
  const rows = await tx`delete from operator_passkey where operator_id = ${operatorId} and id = ${id} returning id`;
  return rows.length > 0;
}

/** Removes all passkeys of a person with their sessions, and returns how many they were. */
export async function removePasskeys(tx: Sql, operatorId: string): Promise<number> {
  const rows = await tx`delete from operator_passkey where operator_id = ${operatorId} returning id`;
  return rows.length;
}

/** The options for the browser to create a passkey, with a new challenge. */
export async function enrolmentOptions(sql: Sql, { origin }: Party, operator: Pick<Operator, 'id' | 'name' | 'handle'>) {
  const known = await listPasskeys(sql, operator.id);
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpName: PARTY_NAME,
    rpID: new URL(origin).hostname,
    userName: operator.name,
    userID: new Uint8Array(Buffer.from(operator.handle, 'base64url')),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: known.map(({ id }) => ({ id })),
  });
}

/** Stores a passkey that answers the challenge. Returns false when the answer is not valid, or the operator has too many. */
export async function enrol(
  tx: Sql,
  { origin }: Party,
  { operatorId, challenge, response }: { operatorId: string; challenge: string; response: RegistrationResponseJSON },
): Promise<boolean> {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const result = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
    requireUserVerification: true,
  }).catch(() => undefined);
  if (!result?.verified) return false;
  const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential;
  // Concurrent enrolments of a person run one after another, so that each counts the others.
  await tx`select 1 from operator where id = ${operatorId} for no key update`;
  const rows = await tx`
    insert into operator_passkey (id, operator_id, public_key, counter, transports, created)
    select ${id}, ${operatorId}, ${Buffer.from(publicKey).toString('base64url')}, ${counter}, ${transports}, now()
    where (select count(*) from operator_passkey where operator_id = ${operatorId}) < ${PASSKEYS_MAX}
    on conflict (id) do nothing returning id`;
  return rows.length > 0;
}

/** The options for the browser to sign in with any passkey of this site, with a new challenge. */
export async function signInOptions({ origin }: Party) {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({ rpID: new URL(origin).hostname, userVerification: 'required' });
}

/**
 * Returns the operator whose passkey signed the challenge, or undefined. Of two answers with the same counter, which two copies of the
 * authenticator or a replay would send, only the first one is valid. People of an identity provider have no passkeys.
 */
export async function verifyPasskey(
  sql: Sql,
  { origin }: Party,
  { challenge, response }: { challenge: string; response: AuthenticationResponseJSON },
): Promise<{ operatorId: string; passkeyId: string } | undefined> {
  const id = String(response?.id);
  if (!CREDENTIAL_ID.test(id)) return undefined;
  const [passkey] = await sql<Passkey>`
    select p.id, p.operator_id, p.public_key, p.counter, p.transports
    from operator_passkey p join operator o on o.id = p.operator_id
    where p.id = ${id} and o.issuer is null`;
  if (!passkey) return undefined;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const result = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: new URL(origin).hostname,
    requireUserVerification: true,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: Number(passkey.counter),
      transports: passkey.transports as AuthenticatorTransport[],
    },
  }).catch(() => undefined);
  if (!result?.verified) return undefined;
  const { newCounter } = result.authenticationInfo;
  // Authenticators without a counter always send 0 (WebAuthn Level 3 §6.1.1).
  const used = await sql`
    update operator_passkey set counter = ${newCounter}, last_used = now()
    where id = ${passkey.id} and (counter < ${newCounter} or (counter = 0 and ${newCounter} = 0)) returning id`;
  return used.length > 0 ? { operatorId: passkey.operatorId, passkeyId: passkey.id } : undefined;
}
