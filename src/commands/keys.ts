// `earmark keys list|rotate`: lists and rotates encryption and signing keys.
import { requireMigrated } from '../db/migrate.ts';
import { findKeyIds } from '../key-file.ts';
import { listKeyUses, rotateKeys } from '../keys/rotate.ts';
import { listSigningKeys, rotateSigningKeys } from '../oauth/signing-key.ts';
import { print, printTable } from './output.ts';
import { openSealerOf, withDatabase } from './with-database.ts';

export async function list({ json }: { json: boolean }): Promise<number> {
  const { keyIds, uses, signing } = await withDatabase(async ({ config, database: { sql } }) => {
    const keyIds = await findKeyIds(config.encryptionKeys, config.dataDir);
    return { keyIds, uses: await listKeyUses(sql), signing: await listSigningKeys(sql) };
  }, requireMigrated);
  const signing_keys = signing.map(({ kid, state, created }) => ({ kid, state, created: created.toISOString() }));
  const all = [...new Set([...keyIds, ...uses.map(({ keyId }) => keyId)])];
  const keys = all.map((keyId, index) => ({
    key_id: keyId,
    state: !keyIds.includes(keyId) ? 'missing' : index === 0 ? 'newest' : 'older',
    seals: Object.fromEntries(uses.filter((use) => use.keyId === keyId).map(({ content, count }) => [content, count])),
  }));
  if (json) print({ keys, signing_keys }, true);
  else {
    printTable(keys.flatMap(rowsOf), 'There are no encryption keys.');
    process.stdout.write('\n');
    printTable(signing_keys, 'There are no signing keys.');
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

export async function rotate({ options, json }: { options: { signing: boolean }; json: boolean }): Promise<number> {
  if (options.signing) return rotateSigning(json);
  const { keyId, done } = await withDatabase(async (tools) => {
    const sealer = await openSealerOf(tools);
    return { keyId: sealer.keyIds[0], done: await rotateKeys(tools.database, sealer) };
  });
  print({ key_id: keyId, ...Object.fromEntries(done.map(({ content, rewrapped }) => [content, rewrapped])) }, json);
  return 0;
}

async function rotateSigning(json: boolean): Promise<number> {
  const done = await withDatabase(async (tools) => rotateSigningKeys(tools.database, await openSealerOf(tools), 'now'));
  print(done, json);
  return 0;
}
