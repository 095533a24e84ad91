// Keys of transparency logs: Ed25519 key pairs that sign the checkpoints of all accounts.
import { createPrivateKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import type { Verifier } from '../../../packages/proof/src/note.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { sealingContext } from './manifest.ts';

/** `signs`: it is the newest key, or was replaced less than a year ago. */
export type LogKey = { id: string; publicKey: Buffer; created: Date; signs: boolean };

/** For how long a replaced key signs beside its successor, so that auditors can change to the new key. */
const OVERLAP_DAYS = 365;
const ID_DIGITS = 16;

/** Creates the first key if there is none. Concurrent processes wait for the table lock, so that only one creates it. */
export async function ensureLogKey(database: Database, sealer: Sealer): Promise<void> {
  if ((await listLogKeys(database.sql)).length > 0) return;
  await database.transaction(async (tx) => {
    await tx`lock table log_key in share row exclusive mode`;
    if ((await listLogKeys(tx)).length === 0) await createLogKey(tx, sealer);
  });
}

/** Creates a new key. Its predecessor signs beside it for a year. */
export async function createLogKey(sql: Sql, sealer: Sealer): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const id = hash('sha256', bytes, 'hex').slice(0, ID_DIGITS);
  const sealed = sealer.seal(JSON.stringify(privateKey.export({ format: 'jwk' })), sealingContext({ id }));
  await sql`
    insert into log_key (id, public_key, private_key, created)
    values (${id}, ${bytes.toString('base64')}, ${sealed}, clock_timestamp())`;
  return id;
}

/** Lists all keys, newest first. A process that verifies needs no private key. */
export async function listLogKeys(sql: Sql): Promise<LogKey[]> {
  const rows = await sql<{ id: string; publicKey: string; created: Date; signs: boolean }>`
    select id, public_key, created, coalesce(lag(created) over (order by created desc)
      > clock_timestamp() - ${OVERLAP_DAYS} * interval '1 day', true) as signs
    from log_key order by created desc`;
  return rows.map((row) => ({ ...row, publicKey: Buffer.from(row.publicKey, 'base64') }));
}

/** The private keys that a sealer has opened, by their ids: opening one takes a tenth of a pass of the builder. */
const openKeys = new WeakMap<Sealer, Map<string, KeyObject>>();

/** Opens the private part of a key. Throws a KeyError if this process lacks its encryption key. */
export async function openLogKey(sql: Sql, sealer: Sealer, { id }: LogKey): Promise<KeyObject> {
  const keys = openKeys.get(sealer) ?? new Map<string, KeyObject>();
  const key = keys.get(id) ?? (await readPrivateKey(sql, sealer, id));
  openKeys.set(sealer, keys.set(id, key));
  return key;
}

async function readPrivateKey(sql: Sql, sealer: Sealer, id: string): Promise<KeyObject> {
  const [row] = await sql<{ privateKey: Buffer }>`select private_key from log_key where id = ${id}`;
  return createPrivateKey({ key: JSON.parse(sealer.open(row!.privateKey, sealingContext({ id })).toString()), format: 'jwk' });
}

/** A key as the verifier of a log: its name is the origin of the log. */
export function verifierOf(origin: string, { publicKey }: LogKey): Verifier {
  return { name: origin, publicKey };
}
