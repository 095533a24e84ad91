// The filter of a ledger, as its form and its address have it.
import type { EntryFilter } from '../../../ledger/transfers/entry-search.ts';
import { SHOWN_KINDS } from '../../../ledger/transfers/transfer-list.ts';
import type { Label } from '../../../resources/labels/label.ts';
import { readTypedAmount } from '../amount.ts';
import { endOfDay, startOfDay } from '../days.ts';
import { findChosen, type Offered } from './label-choice.ts';

export const TEXT_LENGTH = 255;

const NAMES = ['label', 'kind', 'text', 'externalId', 'metadata', 'amount', 'from', 'until'] as const;
const METADATA = /^(?<key>[A-Za-z0-9_.-]{1,40})=(?<value>.*)$/s;

/** The fields as they were given. `until`: the last day, as of which the balance is shown. */
export type LedgerFields = Record<(typeof NAMES)[number], string>;

/** `label`: on one of the sides, in the ledger of a label on the other side. */
export type LedgerFilter = Omit<EntryFilter, 'otherId'> & {
  label: Label | undefined;
  from: Date | undefined;
  before: Date | undefined;
};

export function readLedgerFields(query: URLSearchParams): LedgerFields {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  return Object.fromEntries(NAMES.map((name) => [name, text(name)])) as LedgerFields;
}

/** The query of an address with these fields and others. */
export function ledgerQuery(fields: LedgerFields, more: Record<string, string> = {}): string {
  const given = Object.entries({ ...fields, ...more }).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

export function isFiltered(fields: LedgerFields): boolean {
  return NAMES.some((name) => fields[name] !== '');
}

/** What the fields mean in a zone, or what is wrong with them. */
export function readLedgerFilter(
  fields: LedgerFields,
  { zone, currency, offered }: { zone: string; currency: string; offered: Offered },
): LedgerFilter | { fault: string } {
  const { kind, text, externalId, metadata, amount, from, until } = fields;
  const given = <T>(field: string, value: T): T | undefined => (field === '' ? undefined : value);
  const [start, end] = [startOfDay(from, zone), endOfDay(until, zone)];
  if ((from !== '' && !start) || (until !== '' && !end)) return { fault: 'Give days such as 2026-01-31.' };
  const pair = METADATA.exec(metadata)?.groups;
  if (metadata !== '' && !pair) return { fault: 'Write metadata as key=value.' };
  const read = amount === '' ? undefined : readTypedAmount(amount.replace(/^[-−+]/, ''), currency);
  if (read && 'fault' in read) return read;
  const label = fields.label === '' ? undefined : findChosen(offered, fields.label, 'a label');
  if (label && 'fault' in label) return label;
  return {
    label,
    kind: SHOWN_KINDS.find((one) => one === kind),
    text: given(text, text),
    externalId: given(externalId, externalId),
    metadata: pair && { [pair.key!]: pair.value! },
    amount: read?.minorUnits,
    from: start,
    before: end,
  };
}
