// Reads the checkpoint that an audit checks: with a policy, one that enough witnesses have cosigned and that covers all that the auditor is shown.
import { decodeText } from './bytes.ts';
import type { Policy } from './cosignature.ts';
import { readEntry } from './entry.ts';
import { parseCheckpoint } from './note.ts';
import type { Source } from './source.ts';
import { decodeEntries, pathOfTile, TILE_WIDTH } from './tiles.ts';
import { findCosigners, isWitnessed } from './verify.ts';

/** `last`: the id of the last entry, if it must be that of the checkpoint. `fault`: what is wrong. */
type Read = { note: string; last?: string | undefined; fault?: string };
type Events = { _embedded: { events: { id: string }[] } };

/** The service signs and asks witnesses behind its feed: an event is covered a moment after it is written, if they answer. */
const WAIT_MS = 20_000;
const PAUSE_MS = 500;
const PAGE = 200;

/**
 * A history that only this auditor is shown has events that no witness has seen. So the checkpoint must cover the newest event of the feed: an
 * older checkpoint, which all are shown, proves nothing of it.
 */
export async function readCheckpoint(source: Source, policy: Policy | undefined): Promise<Read> {
  const read = async (query = '') => decodeText((await source.log(`checkpoint${query}`)) ?? new Uint8Array());
  if (!policy) return { note: await read() };
  const event = (await source.get<Events>('/events?limit=1'))?._embedded.events[0]?.id;
  let newest = '';
  for (const endsMs = performance.now() + WAIT_MS; performance.now() < endsMs; await pause()) {
    newest = await read();
    for (const note of [newest, await read('?witnessed=true')]) {
      if (!(await isWitnessed(note, policy))) continue;
      const last = await readLast(source, parseCheckpoint(note)?.size ?? 0);
      if (event === undefined || (await isUpTo(source, event, last))) return { note, last };
    }
  }
  const cosigned = (await findCosigners(newest, policy)).map(({ name }) => name);
  const who = cosigned.length === 0 ? 'none of the witnesses' : `only ${cosigned.join(', ')}`;
  const needed = `${policy.quorum} of ${policy.witnesses.length} must`;
  return { note: newest, fault: `not witnessed: ${who} cosigned a checkpoint that covers event ${event}, and ${needed}` };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** The id of the last entry of the first `size` ones. */
async function readLast(source: Source, size: number): Promise<string | undefined> {
  if (size === 0) return undefined;
  const index = Math.floor((size - 1) / TILE_WIDTH);
  const bundle = await source.log(`tile/${pathOfTile('entries', index, Math.min(TILE_WIDTH, size - index * TILE_WIDTH))}`);
  const text = bundle && decodeEntries(bundle)?.at(-1);
  const entry = text && readEntry(text);
  return entry && 'id' in entry ? entry.id : undefined;
}

/** Whether an event of the feed is the last entry, or before it. */
async function isUpTo(source: Source, event: string, last: string | undefined): Promise<boolean> {
  for (let after = last; after !== event; ) {
    if (after === undefined) return false;
    const page: Events | undefined = await source.get<Events>(`/events?limit=${PAGE}&after=${after}`);
    if (!page || page._embedded.events.some(({ id }) => id === event)) return false;
    after = page._embedded.events.at(-1)?.id ?? event;
  }
  return true;
}
