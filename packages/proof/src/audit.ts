// Audits an account: recomputes its log from the entries, and compares the log with everything that the service shows of it.
// It trusts the verifier key and the checkpoint that the auditor brings, and nothing that the service says.
import { isEqual } from './bytes.ts';
import { compareCustomers } from './compare-customers.ts';
import { compareFeed } from './compare-feed.ts';
import type { Draw } from './compare-statements.ts';
import { openTiles } from './compare-tiles.ts';
import type { Policy } from './cosignature.ts';
import { readEntry } from './entry.ts';
import { openTree } from './growing-tree.ts';
import { type Checkpoint, formatVerifier, parseCheckpoint, type Verifier } from './note.ts';
import { Contradiction, type Entries, openLogEntries } from './read-entries.ts';
import { openReplay, type Replay } from './replay.ts';
import { type OnShare, type Report, readList, type Source } from './source.ts';
import { TILE_WIDTH } from './tiles.ts';
import { hashLeaf } from './tree.ts';
import { isSigned } from './verify.ts';
import { readCheckpoint } from './witnessed.ts';

export type Audit = {
  /** The checkpoint that was checked, for the next audit. */
  checkpoint: string;
  entries: number;
  customers: number;
  labels: number;
  /** The statements that were reproduced, one for each month and format. */
  statements: number;
  /** Customers whose texts were erased: only their money was compared. */
  erased: number;
  /** Entries that do not carry their customer, because an earlier release wrote them. */
  old: number;
  /** Entries of events that were lost and recreated. */
  late: number;
  /** How many of the oldest entries have an event that retention has deleted. */
  pruned: number;
  /** One sentence for each contradiction; none if everything holds. */
  contradictions: string[];
};

/** Contradictions beyond this number are not searched. */
const CONTRADICTIONS_MAX = 20;
const NOTHING = { entries: 0, customers: 0, labels: 0, statements: 0, erased: 0, old: 0, late: 0, pruned: 0 };
/** The account in the origin of a log. */
const ACCOUNT = /\/accounts\/([0-9a-f-]{36})\/log/;
const ANNOUNCEMENTS = '/events?topic=account_checkpoint_created';

/**
 * Audits an account. `before`: the checkpoint of an earlier audit, whose signature is checked already. `policy`: the witnesses that must have
 * cosigned what is audited. `draw`: draws its statements; without it they are not compared.
 */
export async function audit(options: {
  source: Source;
  verifier: Verifier;
  before?: Checkpoint | undefined;
  policy?: Policy | undefined;
  draw?: Draw;
  onShare?: OnShare;
}): Promise<Audit> {
  const { source, verifier, before, policy, draw = async () => [], onShare = () => {} } = options;
  const { note, last, fault: unwitnessed } = await readCheckpoint(source, policy);
  const result: Audit = { checkpoint: note, ...NOTHING, contradictions: [] };
  // Two lists may show one row.
  const report = (text: string) => void (result.contradictions.includes(text) || result.contradictions.push(text));
  const checkpoint = parseCheckpoint(note);
  const fault = checkpoint
    ? ((await faultOf(note, checkpoint, { verifier, before })) ?? unwitnessed)
    : 'the checkpoint is malformed';
  if (!checkpoint || fault !== undefined) return { ...result, contradictions: [fault!] };
  try {
    await compareKey(source, verifier, report);
    const entries = openLogEntries(source, checkpoint.size);
    const replay = await recompute(source, entries, checkpoint, { before, last, report, onShare });
    // Comparisons with a log that contradicts itself would repeat what is named already.
    if (result.contradictions.length === 0) {
      const compared = await compareCustomers(source, entries, { replay, report, draw, onShare });
      const pruned = await compareFeed(source, entries, { report, onShare });
      Object.assign(result, compared, { pruned, entries: checkpoint.size, old: replay.old(), late: replay.late() });
    }
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    report(error.message);
  }
  result.contradictions.splice(CONTRADICTIONS_MAX);
  return result;
}

