// The signature of a backup's manifest, which has the digest of every other file: a signed note (C2SP) by the keys of the transparency logs.
import { createPrivateKey, createPublicKey, hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { formatVerifier, type Verifier } from '../../../packages/proof/src/note.ts';
import { isSignedBy, signNote } from '../../../packages/proof/src/sign.ts';
import { listLogKeys, openLogKey } from '../../ledger/log/log-key.ts';
import { sealingContext } from '../../ledger/log/manifest.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { openSealer, type Sealer } from '../../platform/keys/sealing.ts';
import { BackupError, MANIFEST, type Manifest, openStored, type Stored } from './manifest.ts';

export const SIGNATURE = 'manifest.sig';
/** The name of the keys, as the origin of a log is for its checkpoints. */
const NAME = 'earmark-backup';
const TABLE = 'log_key';

export type Signed = { note: string; signers: string[] };

/** Signs the text of a manifest. Returns undefined if there is no key yet. Throws a KeyError if this process cannot open it. */
export async function signManifest(text: string, { sql, sealer }: { sql: Sql; sealer: Sealer }): Promise<Signed | undefined> {
  const keys = (await listLogKeys(sql)).filter(({ signs }) => signs);
  if (keys.length === 0) return undefined;
  const signers = await Promise.all(
    keys.map(async (key) => ({ name: NAME, publicKey: key.publicKey, privateKey: await openLogKey(sql, sealer, key) })),
  );
  return { note: signNote(textOf(text), signers), signers: signers.map((signer) => formatVerifier(signer)) };
}

/**
 * Returns the key that signed the manifest, as a verifier. Without `signedBy` it must be a key of the backup whose private part an
 * encryption key opens: only who had that key can have signed. Without `keys` any key of the backup is accepted. Throws a BackupError.
 */
export async function requireSigned(
  backup: Stored,
  manifest: Manifest,
  { keys, signedBy }: { keys: Buffer[] | undefined; signedBy: Verifier | undefined },
): Promise<string> {
  const note = await readFile(join(backup.folder, SIGNATURE), 'utf8').catch(() => {
    throw new BackupError(`The backup is not signed: it has no ${SIGNATURE}. --unsigned restores it anyway.`);
  });
  if (!note.startsWith(`${textOf(await readFile(join(backup.folder, MANIFEST), 'utf8'))}\n`))
    throw new BackupError(`The backup is damaged: ${SIGNATURE} is not of its ${MANIFEST}.`);
  const known = signedBy ? [signedBy] : await listVerifiers(backup, manifest, keys);
  const signer = known.find((verifier) => isSignedBy(note, verifier));
  if (signer) return formatVerifier(signer);
  throw new BackupError(
    `The backup is not signed by ${signedBy ? 'the key of --signed-by' : 'the service that it is of'}. Do not restore it.`,
  );
}

function textOf(manifest: string): string {
  return `earmark backup\n${hash('sha256', manifest, 'hex')}\n`;
}

/** The keys of transparency logs in a backup. */
async function listVerifiers(backup: Stored, manifest: Manifest, keys: Buffer[] | undefined): Promise<Verifier[]> {
  const sealer = keys && keys.length > 0 ? openSealer(keys) : undefined;
  const rows = await readRows(backup, manifest);
  return rows.flatMap(({ id, publicKey, privateKey }) => {
    const own = sealer ? publicPartOf(sealer, { id, privateKey }) : publicKey;
    return own?.equals(publicKey) ? [{ name: NAME, publicKey }] : [];
  });
}

/** Undefined if no key opens it: somebody else has written it. */
function publicPartOf(sealer: Sealer, { id, privateKey }: { id: string; privateKey: Buffer }): Buffer | undefined {
  try {
    const jwk = JSON.parse(sealer.open(privateKey, sealingContext({ id })).toString());
    return Buffer.from(createPublicKey(createPrivateKey({ key: jwk, format: 'jwk' })).export({ format: 'jwk' }).x!, 'base64url');
  } catch {
    return undefined;
  }
}

/** Reads the rows of the keys from the backup. Their texts have no character that COPY escapes, except for the begin of a binary value. */
async function readRows(backup: Stored, { tables }: Manifest): Promise<{ id: string; publicKey: Buffer; privateKey: Buffer }[]> {
  const table = tables.find(({ name }) => name === TABLE);
  if (!table) return [];
  const parts: Buffer[] = [];
  for await (const part of (await openStored(backup, table.file)).pipe(createGunzip())) parts.push(part as Buffer);
  const lines = Buffer.concat(parts).toString().split('\n').slice(0, -1);
  const place = (column: string) => table.columns.indexOf(column);
  return lines.map((line) => {
    const values = line.split('\t');
    return {
      id: values[place('id')] ?? '',
      publicKey: Buffer.from(values[place('public_key')] ?? '', 'base64'),
      privateKey: Buffer.from((values[place('private_key')] ?? '').replace('\\\\x', ''), 'hex'),
    };
  });
}
