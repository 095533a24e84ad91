// Creates a batch: posts its reallocations and withdrawals, then commits what became of each with the key of the request.
import type { Clock } from '../../core/clock.ts';
import { bucketOf, type Idempotency, newId } from '../../core/ids.ts';
import { type Fault, invalid, type Refusal, refuse } from '../../core/problems.ts';
import { findExternalAccounts, openFundingAccounts } from '../../ledger/transfers/balance.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import type { Outcome, RefusedOutcome } from '../../ledger/transfers/post.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { idempotentlyInSteps } from '../../platform/idempotency/idempotently.ts';
import { bucketFor, idempotencyOf, type KeyedRequest } from '../../platform/idempotency/key.ts';
import type { StoredResponse } from '../../platform/idempotency/stored-response.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { lockOutReset } from '../../platform/sandbox/reset-lock.ts';
import { otherCustomer } from '../label-reallocations/refusal.ts';
import { findLabels } from '../labels/label.ts';
import { requireScope } from '../oauth/authenticate.ts';
import type { Caller } from '../oauth/token.ts';
import { type BatchRequest, insertBatch, type Result } from './batch.ts';
import { faultsOf, type Item, type ReadItem, readItems, resultOf, resultOfRefusal, transferOf } from './items.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; lanes: Lanes; links: Links; sealer: Sealer };

type Posting = { service: Tools; accountId: string; items: Item[]; idempotency: Idempotency | undefined };

/**
 * Posts the items and stores the batch; durable when it resolves. An atomic batch with a refused item is refused and writes nothing. The
 * items of an independent batch are posted by customer, and their refusals are results. A repetition after a crash in the middle finds
 * the items that were posted by their keys.
 */
export async function createBatch(
  service: Tools,
  request: KeyedRequest & { caller: Pick<Caller, 'accountId' | 'scopes'>; body: BatchRequest },
): Promise<StoredResponse> {
  const { caller, body } = request;
  const { accountId } = caller;
  const read = readItems(service.links, body);
  requireScope(caller, 'write', 'reallocationForbidden');
  if (body.withdrawals) requireScope(caller, 'funds', 'forbidden');
  const items = await withDestinations(service, accountId, read);
  const posting = { service, accountId, items, idempotency: idempotencyOf(request) };
  const reallocations = body.items?.length ?? 0;
  let posted: Promise<Result[]> | undefined;
  // The results of two concurrent attempts may differ, so only one at a time is made.
  return idempotentlyInSteps(
    service,
    request,
    { type: 'label-reallocation-batch', id: newId(bucketFor(request)) },
    async (tx, resource) => {
      await lockOutReset(tx, service.config, accountId);
      // Once, although the transaction may be repeated.
      posted ??= body.mode === 'atomic' ? postTogether(tx, posting) : postEach(tx, posting);
      const made = await posted;
      const [results, withdrawals] = [made.slice(0, reallocations), made.slice(reallocations)];
      const created = service.clock.now(accountId);
      await insertBatch(tx, { id: resource.id, accountId, mode: body.mode, created, results, withdrawals });
      return { status: 201, resource };
    },
  );
}

/**
 * Gives each withdrawal the external account of its label's customer and currency, which it opens if the customer has none yet: then the
 * ledger refuses the withdrawal for lack of money. Of an unknown or foreign label, the ledger refuses any transfer.
 */
async function withDestinations({ database, clock }: Tools, accountId: string, items: ReadItem[]): Promise<Item[]> {
  const fromIds = new Set(items.flatMap(({ toLabel, fromId }) => (toLabel === undefined ? [fromId] : [])));
  const labels = fromIds.size > 0 ? await findExternalAccounts(database.sql, fromIds) : new Map();
  const opened = new Map<string, string>();
  for (const { id, customerId, currency } of [...labels.values()].filter(
    (label) => label.externalId === null && label.accountId === accountId,
  )) {
    const accounts = await openFundingAccounts(database.sql, customerId, currency, clock.now(accountId));
    if (accounts) opened.set(id, accounts.externalId);
  }
  return items.map(({ toLabel, ...item }) => {
    const { fromId } = item;
    return { ...item, toId: toLabel ?? opened.get(fromId) ?? labels.get(fromId)?.externalId ?? fromId };
  });
}

