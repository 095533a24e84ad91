// Reproduces the statements of a customer from a log, and compares them byte for byte.
import { decodeText, isEqual } from './bytes.ts';
import type { TransferTexts } from './commitment.ts';
import { nameBefore } from './former-names.ts';
import { type Kind, kindsOf, legIdOf, type TransferKind, transferIdOf, transferKindOf } from './kinds.ts';
import type { CustomerLog, Texts } from './logged.ts';
import { legsOf, type Replay } from './replay.ts';
import type { Report, Source } from './source.ts';

/** A ledger entry on a statement. Amounts are in minor units; `created` in ISO 8601. */
export type LoggedLine = {
  id: string;
  transferId: string;
  kind: TransferKind;
  sequence: number;
  amount: bigint;
  balance: bigint;
  created: string;
  otherId: string;
  otherKind: Kind;
  otherName: string | null;
  reference: string | null;
  correlationId: string | null;
  externalId: string | null;
  depositId: string | null;
  ruleId: string | null;
  reverses: string | null;
  returnId: string | null;
};
type Position = { sequence: number; balance: bigint };
export type LoggedSection = {
  id: string;
  kind: 'available' | 'label' | 'owed';
  currency: string;
  name: string | null;
  opening: Position;
  closing: Position;
  lines: LoggedLine[];
};
/** `month`: such as 2026-01, in UTC. */
type LoggedStatement = { customer: string; month: string; isClosed: boolean; sections: LoggedSection[] };

/** A statement in a media type, drawn as the service draws it. `isWhole`: whether it is all of the month. */
type Drawn = { mediaType: string; bytes: Uint8Array };
export type Draw = (statement: LoggedStatement) => Promise<Drawn[]>;

/** After the end of a month: what is in progress then is committed. */
const CLOSED_AFTER_MS = 60_000;
const CSV = 'text/csv';

/** Returns the number of statements that were compared. */
export async function compareStatements(
  source: Source,
  log: CustomerLog,
  { replay, texts, draw, report }: { replay: Replay; texts: Texts; draw: Draw; report: Report },
): Promise<number> {
  let compared = 0;
  for (const month of monthsOf(log)) {
    const lines = linesOf(log, texts, endOf(month));
    const isClosed = endOf(month) + CLOSED_AFTER_MS <= Date.parse(replay.time());
    const sections = sectionsOf(log, { month, lines, replay, texts });
    for (const { mediaType, bytes } of await draw({ customer: log.id, month, isClosed, sections })) {
      if (!isClosed && mediaType !== CSV) continue;
      const shown = await source.read(`/customers/${log.id}/statements/${month}`, mediaType);
      compared += 1;
      const isSame = isClosed ? shown !== undefined && isEqual(shown, bytes) : hasLines(shown, bytes);
      if (!isSame) report(`changed row: the statement ${month} of customer ${log.id} (${mediaType}) is not that of the log`);
    }
  }
  return compared;
}

/** Whether the lines of entries are in a statement of a month that goes on. */
function hasLines(shown: Uint8Array | undefined, wanted: Uint8Array): boolean {
  const entriesIn = (bytes: Uint8Array) =>
    decodeText(bytes)
      .split('\r\n')
      .filter((line) => line.startsWith('entry,'));
  const lines = new Set(shown ? entriesIn(shown) : []);
  return shown !== undefined && entriesIn(wanted).every((line) => lines.has(line));
}

/** The months in which a customer's money moved, or its labels changed. */
function monthsOf({ moves, known }: CustomerLog): string[] {
  const times = [
    ...moves.map(({ created }) => created),
    ...[...known.labels.values()].flatMap(({ created, removed }) => [created, removed ?? created]),
  ];
  return [...new Set(times.map((time) => time.slice(0, '2026-01'.length)))].sort();
}

function startOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`);
}

function endOf(month: string): number {
  const start = new Date(startOf(month));
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
}

/** The accounts of a month: labels that existed in it, and what is available or owed from its first entry on. */
function sectionsOf(
  { known }: CustomerLog,
  { month, lines, replay, texts }: { month: string; lines: Map<string, LoggedLine[]>; replay: Replay; texts: Texts },
): LoggedSection[] {
  const [from, before] = [startOf(month), endOf(month)].map((ms) => new Date(ms).toISOString()) as [string, string];
  const others = [...known.accounts].flatMap((id) => {
    const { kind } = replay.accounts.get(id)!;
    return kind === 'available' || kind === 'owed' ? [{ id, kind }] : [];
  });
  const labels = [...known.labels].filter(([id, { created, removed }]) => {
    const last = [removed ?? '', replay.accounts.get(id)?.latest ?? ''].sort()[1]!;
    return created < before && (removed === undefined || last >= from);
  });
  const section = (id: string, kind: LoggedSection['kind']): LoggedSection => {
    const all = lines.get(id) ?? [];
    const details = texts.labels.get(id);
    const position = (until: string): Position => {
      const last = all.findLast(({ created }) => created < until);
      return { sequence: last?.sequence ?? 0, balance: last?.balance ?? 0n };
    };
    return {
      ...{ id, kind, currency: replay.accounts.get(id)?.currency ?? String(details?.currency) },
      ...{ name: nameBefore(details ?? {}, before), opening: position(from), closing: position(before) },
      lines: all.filter(({ created }) => created >= from && created < before),
    };
  };
  const sections = [...others.map(({ id, kind }) => section(id, kind)), ...labels.map(([id]) => section(id, 'label'))];
  const orderOf = ({ currency, kind, id }: LoggedSection) => `${currency} ${kind} ${id}`;
  return sections
    .filter(({ kind, closing }) => kind === 'label' || closing.sequence > 0)
    .sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

function textsOf({ reference, correlationId, externalId }: TransferTexts = {}) {
  return { reference: reference ?? null, correlationId: correlationId ?? null, externalId: externalId ?? null };
}

/** The lines of each account, in the order of its sequences, with the names of labels just before a moment. */
function linesOf({ moves }: CustomerLog, texts: Texts, beforeMs: number): Map<string, LoggedLine[]> {
  const lines = new Map<string, LoggedLine[]>();
  const before = new Date(beforeMs).toISOString();
  const nameOf = (id: string) => nameBefore(texts.labels.get(id) ?? {}, before);
  for (const move of moves) {
    const transferId = transferIdOf(move);
    const [from, to] = legsOf(move, move);
    const kinds = kindsOf(move)!;
    for (const [side, leg, otherId] of [
      ['from', from, move.to],
      ['to', to, move.from],
    ] as const) {
      const { sequence, amount, balance } = leg;
      const line: LoggedLine = {
        ...{ id: legIdOf(move, side), transferId, kind: transferKindOf(move)!, sequence, amount, balance },
        ...{ created: move.created, otherId, otherKind: side === 'from' ? kinds.to : kinds.from, otherName: nameOf(otherId) },
        ...textsOf(texts.ofTransfers.get(transferId)),
        ...{ depositId: move.deposit ?? null, ruleId: move.rule ?? null },
        ...{ reverses: move.reverses ?? null, returnId: move.return ?? null },
      };
      const known = lines.get(leg.account);
      if (known) known.push(line);
      else lines.set(leg.account, [line]);
    }
  }
  // Late entries come after later ones.
  for (const known of lines.values()) known.sort((one, other) => one.sequence - other.sequence);
  return lines;
}
