// Transparency logs in tests: waits for a checkpoint, and reads and checks a whole log through its tiles.
import assert from 'node:assert/strict';
import { type Entry, parseEntry } from '../../packages/proof/src/entry.ts';
import { type Checkpoint, parseCheckpoint, parseVerifier } from '../../packages/proof/src/note.ts';
import { isSignedBy } from '../../packages/proof/src/sign.ts';
import { decodeEntries, edgeOf, pathOfTile, readHash, TILE_WIDTH } from '../../packages/proof/src/tiles.ts';
import { hashLeaf, rootAt } from '../../packages/proof/src/tree.ts';
import type { Body } from './http.ts';
import type { Call } from './platform.ts';
import type { TestService } from './service.ts';
import { waitUntil } from './wait.ts';

type Account = Pick<TestService, 'url' | 'get' | 'client'> & { call: Call; send: Call; token: string };

/** The checkpoint of an account's log when it covers every event of the feed. */
export async function coveredLog(service: Account): Promise<Checkpoint & { note: string }> {
  const account = `${service.url}/accounts/${service.client.account_id}`;
  const { total }: Body = await service.get('/events?limit=1');
  const { log } = await service.get(account);
  return waitUntil('a checkpoint covers the feed', async () => {
    const { text } = await service.call('GET', `${account}/log/checkpoint`);
    const checkpoint = parseCheckpoint(text);
    if (!checkpoint || checkpoint.size < total) return undefined;
    assert.ok(isSignedBy(text, parseVerifier(log.key)!));
    return { ...checkpoint, note: text };
  });
}

/** The answer with the first checkpoint of a log. While another process begins the log, it is 503. */
export function firstCheckpoint({ call }: Pick<Account, 'call'>, account: string, headers: Record<string, string> = {}) {
  return waitUntil('the log is signed', async () => {
    const answer = await call('GET', `${account}/log/checkpoint`, { headers });
    return answer.status !== 503 && answer;
  });
}

/** Reads a log through its tiles and checks that entries, hashes and root fit together. */
export async function readLog(service: Account, { size, root }: Checkpoint): Promise<{ entries: Entry[] }> {
  const prefix = `${service.url}/accounts/${service.client.account_id}/log/tile/`;
  const read = async (path: string) => {
    const answer = await fetch(prefix + path, { headers: { authorization: `Bearer ${service.token}` } });
    assert.equal(answer.status, 200, path);
    return Buffer.from(await answer.arrayBuffer());
  };
  const tiles = new Map<string, Buffer>();
  const texts: Buffer[] = [];
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    const bundle = decodeEntries(await read(pathOfTile('entries', index, width)))!;
    assert.equal(bundle.length, width);
    const tile = await read(pathOfTile(0, index, width));
    assert.deepEqual(tile, Buffer.concat(bundle.map(hashLeaf)));
    tiles.set(`0 ${index}`, tile);
    texts.push(...bundle);
  }
  for (const { level, index, width } of edgeOf(size).filter(({ level }) => level > 0))
    tiles.set(`${level} ${index}`, await read(pathOfTile(level, index, width)));
  const find = ({ level, index }: { level: number; index: number }) => tiles.get(`${level} ${index}`)!;
  assert.deepEqual(
    rootAt(size, (height, index) => readHash(find, height, index)),
    root,
  );
  return { entries: texts.map(parseEntry) };
}
