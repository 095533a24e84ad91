// Compares the deposits, withdrawals and reallocations that a service shows with a log, and the list of all transfers.
import { commit, type TransferTexts, writeTexts } from './commitment.ts';
import { decimalsOf } from './entry.ts';
import { kindsOf, legIdOf, TRANSFER_KINDS, type TransferKind, transferIdOf, transferKindOf } from './kinds.ts';
import type { CustomerLog, Move, Texts } from './logged.ts';
import { formatUnits, shownUnits } from './replay.ts';
import { type Amount, hasNews, idIn, type Link, type Report, readList, type Source } from './source.ts';

type Shown = {
  id: string;
  kind?: string;
  created: string;
  amount: Amount;
  from?: string;
  to?: string;
  reversed?: Amount;
  returned?: Amount;
  repaid?: Amount;
  _links: Record<string, Link | undefined>;
  _embedded?: { allocations: { _links: { label: Link; 'ledger-entry': Link }; amount: Amount }[] };
} & TransferTexts;

/** The moves of a customer by the id of their transfer, the parts of deposits, and what reverses or returns them. */
type Known = { moves: Map<string, Move>; parts: Map<string, Move[]>; reversals: Map<string, Move[]> };

const LISTS: Record<string, TransferKind[]> = {
  deposits: ['deposit'],
  withdrawals: ['withdrawal'],
  'label-reallocations': ['reallocation', 'reversal'],
  transfers: TRANSFER_KINDS,
};

/** Also keeps the texts that agree with the log. */
export async function compareTransfers(
  source: Source,
  log: CustomerLog,
  { texts, report }: { texts: Texts; report: Report },
): Promise<void> {
  const known: Known = {
    moves: new Map(log.moves.map((move) => [transferIdOf(move), move])),
    parts: Map.groupBy(
      log.moves.filter(({ deposit }) => deposit !== undefined),
      ({ deposit }) => deposit!,
    ),
    reversals: Map.groupBy(
      log.moves.filter(({ reverses }) => reverses !== undefined),
      ({ reverses }) => reverses!,
    ),
  };
  for (const [name, kinds] of Object.entries(LISTS)) {
    const left = new Set([...known.moves].flatMap(([id, move]) => (kinds.includes(transferKindOf(move)!) ? id : [])));
    const news: Shown[] = [];
    for await (const shown of readList<Shown>(source, `/customers/${log.id}/${name}`, { name })) {
      const move = left.delete(shown.id) ? known.moves.get(shown.id)! : undefined;
      if (!move) news.push(shown);
      else {
        for (const fault of faultsOf(shown, move, { name, known, log, texts, news })) report(fault);
        if (shown.returned) await compareReturned(source, shown, { name, known, report });
      }
      const { reference, correlationId, externalId } = shown;
      if (move) texts.ofTransfers.set(shown.id, { reference, correlationId, externalId });
    }
    for (const id of left) report(`changed row: ${name} of customer ${log.id} lack ${id} of entry ${known.moves.get(id)!.index}`);
    for (const { id } of news) if (!(await isNew(source, id, known))) report(`${name} have ${id}, and the log does not`);
  }
}

/** Whether a transfer that the log does not have has an event. That of a label is about one of its ledger entries. */
async function isNew(source: Source, id: string, { moves }: Known): Promise<boolean> {
  if (moves.has(id)) return false;
  for (const digit of ['0', '1', '2']) if (await hasNews(source, id.slice(0, -1) + digit)) return true;
  return false;
}

type Context = { name: string; known: Known; log: CustomerLog; texts: Texts; news: Shown[] };

