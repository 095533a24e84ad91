// `earmark keys list|rotate`: lists and rotates encryption and signing keys.
import { writeAudit } from '../../ledger/audit/audit.ts';
import { createLogKey, listLogKeys } from '../../ledger/log/log-key.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { findKeyIds } from '../../platform/keys/key-file.ts';
import { listSigningKeys, rotateSigningKeys } from '../../resources/oauth/signing-key.ts';
import { listKeyUses, rotateKeys } from '../keys/rotate.ts';
import { commandLineActor } from './actor.ts';
import { CallError } from './command.ts';
import { print, printTable } from './output.ts';
import { openSealerOf, withDatabase } from './with-database.ts';

export async function list({ json }: { json: boolean }): Promise<number> {
  const { keyIds, uses, signing, log } = await withDatabase(async ({ config, database: { sql } }) => {
    const keyIds = await findKeyIds(config.encryptionKeys, config.dataDir);
    return { keyIds, uses: await listKeyUses(sql), signing: await listSigningKeys(sql), log: await listLogKeys(sql) };
  }, requireMigrated);
  const signing_keys = signing.map(({ kid, state, created }) => ({ kid, state, created: created.toISOString() }));
  const log_keys = log.map(({ id, signs, created }) => ({
    log_key: id,
    state: signs ? 'signs' : 'verifies',
    created: created.toISOString(),
  }));
  const all = [...new Set([...keyIds, ...uses.map(({ keyId }) => keyId)])];
  const keys = all.map((keyId, index) => ({
    key_id: keyId,
    state: !keyIds.includes(keyId) ? 'missing' : index === 0 ? 'newest' : 'older',
    seals: Object.fromEntries(uses.filter((use) => use.keyId === keyId).map(({ content, count }) => [content, count])),
  }));
  if (json) print({ keys, signing_keys, log_keys }, true);
  else {
    printTable(keys.flatMap(rowsOf), 'There are no encryption keys.');
    process.stdout.write('\n');
    printTable(signing_keys, 'There are no signing keys.');
    process.stdout.write('\n');
    printTable(log_keys, 'There are no keys of transparency logs.');
  }
  return 0;
}

/** One row for each kind of data that a key seals. */
function rowsOf({ key_id, state, seals }: { key_id: string; state: string; seals: Record<string, number> }) {
  const sealed = Object.entries(seals);
  return (sealed.length > 0 ? sealed : [['nothing', 0] as const]).map(([content, count]) => ({
    key_id,
    state,
    count,
    seals: content,
  }));
}

export async function rotate({ options, json }: { options: { signing: boolean; log: boolean }; json: boolean }): Promise<number> {
  if (options.signing && options.log) throw new CallError('--signing and --log are given one at a time.');
  if (options.signing) return rotateSigning(json);
  if (options.log) return rotateLog(json);
  const { keyId, done } = await withDatabase(async (tools) => {
    const sealer = await openSealerOf(tools);
    const [keyId] = sealer.keyIds;
    // Before the work, which is many transactions: it is never unseen.
    await writeAudit(tools.database.sql, commandLineActor(), { action: 'rotate_encryption_keys', detail: { keyId } });
    return { keyId, done: await rotateKeys(tools.database, sealer) };
  });
  print({ key_id: keyId, ...Object.fromEntries(done.map(({ content, rewrapped }) => [content, rewrapped])) }, json);
  return 0;
}

async function rotateSigning(json: boolean): Promise<number> {
  const done = await withDatabase(async (tools) =>
    rotateSigningKeys(tools.database, await openSealerOf(tools), 'now', (tx) =>
      writeAudit(tx, commandLineActor(), { action: 'rotate_signing_keys' }),
    ),
  );
  print(done, json);
  return 0;
}

async function rotateLog(json: boolean): Promise<number> {
  const log_key = await withDatabase(async (tools) => {
    const sealer = await openSealerOf(tools);
    return tools.database.transaction(async (tx) => {
      const made = await createLogKey(tx, sealer);
      await writeAudit(tx, commandLineActor(), { action: 'rotate_log_keys', detail: { key: made } });
      return made;
    });
  });
  print({ log_key }, json);
  return 0;
}
