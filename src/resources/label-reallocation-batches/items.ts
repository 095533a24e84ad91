// Items of a batch: their checks before the ledger, their transfers, and the results of their outcomes.
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
import { ItemRequest, type Result } from './batch.ts';

/** `faults`: the refused values that need no state. */
export type Item = { index: number; fromId: string; toId: string; amount: bigint; faults: Fault[]; request: ItemRequest };

const errorsOf = validatorOf(ItemRequest);

/** Refuses the whole request if a link is not the URL of a label. */
export function readItems(links: Links, requests: ItemRequest[]): Item[] {
  const wrong: Fault[] = [];
  const items = requests.flatMap((request, index) => {
    const labels = readLabels(links, request);
    if ('faults' in labels) {
      wrong.push(...labels.faults.map((fault) => inItem(index, fault)));
      return [];
    }
    const { fromId, toId } = labels;
    const amount = readAmountOrAll(request.amount);
    const faults = [
      ...errorsOf(request)
        .filter((error) => !('propertyName' in error))
        .map(toFault),
      ...(fromId === toId ? [sameLabel] : []),
      ...('fault' in amount ? [amount.fault] : []),
    ];
    return [{ index, fromId, toId, amount: 'fault' in amount ? EVERYTHING : amount.minorUnits, faults, request }];
  });
  if (wrong.length > 0) throw refuse('badRequest', { faults: wrong });
  return items;
}

/** The transfer of an item. Its key follows from that of the batch, so that a repetition finds what was posted. */
export function transferOf(
  { index, fromId, toId, amount, faults, request }: Item,
  { accountId, idempotency }: { accountId: string; idempotency: Idempotency | undefined },
): Transfer {
  const bucket = bucketOf(fromId);
  const id = newId(bucket);
  return {
    id,
    kind: 'reallocation',
    accountId,
    fromId,
    toId,
    amount: faults.length > 0 ? null : amount,
    currency: request.amount.currency,
    reference: request.reference,
    correlationId: request.correlationId,
    externalId: request.externalId,
    metadata: request.metadata,
    event: { id: newId(bucket), topic: 'customer_label_reallocation_created' },
    resource: { type: 'label-reallocation', id },
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
      return { code: problems.conflict.code, message: problems.conflict.message, path: `/items/${item.index}` };
    default:
      return resultOfRefusal(item, refusalOf(item, outcome));
  }
}

/** The result of a refusal that alone refuses an item. */
export function resultOfRefusal({ index }: Item, { problem, message, details }: Refusal): Result {
  const fault = details.faults?.[0];
  if (!fault) return { code: problems[problem].code, message, path: `/items/${index}/_links` };
  return { code: fault.code, message: fault.message, path: `/items/${index}${fault.path}` };
}

/** The faults of a refused item, with pointers into the request. */
export function faultsOf(item: Item, outcome: RefusedOutcome): Fault[] {
  const { faults = [] } = refusalOf(item, outcome).details;
  return faults.map((fault) => inItem(item.index, fault));
}

function inItem(index: number, fault: Fault): Fault {
  return { ...fault, path: `/items/${index}${fault.path}` };
}

function refusalOf({ request, faults }: Item, outcome: RefusedOutcome): Refusal {
  if (outcome.code !== 'duplicate') return toRefusal(outcome, { currency: request.amount.currency, faults });
  return refuse('validation', {
    faults: [{ code: 'Duplicate', message: 'The externalId is already in use.', path: '/externalId' }],
  });
}