/** What is wrong with a checkpoint by itself, and beside an earlier one. */
async function faultOf(
  note: string,
  checkpoint: Checkpoint,
  { verifier, before }: { verifier: Verifier; before: Checkpoint | undefined },
): Promise<string | undefined> {
  if (checkpoint.origin !== verifier.name)
    return `forked: the log is now ${checkpoint.origin}, not ${verifier.name}; it was reset, or forked after a restore`;
  if (!(await isSigned(note, verifier))) return 'the checkpoint is not signed by the key';
  if (before && before.size > checkpoint.size)
    return `forked: the log has ${checkpoint.size} entries, and had ${before.size} at the earlier checkpoint`;
  return undefined;
}

/** Another auditor would get the key that the account shows. */
async function compareKey(source: Source, verifier: Verifier, report: Report): Promise<void> {
  const account = ACCOUNT.exec(verifier.name)?.[1];
  const log = account && (await source.get<{ log: { key: string; formerKeys?: string[] } }>(`/accounts/${account}`))?.log;
  if (log && ![log.key, ...(log.formerKeys ?? [])].includes(formatVerifier(verifier)))
    report(`changed row: the account shows ${log.key}, and not the key of the audit`);
}

/** Hashes every entry, compares the roots with all checkpoints that are known, and replays the money. */
async function recompute(
  source: Source,
  entries: Entries,
  checkpoint: Checkpoint,
  options: { before: Checkpoint | undefined; last: string | undefined; report: Report; onShare: OnShare },
): Promise<Replay> {
  const { before, last, report, onShare } = options;
  const tree = openTree();
  const replay = openReplay();
  const contradictions: string[] = [];
  const earlier = Map.groupBy(await listEarlier(source, before), ({ size }) => size);
  const different: string[] = [];
  const compareRoots = () => {
    for (const { root, name } of earlier.get(tree.size()) ?? []) if (!isEqual(root, tree.root())) different.push(name);
  };
  compareRoots();
  const differing: string[] = [];
  const tiles = openTiles(source, (text) => void differing.push(text));
  for await (const { index, text } of entries.read()) {
    const leaf = hashLeaf(text);
    tree.add(leaf);
    compareRoots();
    const entry = readEntry(text);
    await tiles.add(leaf, 'fault' in entry ? '' : ` (event ${entry.id})`);
    const isOther = index === checkpoint.size - 1 && last !== undefined && !('id' in entry && entry.id === last);
    if ('fault' in entry) contradictions.push(`malformed entry ${index}: it ${entry.fault}`);
    else if (contradictions.length < CONTRADICTIONS_MAX) contradictions.push(...replay.add(entry, index));
    if (isOther) contradictions.push(`changed row: entry ${index} of the log was event ${last} before`);
    if (index % TILE_WIDTH === 0) onShare(index / checkpoint.size / 3, 'log');
  }
  if (contradictions.length < CONTRADICTIONS_MAX) contradictions.push(...replay.end());
  await tiles.end();
  const isRoot = isEqual(tree.root(), checkpoint.root);
  if (differing.length > 0) differing.forEach(report);
  else if (!isRoot) report('the entries of the log do not lead to the root of the checkpoint');
  else if (different.length > 0) for (const name of different) report(`forked: ${name}`);
  else contradictions.forEach(report);
  return replay;
}

type Earlier = Pick<Checkpoint, 'size' | 'root'> & { name: string };

/** The checkpoint that the auditor brings, and those that events announced. */
async function listEarlier(source: Source, before: Checkpoint | undefined): Promise<Earlier[]> {
  const named = ({ size, root }: Checkpoint, which: string): Earlier => ({
    ...{ size, root, name: `the first ${size} entries are not those of ${which}` },
  });
  const earlier = before ? [named(before, 'the earlier checkpoint')] : [];
  for await (const { id, checkpoint } of readList<{ id: string; checkpoint?: string }>(source, ANNOUNCEMENTS, {
    name: 'events',
  })) {
    const announced = parseCheckpoint(checkpoint ?? '');
    if (!announced) throw new Contradiction(`changed row: event ${id} has no checkpoint`);
    earlier.push(named(announced, `the checkpoint that event ${id} announced`));
  }
  return earlier;
}
