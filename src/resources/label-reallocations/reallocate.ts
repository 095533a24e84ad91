// Creates a label reallocation: checks the request in the specified order, then posts one transfer.
import type { Clock } from '../../core/clock.ts';
import { bucketOf, type Idempotency, newId } from '../../core/ids.ts';
import { readAmountOrAll } from '../../core/money/amount.ts';
import { type Fault, invalid, type Refusal, refuse } from '../../core/problems.ts';
import type { Evidence } from '../../ledger/transfers/evidence.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import type { Transfer } from '../../ledger/transfers/post.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { type Access, requireOwned } from '../../platform/http/owned.ts';
import { findAnswer, keysSince } from '../../platform/idempotency/store.ts';
import type { StoredResponse } from '../../platform/idempotency/stored-response.ts';
import { findLabel } from '../labels/label.ts';
import { requireScope } from '../oauth/authenticate.ts';
import type { Caller } from '../oauth/token.ts';
import { postIdempotently } from '../transfers/post-idempotently.ts';
import type { ReallocationRequest } from './label-reallocation.ts';
import { otherCustomer, toRefusal } from './refusal.ts';

type Tools = { clock: Clock; config: Config; database: Database; lanes: Lanes; links: Links };

export const sameLabel: Fault = { code: 'Invalid', message: 'Labels must be two different labels.', path: '/_links/to/href' };

/**
 * Moves an amount between two labels of one customer; durable when it resolves. Refusals, in this order: BadRequest for an href that
 * is not a label, Forbidden without the scope, NotFound, Forbidden for another account's label, ValidationError. A refusal writes
 * nothing.
 */
export async function reallocate(
  service: Tools,
  caller: Pick<Caller, 'accountId' | 'scopes' | 'customerId'>,
  request: ReallocationRequest,
  { idempotency, evidence }: { idempotency: Idempotency | undefined; evidence?: Evidence | undefined },
): Promise<StoredResponse> {
  const labels = readLabels(service.links, request);
  if ('faults' in labels) throw refuse('badRequest', labels);
  const { fromId, toId } = labels;
  requireScope(caller, 'write', 'reallocationForbidden');
  if (caller.customerId !== undefined) await requireLabels(service.database.sql, caller, [fromId, toId]);

  const amount = readAmountOrAll(request.amount);
  const faults = [...(fromId === toId ? [sameLabel] : []), ...('fault' in amount ? [amount.fault] : [])];
  const bucket = bucketOf(fromId);
  if (bucketOf(toId) !== bucket) throw await refusalAcrossBuckets(service, caller, { fromId, toId }, faults, idempotency);

  const id = newId(bucket);
  const transfer: Transfer = {
    id,
    kind: 'reallocation',
    accountId: caller.accountId,
    fromId,
    toId,
    amount: faults.length > 0 || 'fault' in amount ? null : amount.minorUnits,
    currency: request.amount.currency,
    reference: request.reference,
    correlationId: request.correlationId,
    externalId: request.externalId,
    metadata: request.metadata,
    event: { id: newId(bucket), topic: 'customer_label_reallocation_created' },
    resource: { type: 'label-reallocation', id },
    idempotency,
    evidence,
  };
  return postIdempotently(service.lanes, transfer, (outcome) => toRefusal(outcome, { currency: transfer.currency, faults }));
}

/** For a token of one customer: both labels are of this customer, which the ledger, that compares them with each other, does not know. */
async function requireLabels(sql: Sql, caller: Access, ids: string[]): Promise<void> {
  const problems = { missing: 'labelNotFound', forbidden: 'reallocationForbidden' } as const;
  for (const id of ids) {
    const label = await findLabel(sql, id);
    requireOwned(label?.removed ? undefined : label, caller, problems);
  }
}

/** Returns the ids of both labels, or the faults of the links that are not URLs of labels. */
export function readLabels(
  links: Links,
  { _links: { from, to } }: Pick<ReallocationRequest, '_links'>,
): { fromId: string; toId: string } | { faults: Fault[] } {
  const fromId = links.idIn(from.href, 'label');
  const toId = links.idIn(to.href, 'label');
  if (fromId && toId) return { fromId, toId };
  return {
    faults: [
      ...(fromId ? [] : [links.faultOf(from.href, 'label', '/_links/from/href')]),
      ...(toId ? [] : [links.faultOf(to.href, 'label', '/_links/to/href')]),
    ],
  };
}

/** Labels in different buckets belong to different customers, and a lane posts within one bucket: makes the same checks by reading them. */
async function refusalAcrossBuckets(
  service: Pick<Tools, 'config' | 'clock' | 'database'>,
  caller: { accountId: string },
  labels: { fromId: string; toId: string },
  faults: Fault[],
  idempotency: Idempotency | undefined,
): Promise<Refusal> {
  const { sql } = service.database;
  if (idempotency) {
    const { key, fingerprint } = idempotency;
    const since = keysSince(service, caller.accountId);
    await findAnswer(sql, { bucket: bucketOf(labels.fromId), key, fingerprints: [fingerprint], since });
  }
  const found = await Promise.all([labels.fromId, labels.toId].map((id) => findLabel(sql, id)));
  if (found.some((label) => label === undefined || label.removed)) return refuse('labelNotFound');
  if (found.some((label) => label?.accountId !== caller.accountId)) return refuse('reallocationForbidden');
  return invalid(otherCustomer, ...faults);
}