/** All items are of one customer and so in one bucket, and are posted all or none. */
async function postTogether(tx: Sql, posting: Posting): Promise<Result[]> {
  const { service, accountId, items, idempotency } = posting;
  const labels = await findLabels(tx, new Set(items.flatMap(labelsOf)));
  const owners = items.flatMap(labelsOf).map((id) => labels.get(id));
  const customerId = owners[0]?.customerId;
  if (!owners.every((owner) => owner?.accountId === accountId && owner.customerId === customerId))
    throw refusalOfOwners(posting, labels);

  const transfers = items.map((item) => transferOf(item, { accountId, idempotency }));
  const outcomes = await service.lanes.postAll(transfers, { allOrNone: true });
  if (outcomes === 'unavailable') throw refuse('unavailable');
  const refused = items.flatMap((item, index) => {
    const outcome = outcomes[index]!;
    return isRefused(outcome) && outcome.code !== 'aborted' ? [{ item, outcome }] : [];
  });
  if (refused.length === 0) return items.map((item, index) => resultOf(item, transfers[index]!, outcomes[index]!));
  if (refused.some(({ outcome }) => outcome.code === 'not_found')) throw refuse('labelNotFound');
  if (refused.some(({ outcome }) => outcome.code === 'forbidden')) throw refuse('reallocationForbidden');
  throw invalid(...(refused.flatMap(({ item, outcome }) => faultsOf(item, outcome)) as [Fault, ...Fault[]]));
}

function refusalOfOwners({ accountId, items }: Posting, labels: Awaited<ReturnType<typeof findLabels>>): Refusal {
  const sides = items.flatMap((item) =>
    labelsOf(item).map((id, side) => ({ path: `${item.path}/_links/${side === 0 ? 'from' : 'to'}/href`, label: labels.get(id) })),
  );
  if (sides.some(({ label }) => label === undefined || label.removed)) return refuse('labelNotFound');
  if (sides.some(({ label }) => label!.accountId !== accountId)) return refuse('reallocationForbidden');
  const { path } = sides.find(({ label }) => label!.customerId !== sides[0]!.label!.customerId)!;
  const faults = items.flatMap((item) => (item.faults.length > 0 ? faultsOf(item, { code: 'invalid' }) : []));
  return invalid({ ...otherCustomer, path }, ...faults);
}

/** The items of a bucket, and so of a customer, are posted in one transaction, in their order. */
async function postEach(tx: Sql, posting: Posting): Promise<Result[]> {
  const { service, accountId, items, idempotency } = posting;
  const results: Result[] = [];
  const across = items.filter(({ fromId, toId }) => bucketOf(fromId) !== bucketOf(toId));
  await refuseAcrossBuckets(tx, accountId, across, results);
  const within = items.filter(({ index }) => results[index] === undefined);
  const groups = [...Map.groupBy(within, ({ fromId }) => bucketOf(fromId)).values()];
  // Waits for all, also after a failure: a repetition must not meet items that are still being posted.
  const settled = await Promise.allSettled(
    groups.map(async (group) => {
      const transfers = group.map((item) => transferOf(item, { accountId, idempotency }));
      const outcomes = await service.lanes.postAll(transfers);
      if (outcomes === 'unavailable') throw refuse('unavailable');
      for (const [place, item] of group.entries()) results[item.index] = resultOf(item, transfers[place]!, outcomes[place]!);
    }),
  );
  const failure = settled.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  return results;
}

/** Labels in different buckets belong to different customers: makes the ledger's checks by reading them. */
async function refuseAcrossBuckets(tx: Sql, accountId: string, items: Item[], results: Result[]): Promise<void> {
  const labels = await findLabels(tx, new Set(items.flatMap(({ fromId, toId }) => [fromId, toId])));
  for (const item of items) {
    const sides = [labels.get(item.fromId), labels.get(item.toId)];
    const refusal = sides.some((label) => label === undefined || label.removed)
      ? refuse('labelNotFound')
      : sides.some((label) => label!.accountId !== accountId)
        ? refuse('reallocationForbidden')
        : invalid(otherCustomer, ...item.faults);
    results[item.index] = resultOfRefusal(item, refusal);
  }
}

/** The labels of an item: the source, and the destination of a reallocation. */
function labelsOf({ kind, fromId, toId }: Item): string[] {
  return kind === 'reallocation' ? [fromId, toId] : [fromId];
}

function isRefused(outcome: Outcome): outcome is RefusedOutcome {
  return !['posted', 'replayed', 'conflict'].includes(outcome.code);
}
