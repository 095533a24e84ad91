// Items of a batch: their checks before the ledger, their transfers, and the results of their outcomes.
import type { TSchema } from 'typebox';
import { bucketOf, type Idempotency, newId } from '../../core/ids.ts';
import { readAmountOrAll } from '../../core/money/amount.ts';
import { type Fault, problems, type Refusal, refuse } from '../../core/problems.ts';
import { EVERYTHING, type Outcome, type RefusedOutcome, type Transfer } from '../../ledger/transfers/post.ts';
import { toFault } from '../../platform/http/errors.ts';
import type { Links } from '../../platform/http/links.ts';
import { validatorOf } from '../../platform/http/schemas.ts';
import { partOf } from '../../platform/idempotency/key.ts';
import { readLabels, sameLabel } from '../label-reallocations/reallocate.ts';
import { toRefusal } from '../label-reallocations/refusal.ts';
import { type BatchRequest, ITEMS_MAX, ItemRequest, type Result, WithdrawalItemRequest } from './batch.ts';

/**
 * A reallocation, or a withdrawal, whose `toId` is an external account. `index`: the place in the order of posting; `path`: that in the
 * request. `faults`: the refused values that need no state.
 */
export type Item = {
  index: number;
  path: string;
  kind: 'reallocation' | 'withdrawal';
  fromId: string;
  toId: string;
  amount: bigint;
  faults: Fault[];
  request: ItemRequest | WithdrawalItemRequest;
};

/** `toLabel`: undefined for a withdrawal. */
export type ReadItem = Omit<Item, 'toId'> & { toLabel: string | undefined };

const RESOURCES = { reallocation: 'label-reallocation', withdrawal: 'withdrawal' } as const;
const TOPICS = { reallocation: 'customer_label_reallocation_created', withdrawal: 'customer_withdrawal_created' };

const errorsOf = { items: errorsBy(ItemRequest), withdrawals: errorsBy(WithdrawalItemRequest) };

/** The reallocations, then the withdrawals. Refuses the whole request if a link is not the URL of a label. */
export function readItems(links: Links, { items = [], withdrawals = [] }: BatchRequest): ReadItem[] {
  const count = items.length + withdrawals.length;
  if (count === 0) throw refuse('badRequest', { faults: [{ code: 'Required', message: 'Items is required.', path: '/items' }] });
  if (count > ITEMS_MAX) throw refuse('badRequest', { faults: [tooMany] });
  const wrong: Fault[] = [];
  const read = [
    ...items.map((request, index) => {
      const labels = readLabels(links, request);
      if ('faults' in labels) wrong.push(...labels.faults.map((fault) => inItem({ path: `/items/${index}` }, fault)));
      const { fromId, toId } = 'faults' in labels ? { fromId: '', toId: '' } : labels;
      const faults = fromId === toId ? [sameLabel] : [];
      return readItem({ index, path: `/items/${index}`, kind: 'reallocation', fromId, toLabel: toId, request }, faults);
    }),
    ...withdrawals.map((request, index) => {
      const path = `/withdrawals/${index}`;
      const { href } = request._links.from;
      const fromId = links.idIn(href, 'label');
      if (!fromId) wrong.push(inItem({ path }, links.faultOf(href, 'label', '/_links/from/href')));
      return readItem(
        { index: items.length + index, path, kind: 'withdrawal', fromId: fromId ?? '', toLabel: undefined, request },
        [],
      );
    }),
  ];
  if (wrong.length > 0) throw refuse('badRequest', { faults: wrong });
  return read;
}

function readItem(item: Omit<ReadItem, 'amount' | 'faults'>, faults: Fault[]): ReadItem {
  const amount = readAmountOrAll(item.request.amount);
  return {
    ...item,
    amount: 'fault' in amount ? EVERYTHING : amount.minorUnits,
    faults: [
      ...errorsOf[item.kind === 'reallocation' ? 'items' : 'withdrawals'](item.request),
      ...faults,
      ...('fault' in amount ? [amount.fault] : []),
    ],
  };
}

function errorsBy(schema: TSchema): (request: unknown) => Fault[] {
  const validate = validatorOf(schema);
  return (request) =>
    validate(request)
      .filter((error) => !('propertyName' in error))
      .map(toFault);
}

/** The transfer of an item. Its key follows from that of the batch, so that a repetition finds what was posted. */
export function transferOf(
  { index, kind, fromId, toId, amount, faults, request }: Item,
  { accountId, idempotency }: { accountId: string; idempotency: Idempotency | undefined },
): Transfer {
  const bucket = bucketOf(fromId);
  const id = newId(bucket);
  return {
    id,
    kind,
    accountId,
    fromId,
    toId,
    amount: faults.length > 0 ? null : amount,
    currency: request.amount.currency,
    reference: request.reference,
    correlationId: request.correlationId,
    externalId: request.externalId,
    metadata: request.metadata,
    event: { id: newId(bucket), topic: TOPICS[kind] },
    resource: { type: RESOURCES[kind], id },
    idempotency: idempotency && partOf(idempotency, index),
  };
}

export function resultOf(item: Item, transfer: Transfer, outcome: Outcome): Result {
  switch (outcome.code) {
    case 'posted':
      return transfer.id;
    case 'replayed':
      return outcome.resource.id;
    case 'conflict':
      return { code: problems.conflict.code, message: problems.conflict.message, path: item.path };
    default:
      return resultOfRefusal(item, refusalOf(item, outcome));
  }
}

/** The result of a refusal that alone refuses an item. */
export function resultOfRefusal(item: Pick<Item, 'path'>, { problem, message, details }: Refusal): Result {
  const fault = details.faults?.[0];
  if (!fault) return { code: problems[problem].code, message, path: `${item.path}/_links` };
  return inItem(item, { code: fault.code, message: fault.message, path: fault.path });
}

/** The faults of a refused item, with pointers into the request. */
export function faultsOf(item: Item, outcome: RefusedOutcome): Fault[] {
  const { faults = [] } = refusalOf(item, outcome).details;
  return faults.map((fault) => inItem(item, fault));
}

function inItem({ path }: Pick<Item, 'path'>, fault: Fault): Fault {
  return { ...fault, path: `${path}${fault.path}` };
}

function refusalOf({ kind, request, faults }: Item, outcome: RefusedOutcome): Refusal {
  if (outcome.code === 'duplicate')
    return refuse('validation', {
      faults: [{ code: 'Duplicate', message: 'The externalId is already in use.', path: '/externalId' }],
    });
  if (outcome.code === 'forbidden' && kind === 'withdrawal') return refuse('forbidden');
  return toRefusal(outcome, { currency: request.amount.currency, faults });
}

const tooMany: Fault = {
  code: 'Invalid',
  message: `Items and withdrawals must be at most ${ITEMS_MAX} together.`,
  path: '/withdrawals',
};
