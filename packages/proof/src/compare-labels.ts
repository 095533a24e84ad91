// Compares the labels that a service shows with a log: their texts, every ledger entry by its sequence, and the balance that follows.
import { canonicalize, type Details } from './commitment.ts';
import { legIdOf, transferIdOf } from './kinds.ts';
import type { CustomerLog, Texts } from './logged.ts';
import type { Replay } from './replay.ts';
import { type Amount, hasNews, type Link, type Report, readList, type Source } from './source.ts';

type Label = Record<string, unknown> & { id: string; amount: Amount; _links: { customer: Link } };
type ShownEntry = { id: string; sequence: number; amount: Amount; balance: Amount; created: string };
type Page = { _embedded: { 'ledger-entries': ShownEntry[] } };
/** A ledger entry as the log has it. */
type Leg = { index: number; id: string; amount: string; balance: string; created: string };

const MEMBERS = ['name', 'correlationId', 'externalId', 'metadata', 'created'];
/** How often a label is read again while money moves on it. */
const TRIES = 5;

export async function compareLabels(
  source: Source,
  log: CustomerLog,
  { replay, texts, report }: { replay: Replay; texts: Texts; report: Report },
): Promise<void> {
  const { id, known } = log;
  const legs = legsByLabel(log);
  const listed = new Set<string>();
  for await (const label of readList<Label>(source, `/customers/${id}/labels`, { name: 'labels', by: 'offset' })) {
    listed.add(label.id);
    await compareTexts(source, label, { details: texts.labels.get(label.id), replay, report });
  }
  for (const [label, { removed }] of known.labels) {
    const where = removed === undefined ? undefined : 'removed';
    if (where === undefined && !listed.has(label)) {
      const isRemoved = await hasNews(source, label, replay.newest.get(label)?.event);
      if (!isRemoved && !(await source.get(`/labels/${label}`))) report(`label ${label} of the log is not shown`);
    }
    if (where === 'removed' && listed.has(label)) report(`changed row: label ${label} is shown, and the log has its removal`);
    await compareLegs(source, label, { legs: legs.get(label) ?? new Map(), isListed: listed.has(label), replay, report });
  }
}

/** The members of a label that is shown, beside its details, whose hash is in the log. */
async function compareTexts(
  source: Source,
  label: Label,
  { details, replay, report }: { details: Details | undefined; replay: Replay; report: Report },
): Promise<void> {
  const { id, amount } = label;
  if (!details) {
    if (!(await hasNews(source, id))) report(`label ${id} is shown, and is not in the log`);
    return;
  }
  const differing = MEMBERS.find((name) => canonicalize(label[name]) !== canonicalize(details[name]));
  const isOther = differing !== undefined || amount.currency !== details.currency;
  if (isOther && !(await hasNews(source, id, replay.newest.get(id)?.event)))
    report(`changed row: label ${id} is shown with another ${differing ?? 'currency'} than its details`);
}

function legsByLabel({ moves }: CustomerLog): Map<string, Map<number, Leg>> {
  const legs = new Map<string, Map<number, Leg>>();
  const add = (account: string, sequence: number, leg: Leg) => {
    const known = legs.get(account) ?? new Map<number, Leg>();
    legs.set(account, known.set(sequence, leg));
  };
  for (const move of moves) {
    const { index, created, amount } = move;
    add(move.from, move.fromSequence, {
      ...{ index, created, id: legIdOf(move, 'from'), amount: `-${amount}`, balance: move.fromBalance },
    });
    add(move.to, move.toSequence, { index, created, id: legIdOf(move, 'to'), amount, balance: move.toBalance });
  }
  return legs;
}

async function compareLegs(
  source: Source,
  label: string,
  { legs, isListed, replay, report }: { legs: Map<number, Leg>; isListed: boolean; replay: Replay; report: Report },
): Promise<void> {
  const path = `/labels/${label}/ledger-entries`;
  const last = replay.accounts.get(label)?.sequence ?? 0;
  const left = new Map(legs);
  for await (const shown of readList<ShownEntry>(source, path, { name: 'ledger-entries' })) {
    const leg = left.get(shown.sequence);
    left.delete(shown.sequence);
    if (!leg) {
      const isKnown = shown.sequence <= last && replay.accounts.get(label)!.first <= shown.sequence;
      if (isKnown && replay.old() > 0) continue;
      if (isKnown || !(await hasTransfer(source, shown.id)))
        report(`label ${label} has ledger entry ${shown.id} at sequence ${shown.sequence}, and the log does not`);
      continue;
    }
    const isSame =
      shown.id === leg.id &&
      shown.amount.value === leg.amount &&
      shown.balance.value === leg.balance &&
      shown.created === leg.created;
    if (isSame) continue;
    const is = `${shown.amount.value} with balance ${shown.balance.value} at sequence ${shown.sequence}`;
    const was = `${leg.amount} with balance ${leg.balance}`;
    const other = shown.created === leg.created ? '' : ` of ${leg.created}`;
    report(`changed row: label ${label} shows ${is}, and entry ${leg.index} of the log ${was}${other}`);
  }
  for (const [sequence, { index, amount, balance }] of left)
    report(
      `changed row: label ${label} shows nothing at sequence ${sequence}, and entry ${index} of the log ${amount} with balance ${balance}`,
    );
  if (!isListed) return;
  const balance = await readBalance(source, label);
  if (balance === 'hidden' && !(await hasNews(source, label, replay.newest.get(label)?.event)))
    report(`changed row: label ${label} is listed, and not shown by its id`);
  if (balance === 'other') report(`changed row: the amount of label ${label} is not the balance of its newest ledger entry`);
}

/** Whether the feed has an event of the transfer of a ledger entry: a reallocation has its own id, other transfers that of an entry. */
async function hasTransfer(source: Source, entryId: string): Promise<boolean> {
  return (await hasNews(source, entryId)) || (await hasNews(source, transferIdOf({ resourceId: entryId })));
}

/** Whether the amount of a label is the balance of its newest ledger entry. */
async function readBalance(source: Source, label: string): Promise<'same' | 'other' | 'hidden'> {
  for (let tries = 0; tries < TRIES; tries++) {
    const amount = (await source.get<{ amount: Amount }>(`/labels/${label}`))?.amount.value;
    const newest = (await source.get<Page>(`/labels/${label}/ledger-entries?limit=1`))?._embedded['ledger-entries'][0];
    if (amount === undefined) return 'hidden';
    if (newest ? amount === newest.balance.value : Number(amount) === 0) return 'same';
  }
  return 'other';
}
