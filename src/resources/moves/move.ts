// Moves of money that a person asks for: what each is, in words, and what it moves.
import type { Static } from 'typebox';
import { parseAmount } from '../../core/money/money.ts';
import type { Act } from '../../ledger/audit/audit.ts';
import type { CaptureRequest } from '../holds/hold.ts';
import type { DepositReturnRequest } from '../returns/return.ts';

type Amount = { value: string; currency: string };
type Texts = { reference?: string; externalId?: string; metadata?: Record<string, string> };

/** JSON, as it is kept while it waits. `from`, `to`, `label`: ids of labels. `isOut`: from the label to the available balance. */
export type Move =
  | ({ kind: 'deposit' | 'withdrawal'; amount: Amount } & Texts)
  | ({ kind: 'reallocation'; from: string; to: string; amount: Amount } & Texts)
  | ({ kind: 'label'; label: string; isOut: boolean; amount: Amount } & Texts)
  | ({ kind: 'reversal'; original: string; amount: Amount } & Texts)
  | ({ kind: 'return'; original: string; amount: Amount } & Pick<DepositReturnRequest, 'reason' | 'shortfall'> & Texts)
  | ({ kind: 'capture'; hold: string; to?: string; amount: Amount } & Pick<Static<typeof CaptureRequest>, 'final'> & Texts);

export type MoveOf<Kind extends Move['kind']> = Extract<Move, { kind: Kind }>;

const TITLES: Record<Move['kind'], string> = {
  deposit: 'Record a deposit',
  withdrawal: 'Record a withdrawal',
  reallocation: 'Move money between labels',
  label: 'Move money of a label',
  reversal: 'Reverse a reallocation',
  return: 'Record a return of the bank',
  capture: 'Capture a hold',
};

/** In minor units. Moves are made of amounts that were read, so this one can be. */
export function amountOf({ amount }: Pick<Move, 'amount'>): bigint {
  const parsed = parseAmount(amount);
  if ('code' in parsed) throw new Error(parsed.message);
  return parsed.minorUnits;
}

/** What a second person reads, and what must not have changed at the approval. Ids stand for names, which people may have erased. */
export function describeMove(customerId: string, move: Move): { title: string; lines: [name: string, text: string][] } {
  const { kind, amount, reference, externalId } = move;
  const text = `${amount.value} ${amount.currency}`;
  const lines: [string, string | undefined | false][] = [
    ['Customer', customerId],
    ...sidesOf(move),
    ['Amount', text],
    ['Reason of the bank', kind === 'return' && move.reason],
    ['What is missing', kind === 'return' && move.shortfall === 'owe' && 'is recorded as owed'],
    ['What is not captured', kind === 'capture' && (move.final ? 'is released' : 'stays held')],
    ['Reference', reference],
    ['External id', externalId],
  ];
  return { title: `${TITLES[kind]}: ${text}`, lines: lines.filter((line): line is [string, string] => Boolean(line[1])) };
}

/** The entry of the audit log for a move that was made. `made`: the id of the transfer, or of the captured hold. */
export function actOf(move: Move, made: string, more: Record<string, string>): Act {
  const isCapture = move.kind === 'capture';
  const resource = { type: isCapture ? 'hold' : 'transfer', id: made };
  return { action: isCapture ? 'capture_hold' : 'move_money', resource, detail: { ...detailOf(move), ...more } };
}

/** What the audit log has of a move: no texts, because these can be erased, and an entry cannot. */
export function detailOf(move: Move): Record<string, unknown> {
  const { kind, amount } = move;
  return { kind, ...sidesInLog(move), amount: amount.value, currency: amount.currency };
}

function sidesInLog(move: Move): Record<string, string> {
  if (move.kind === 'reversal') return { reverses: move.original };
  if (move.kind === 'return') return { returns: move.original };
  return Object.fromEntries(sidesOf(move).map(([name, text]) => [name.toLowerCase(), text]));
}

const OUTSIDE = 'outside, at the bank';
const AVAILABLE = 'the available balance';

function sidesOf(move: Move): [string, string][] {
  switch (move.kind) {
    case 'deposit':
      return route(OUTSIDE, AVAILABLE);
    case 'withdrawal':
      return route(AVAILABLE, OUTSIDE);
    case 'reallocation':
      return route(move.from, move.to);
    case 'label':
      return move.isOut ? route(move.label, AVAILABLE) : route(AVAILABLE, move.label);
    case 'reversal':
    case 'return':
      return [['Transfer', move.original]];
    case 'capture':
      return [
        ['Hold', move.hold],
        ['To', move.to ?? OUTSIDE],
      ];
  }
}

function route(from: string, to: string): [string, string][] {
  return [
    ['From', from],
    ['To', to],
  ];
}
