// `earmark keys list|rotate`: which encryption keys are in use, and everything sealed brought under the newest.
import { listKeyUses, rotateKeys } from '../keys/rotate.ts';
import { type Command, print, readArgs, UsageError } from './command.ts';
import { openSealerOf, withDatabase } from './with-database.ts';

const usage = ['keys list', 'keys rotate'];

export const keys: Command = {
  name: 'keys',
  usage,
  about:
    'Shows what each encryption key seals, or brings everything under the newest. To rotate: set ENCRYPTION_KEY to "new,old" and restart, rotate, list, then take the old key away once nothing is under it (and a day later, when idempotency keys of before are over).',
  async run(args) {
    const { values, positionals } = readArgs(args, {}, 1);
    if (positionals[0] === 'list') return list(values.json);
    if (positionals[0] === 'rotate') return rotate(values.json);
    throw new UsageError(`Call it as one of:\n${usage.map((line) => `  earmark ${line}`).join('\n')}`);
  },
};

async function list(json: boolean | undefined): Promise<number> {
  const { keyIds, uses } = await withDatabase(async (tools) => {
    const { keyIds } = await openSealerOf(tools);
    return { keyIds, uses: await listKeyUses(tools.database.sql) };
  });
  const all = [...new Set([...keyIds, ...uses.map(({ keyId }) => keyId)])];
  const keys = all.map((keyId, place) => ({
    key_id: keyId,
    state: place === 0 ? 'newest' : keyIds.includes(keyId) ? 'older' : 'missing',
    seals: Object.fromEntries(uses.filter((use) => use.keyId === keyId).map(({ holds, count }) => [holds, count])),
  }));
  if (json) print({ keys }, true);
  for (const { key_id, state, seals } of json ? [] : keys) {
    process.stdout.write(`${key_id}  ${state}\n`);
    for (const [holds, count] of Object.entries(seals)) process.stdout.write(`  ${String(count).padStart(9)}  ${holds}\n`);
    if (Object.keys(seals).length === 0) process.stdout.write('          nothing\n');
  }
  return 0;
}

async function rotate(json: boolean | undefined): Promise<number> {
  const { keyId, done } = await withDatabase(async (tools) => {
    const sealer = await openSealerOf(tools);
    return { keyId: sealer.keyIds[0], done: await rotateKeys(tools.database, sealer) };
  });
  print({ key_id: keyId, ...Object.fromEntries(done.map(({ holds, rewrapped }) => [holds, rewrapped])) }, json);
  return 0;
}
