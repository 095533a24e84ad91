// Posts transfers between two ledger accounts of one customer by calling `post_transfers`, the only function that moves money.
import { bucketOf, type Idempotency, type Resource, sortByBucket } from '../../core/ids.ts';
import type { Funds } from '../../core/money/amount.ts';
import { POSTING } from '../../platform/db/groups.ts';
import type { Fragment, Sql } from '../../platform/db/sql.ts';
import type { Evidence } from './evidence.ts';

export type Transfer = {
  /** From `newId` in the customer's bucket. */
  id: string;
  kind:
    | 'reallocation'
    | 'label'
    | 'deposit'
    | 'withdrawal'
    | 'allocation'
    | 'repayment'
    | 'deposit-return'
    | 'withdrawal-return'
    | 'recovery'
    | 'debt';
  /** The calling account (platform), which must own both ledger accounts. */
  accountId: string;
  fromId: string;
  toId: string;
  /**
   * Minor units, positive. EVERYTHING: what the source has available, or what the original of a reversal has left. Null if the values are
   * invalid: then only the checks that precede them run.
   */
  amount: bigint | null;
  currency: string;
  reference: string | undefined;
  correlationId?: string | undefined;
  event: { id: string; topic: string };
  /** Named by the event and the Location header. */
  resource: Resource;
  idempotency: Idempotency | undefined;
  /** Transfers in a row with the same number are posted all or none. */
  group?: number | undefined;
  /** The reallocation that this one reverses, or the deposit or withdrawal that it returns. */
  reverses?: string | undefined;
  /** Of a reversal: moves at most what the source has available. */
  atMost?: true | undefined;
  /** Of an allocation or a repayment: the index of its deposit in the same call, and the balance up to which it fills its account. */
  allocation?: { deposit: number; until: bigint | undefined } | undefined;
  /** The allocation rule of a deposit or an allocation. */
  ruleId?: string | undefined;
  /** Unique for a customer and kind. */
  externalId?: string | undefined;
  metadata?: Record<string, string> | undefined;
  /** The hold that it captures. */
  holdId?: string | undefined;
  /** The return that it takes money for. */
  returnId?: string | undefined;
  /** Why the bank returned it. */
  reason?: string | undefined;
  /** Who asked for it, if the request was signed. */
  evidence?: Evidence | undefined;
  /** The X-Request-Id of the HTTP request, a UUID. Lanes set it. */
  requestId?: string | undefined;
};

export const EVERYTHING = 0n;

/** A refusal: no money moved. migrations/0006-post-transfers.sql documents the codes. */
export type RefusedOutcome =
  | ({ code: 'insufficient' } & Funds)
  | { code: 'exceeds'; available: bigint }
  | { code: 'duplicate'; id: string }
  | {
      code:
        | 'not_found'
        | 'forbidden'
        | 'invalid'
        | 'customers'
        | 'frozen'
        | 'currency'
        | 'limit'
        | 'reversed'
        | 'skipped'
        | 'aborted';
    };

/** The first answer to an idempotency key. */
type FirstAnswer = { status: number; resource: Resource };

export type Outcome =
  | { code: 'posted' }
  | ({ code: 'replayed' } & FirstAnswer)
  | ({ code: 'conflict' } & FirstAnswer)
  | RefusedOutcome;

type Row = {
  item: number;
  outcome: Exclude<Outcome['code'], 'posted'>;
  available: bigint;
  held: bigint;
  owed: bigint;
  status: number;
  resourceType: string;
  resourceId: string;
};

/**
 * Posts transfers in the given order, in the caller's transaction or, on a pool, in a new one. Returns one outcome per transfer, in
 * the same order. `now` is their timestamp. Idempotency keys of transfers made before `keysSince` have expired. `isRetry` means that an
 * earlier attempt may have been committed. `posting`: the function of the group whose server `sql` is.
 */
export async function postTransfers(
  sql: Sql,
  transfers: Transfer[],
  options: { now: Date; keysSince?: Date; isRetry?: boolean; posting?: Fragment },
): Promise<Outcome[]> {
  // Ledger accounts are always locked in this order, so that batches cannot deadlock.
  const accountIds = sortByBucket(new Set(transfers.flatMap(({ fromId, toId }) => [fromId, toId])));
  const indexes = new Map(accountIds.map((id, index) => [id, index + 1]));
  const each = <T>(column: (transfer: Transfer) => T) => transfers.map(column);
  /** Null if no transfer has a value. */
  const some = <T>(column: (transfer: Transfer) => T | undefined) =>
    transfers.some((transfer) => column(transfer) !== undefined) ? transfers.map(column) : null;
  const literal = (values: Parameters<typeof toArrayLiteral>[0] | null) => values && toArrayLiteral(values);

  const rows = await sql<Row>`select * from ${options.posting ?? POSTING}(
    ${options.isRetry ?? false},
    ${options.now},
    ${options.keysSince},
    ${toArrayLiteral(accountIds.map(bucketOf))},
    ${toArrayLiteral(accountIds)},
    ${toArrayLiteral(each((transfer) => transfer.id))},
    ${toArrayLiteral(each((transfer) => transfer.kind))},
    ${toArrayLiteral(each((transfer) => transfer.accountId))},
    ${toArrayLiteral(each((transfer) => indexes.get(transfer.fromId)))},
    ${toArrayLiteral(each((transfer) => indexes.get(transfer.toId)))},
    ${toArrayLiteral(each((transfer) => transfer.amount))},
    ${each((transfer) => transfer.currency)},
    ${some((transfer) => transfer.reference)},
    ${some((transfer) => transfer.correlationId)},
    ${toArrayLiteral(each((transfer) => transfer.event.id))},
    ${toArrayLiteral(each((transfer) => transfer.event.topic))},
    ${toArrayLiteral(each((transfer) => transfer.resource.id))},
    ${toArrayLiteral(each((transfer) => transfer.idempotency?.key))},
    ${toArrayLiteral(each((transfer) => transfer.idempotency?.fingerprint))},
    ${literal(some((transfer) => transfer.group))},
    ${literal(some((transfer) => transfer.reverses))},
    ${literal(some((transfer) => transfer.allocation && transfer.allocation.deposit + 1))},
    ${literal(some((transfer) => transfer.allocation?.until))},
    ${literal(some((transfer) => transfer.ruleId))},
    ${some((transfer) => transfer.externalId)},
    ${some((transfer) => transfer.metadata && JSON.stringify(transfer.metadata))},
    ${literal(some((transfer) => transfer.requestId))},
    ${literal(some((transfer) => transfer.holdId))},
    ${literal(some((transfer) => transfer.returnId))},
    ${some((transfer) => transfer.reason)},
    ${literal(some((transfer) => transfer.atMost && 'true'))},
    ${some((transfer) => transfer.evidence && JSON.stringify(transfer.evidence))}
  )`;

  const outcomes: Outcome[] = transfers.map(() => ({ code: 'posted' }));
  for (const row of rows) outcomes[row.item - 1] = toOutcome(row);
  return outcomes;
}

function toOutcome(row: Row): Outcome {
  const code = row.outcome;
  if (code === 'replayed' || code === 'conflict') {
    return { code, status: row.status, resource: { type: row.resourceType, id: row.resourceId } };
  }
  if (code === 'duplicate') return { code, id: row.resourceId };
  const { available, held, owed } = row;
  if (code === 'insufficient') return { code, available, held, owed };
  return code === 'exceeds' ? { code, available } : { code };
}

/** An array literal of values that need no quoting: ids, numbers, constants. Faster than `pg`, which escapes each value. */
function toArrayLiteral(values: (string | number | bigint | null | undefined)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}