function faultsOf(shown: Shown, move: Move, context: Context): string[] {
  const { name, known, log, texts } = context;
  const kind = transferKindOf(move)!;
  const kinds = kindsOf(move)!;
  const isFromLabel = kinds.from === 'label' || (kind === 'withdrawal' && log.known.labels.has(move.from));
  const isToLabel = kinds.to === 'label' || (kind === 'withdrawal-return' && log.known.labels.has(move.to));
  const pairs: [member: string, is: string | undefined, was: string | undefined][] = [
    ['amount', shown.amount.value, move.amount],
    ['currency', shown.amount.currency, move.currency],
    ['created', shown.created, move.created],
    ['customer', idIn(shown._links.customer), log.id],
  ];
  if (name === 'transfers') {
    pairs.push(['kind', shown.kind, kind], ['from', shown.from, isFromLabel ? move.from : undefined]);
    pairs.push(['to', shown.to, isToLabel ? move.to : undefined]);
  }
  if (name === 'withdrawals') pairs.push(['from', idIn(shown._links.from), isFromLabel ? move.from : undefined]);
  if (name === 'label-reallocations') {
    pairs.push(['from', idIn(shown._links.from), move.from], ['to', idIn(shown._links.to), move.to]);
    pairs.push(['original', idIn(shown._links.reverses), move.reverses]);
    pairs.push(['reversed amount', shown.reversed?.value, reversedOf(shown, move, context)]);
  }
  if (name === 'deposits') {
    pairs.push(['rule', idIn(shown._links['allocation-rule']), move.rule]);
    pairs.push(['allocations', allocationsIn(shown), allocationsOf(known, shown.id)]);
    pairs.push(['repaid amount', shown.repaid?.value, partsOf(known, shown.id, 'repayment')[0]?.amount]);
  }
  const what = `${kind} ${shown.id}`;
  const faults = pairs
    .filter(([, is, was]) => is !== was)
    .map(
      ([member, is, was]) =>
        `changed row: ${what} shows ${member} ${is ?? 'nothing'}, and entry ${move.index} of the log ${was ?? 'nothing'}`,
    );
  if (texts.salt === null) return faults;
  const details = writeTexts(shown.id, shown);
  if ((details === undefined ? undefined : commit(texts.salt, details)) === move.details) return faults;
  return [...faults, `changed row: ${what} has other texts than entry ${move.index} of the log`];
}

/** What the log and newer reversals have reversed of a reallocation. A reversal shows nothing of it. */
function reversedOf({ id }: Shown, move: Move, { known, news }: Context): string | undefined {
  if (move.reverses !== undefined) return undefined;
  const newer = news.filter(({ _links }) => idIn(_links.reverses) === id).map(({ amount }) => amount.value);
  return formatUnits(reversedUnits(id, known, newer), decimalsOf(move.amount));
}

function reversedUnits(id: string, { reversals }: Known, newer: string[]): bigint {
  const amounts = [...(reversals.get(id) ?? []).map(({ amount }) => amount), ...newer];
  return amounts.reduce((sum, amount) => sum + (shownUnits(amount) ?? 0n), 0n);
}

/** What is returned of a deposit or a withdrawal. Returns that the log does not have yet are in another list. */
async function compareReturned(
  source: Source,
  { id, returned }: Shown,
  { name, known, report }: { name: string; known: Known; report: Report },
): Promise<void> {
  const is = shownUnits(returned?.value);
  if (is === reversedUnits(id, known, [])) return;
  const newer: string[] = [];
  for await (const one of readList<Shown>(source, `/${name}/${id}/returns`, { name: 'returns', by: 'offset' }))
    if (await isNew(source, one.id, known)) newer.push(one.amount.value);
  const was = reversedUnits(id, known, newer);
  if (is !== was)
    report(
      `changed row: ${name} ${id} shows ${returned?.value} returned, and the log ${formatUnits(was, decimalsOf(returned!.value))}`,
    );
}

function partsOf({ parts }: Known, depositId: string, kind: TransferKind): Move[] {
  return (parts.get(depositId) ?? []).filter((part) => transferKindOf(part) === kind);
}

function allocationsOf(known: Known, depositId: string): string {
  const isDivided = known.moves.get(depositId)?.rule !== undefined;
  const parts = isDivided ? partsOf(known, depositId, 'allocation') : [];
  return parts.map((part) => `${part.amount} on ${part.to} (${legIdOf(part, 'to')})`).join(', ');
}

function allocationsIn({ _embedded }: Shown): string {
  const parts = _embedded?.allocations ?? [];
  return parts
    .map(({ _links, amount }) => `${amount.value} on ${idIn(_links.label)} (${idIn(_links['ledger-entry'])})`)
    .join(', ');
}
