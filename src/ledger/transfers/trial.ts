// Trials: transactions that are rolled back, with two labels that exist in them only. They let a database plan what it will run.
import { BUCKETS, newId } from '../../core/ids.ts';
import type { Groups, GroupTransaction } from '../../platform/db/groups.ts';
import { type Fragment, identifier, type Sql } from '../../platform/db/sql.ts';
import { withTimeout } from '../../platform/db/unavailable.ts';
import { postTransfers, type Transfer } from './post.ts';

/** Two labels of an account and a customer that do not exist. */
export type Trial = { bucket: number; accountId: string; fromId: string; toId: string };

/** A database that is slow now must not delay a start for longer. */
export const TRIAL_MAX_MS = 2_000;

const BALANCE = 1_00n;
const CURRENCY = 'USD';

class Undone extends Error {}

/** Runs work in a transaction, and rolls it back. */
export async function undone<Tx>(
  transaction: (work: (tx: Tx) => Promise<never>) => Promise<never>,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  try {
    await transaction(async (tx) => {
      await work(tx);
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
}

/** Adds two labels with money to a transaction of `undone`. `table`: of ledger accounts. */
export async function addTrialLabels(tx: Sql, bucket: number, table: Fragment = identifier('ledger_account')): Promise<Trial> {
  const [accountId, customerId, fromId, toId] = [newId(bucket), newId(bucket), newId(bucket), newId(bucket)];
  await tx`
    insert into ${table} (bucket, id, account_id, customer_id, kind, currency, balance, created)
    values (${bucket}, ${fromId}, ${accountId}, ${customerId}, 'label', ${CURRENCY}, ${BALANCE}, now()),
      (${bucket}, ${toId}, ${accountId}, ${customerId}, 'label', ${CURRENCY}, ${BALANCE}, now())`;
  return { bucket, accountId, fromId, toId };
}

/** Connects each lane, and posts a transfer on it: otherwise the first transfer waits for both. A server that is away is reported by those who need it. */
export async function prepareLanes(groups: Groups): Promise<void> {
  const prepared = Promise.allSettled(Array.from({ length: groups.count }, (_, group) => tryGroup(groups, group)));
  await withTimeout(TRIAL_MAX_MS, prepared).catch(() => {});
}

function tryGroup({ of, transaction, posting }: Groups, group: number): Promise<void> {
  const bucket = Array.from({ length: BUCKETS }, (_, each) => each).find((each) => of(each) === group)!;
  return undone<GroupTransaction>(
    (work) => transaction(group, work),
    async ({ tx, table }) => {
      const trial = await addTrialLabels(tx, bucket, table('ledger_account'));
      await postTransfers(tx, [transferOf(trial)], { now: new Date(), posting: posting(group) });
    },
  );
}

function transferOf({ accountId, fromId, toId, bucket }: Trial): Transfer {
  const id = newId(bucket);
  return {
    ...{ id, kind: 'reallocation', accountId, fromId, toId, amount: BALANCE, currency: CURRENCY, reference: undefined },
    event: { id: newId(bucket), topic: 'customer_label_reallocation_created' },
    resource: { type: 'label-reallocation', id },
    idempotency: { key: crypto.randomUUID(), fingerprint: crypto.randomUUID() },
  };
}
