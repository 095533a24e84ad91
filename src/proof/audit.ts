// Audits an account: recomputes its log from the entries, and compares the log with the feed and the labels that the service shows.
// It trusts the verifier key and the checkpoint that the auditor brings, and nothing that the service says.
import { compareFeed } from './compare-feed.ts';
import { compareLabels } from './compare-labels.ts';
import type { Policy } from './cosignature.ts';
import { readEntry } from './entry.ts';
import { openTree } from './growing-tree.ts';
import { type Checkpoint, isSignedBy, parseCheckpoint, type Verifier } from './note.ts';
import { Contradiction, readEntries } from './read-entries.ts';
import { openReplay, type Replay } from './replay.ts';
import type { Source } from './source.ts';
import { pathOfTile, TILE_WIDTH } from './tiles.ts';
import { HASH_BYTES, hashLeaf } from './tree.ts';
import { readCheckpoint } from './witnessed.ts';

export type Audit = {
  /** The checkpoint that was checked, for the next audit. */
  checkpoint: string;
  entries: number;
  labels: number;
  /** How many of the oldest entries have an event that retention has deleted. */
  pruned: number;
  /** One sentence for each contradiction; none if everything holds. */
  contradictions: string[];
};

/** Contradictions beyond this number are not searched. */
const CONTRADICTIONS_MAX = 20;

/**
 * Audits an account. `before`: the checkpoint of an earlier audit, whose signature is checked already. `policy`: the witnesses that must have
 * cosigned what is audited.
 */
export async function audit(options: {
  source: Source;
  verifier: Verifier;
  before: Checkpoint | undefined;
  policy?: Policy | undefined;
  onShare: (share: number, step: string) => void;
}): Promise<Audit> {
  const { source, verifier, before, policy, onShare } = options;
  const { note, last, fault: unwitnessed } = await readCheckpoint(source, policy);
  const result: Audit = { checkpoint: note, entries: 0, labels: 0, pruned: 0, contradictions: [] };
  const report = (text: string) => void result.contradictions.push(text);
  const checkpoint = parseCheckpoint(note);
  const fault = checkpoint ? (faultOf(note, checkpoint, { verifier, before }) ?? unwitnessed) : 'the checkpoint is malformed';
  if (!checkpoint || fault !== undefined) return { ...result, contradictions: [fault!] };
  try {
    const replay = await recompute(source, checkpoint, { before, last, report, onShare });
    // Comparisons with a log that contradicts itself would repeat what is named already.
    if (result.contradictions.length === 0) {
      result.entries = checkpoint.size;
      result.labels = await compareLabels(source, { size: checkpoint.size, replay, report, onShare });
      result.pruned = await compareFeed(source, { size: checkpoint.size, report, onShare });
    }
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    report(error.message);
  }
  result.contradictions.splice(CONTRADICTIONS_MAX);
  return result;
}

/** What is wrong with a checkpoint by itself, and beside an earlier one. */
function faultOf(
  note: string,
  checkpoint: Checkpoint,
  { verifier, before }: { verifier: Verifier; before: Checkpoint | undefined },
): string | undefined {
  if (checkpoint.origin !== verifier.name)
    return `forked: the log is now ${checkpoint.origin}, not ${verifier.name}; it was reset, or forked after a restore`;
  if (!isSignedBy(note, verifier)) return 'the checkpoint is not signed by the key';
  if (before && before.size > checkpoint.size)
    return `forked: the log has ${checkpoint.size} entries, and had ${before.size} at the earlier checkpoint`;
  return undefined;
}

/** Hashes every entry, compares the roots with both checkpoints, and replays the money. */
async function recompute(
  source: Source,
  checkpoint: Checkpoint,
  options: {
    before: Checkpoint | undefined;
    last: string | undefined;
    report: (text: string) => void;
    onShare: (share: number, step: string) => void;
  },
): Promise<Replay> {
  const { before, last, report, onShare } = options;
  const tree = openTree();
  const replay = openReplay();
  const contradictions: string[] = [];
  let differsBefore = before?.size === 0 && !before.root.equals(tree.root());
  for await (const { index, text } of readEntries(source, checkpoint.size)) {
    tree.add(hashLeaf(text));
    if (index + 1 === before?.size) differsBefore = !before.root.equals(tree.root());
    const entry = readEntry(text);
    if (!entry) contradictions.push(`changed row: entry ${index} of the log is not an event`);
    else if (contradictions.length < CONTRADICTIONS_MAX) contradictions.push(...replay.add(entry, index));
    if (index === checkpoint.size - 1 && last !== undefined && entry?.id !== last)
      contradictions.push(`changed row: entry ${index} of the log was event ${last} before`);
    if (index % TILE_WIDTH === 0) onShare(index / checkpoint.size / 3, 'log');
  }
  if (!tree.root().equals(checkpoint.root)) await nameChanged(source, checkpoint, report);
  else if (differsBefore) report(`forked: the first ${before!.size} entries are not those of the earlier checkpoint`);
  else contradictions.forEach(report);
  return replay;
}

/** Names the entries that are not those of the tiles; if all are, the tiles are not those of the checkpoint. */
async function nameChanged(source: Source, { size }: Checkpoint, report: (text: string) => void): Promise<void> {
  let tile: Buffer | undefined;
  let found = false;
  for await (const { index, text } of readEntries(source, size)) {
    const offset = index % TILE_WIDTH;
    if (offset === 0) tile = await source.log(`tile/${pathOfTile(0, index / TILE_WIDTH, Math.min(TILE_WIDTH, size - index))}`);
    if (!tile) throw new Contradiction(`the hashes of entries ${index} and later are missing in the log`);
    if (tile.subarray(offset * HASH_BYTES, (offset + 1) * HASH_BYTES).equals(hashLeaf(text))) continue;
    found = true;
    report(`changed row: entry ${index} of the log (event ${readEntry(text)?.id}) is not what was hashed`);
  }
  if (!found) report('the entries of the log do not lead to the root of the checkpoint');
}
