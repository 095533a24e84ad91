// Compares the labels that a service shows with a log: every ledger entry by its sequence, and the balance that follows.
import { parseEntry } from './entry.ts';
import { readEntries } from './read-entries.ts';
import { digestOf, type Leg, legsOf, type Replay, type Replayed } from './replay.ts';
import type { Source } from './source.ts';

type Amount = { value: string };
type ShownEntry = { id: string; sequence: number; amount: Amount; balance: Amount; created: string };
type Page = { _embedded: { 'ledger-entries': ShownEntry[] } };

const PAGE = 200;
/** How often a label is read again while money moves on it. */
const TRIES = 5;

/** Reports the labels that differ. Returns the number of labels in the log that are not removed. */
export async function compareLabels(
  source: Source,
  options: { size: number; replay: Replay; report: (text: string) => void; onShare: (share: number, step: string) => void },
): Promise<number> {
  const { size, replay, report, onShare } = options;
  const labels = [...replay.labels].filter((id) => !replay.removed.has(id));
  const different: string[] = [];
  for (const [count, label] of labels.entries()) {
    const shown = await readLabel(source, label);
    if (shown === undefined) {
      if (!(await wasRemoved(source, label))) report(`label ${label} of the log is missing`);
      continue;
    }
    const replayed = replay.accounts.get(label);
    if (!shown.isBalanced) report(`changed row: the amount of label ${label} is not the balance of its newest ledger entry`);
    if (replayed && !isSame(shown.legs, replayed)) different.push(label);
    onShare((1 + count / labels.length) / 3, 'labels');
  }
  if (different.length > 0) await nameDifferent(source, size, { labels: different, report });
  return labels.length;
}

/** The ledger entries of a label, oldest first. Undefined if the service does not have the label. */
async function readLabel(source: Source, label: string): Promise<{ legs: Leg[]; isBalanced: boolean } | undefined> {
  const legs = await readLegs(source, label);
  if (!legs) return undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const amount = (await source.get<{ amount: Amount }>(`/labels/${label}`))?.amount.value;
    const newest = (await source.get<Page>(`/labels/${label}/ledger-entries?limit=1`))?._embedded['ledger-entries'][0];
    if (newest ? amount === newest.balance.value : Number(amount) === 0) return { legs, isBalanced: true };
  }
  return { legs, isBalanced: false };
}

async function readLegs(source: Source, account: string): Promise<Leg[] | undefined> {
  const legs: Leg[] = [];
  for (let after = ''; ; ) {
    const page = await source.get<Page>(`/labels/${account}/ledger-entries?limit=${PAGE}${after}`);
    if (!page) return undefined;
    const entries = page._embedded['ledger-entries'];
    for (const { id, sequence, amount, balance, created } of entries)
      legs.push({ id, account, sequence, amount: amount.value, balance: balance.value, created });
    if (entries.length === 0) return legs.reverse();
    after = `&after=${entries.at(-1)!.id}`;
  }
}

/** Whether the legs from the first to the newest of the log are those of the log. */
function isSame(legs: Leg[], { first, sequence, digest }: Replayed): boolean {
  let at: string | undefined;
  for (const leg of legs.filter((leg) => leg.sequence >= first)) {
    at = digestOf(at, leg);
    if (leg.sequence === sequence) return at === digest;
  }
  return false;
}

/** Whether the removal of a label is in the feed, after the checkpoint. */
async function wasRemoved(source: Source, label: string): Promise<boolean> {
  const found = await source.get<{ total: number }>(`/events?limit=1&topic=customer_label_removed&resourceId=${label}`);
  return (found?.total ?? 0) > 0;
}

/** Names the ledger entries that differ, by reading the log again. */
async function nameDifferent(
  source: Source,
  size: number,
  { labels, report }: { labels: string[]; report: (text: string) => void },
): Promise<void> {
  const shown = new Map<string, Map<number, Leg>>();
  for (const label of labels) {
    const legs = (await readLegs(source, label)) ?? [];
    shown.set(label, new Map(legs.map((leg) => [leg.sequence, leg])));
  }
  const named = new Set<string>();
  for await (const { index, text } of readEntries(source, size)) {
    for (const leg of legsOf(parseEntry(text))) {
      const one = shown.get(leg.account)?.get(leg.sequence);
      if (!shown.has(leg.account) || (one && digestOf('', one) === digestOf('', leg))) continue;
      named.add(leg.account);
      const is = one ? `${one.amount} with balance ${one.balance}` : 'nothing';
      const was = `entry ${index} of the log ${leg.amount} with balance ${leg.balance}`;
      report(`changed row: label ${leg.account} shows ${is} at sequence ${leg.sequence}, and ${was}`);
    }
  }
  for (const label of labels.filter((label) => !named.has(label)))
    report(`label ${label} has ledger entries that the log does not have`);
}
