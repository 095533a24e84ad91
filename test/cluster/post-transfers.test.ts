// The two bodies of post_transfers: that of a single server and that of a cluster give the same outcomes and write the same rows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bucketOf, type Idempotency, newId } from '../../src/core/ids.ts';
import { EVERYTHING, type Outcome, postTransfers, type Transfer } from '../../src/ledger/transfers/post.ts';
import { openDatabase, type Sql } from '../../src/platform/db/sql.ts';
import { makeDatabase, query } from '../support/database.ts';
import { anySeed, openRandom, type Random } from '../support/random.ts';

const BATCHES = 200;
const BATCH_MOST = 12;
/** Between two batches. */
const MINUTE_MS = 60_000;
const KEY_TTL_MS = 50 * MINUTE_MS;
const CREATED = new Date('2026-01-01T00:00:00Z');
const PLATFORMS = [newId(1), newId(2)];
const KINDS = ['reallocation', 'reallocation', 'reallocation', 'label', 'deposit', 'withdrawal'] as const;
const AMOUNTS = [1n, 5n, 40n, 1_000n, 999_999_999_999_999_999n, EVERYTHING, null];
const CODES = [
  ...['posted', 'replayed', 'conflict', 'not_found', 'insufficient', 'frozen', 'reversed', 'exceeds', 'duplicate', 'skipped'],
  'aborted',
] as Outcome['code'][];
/** Of each label at the beginning. */
const FUNDS = 20;
const TABLES = {
  ledger_account: 'id',
  transfer: 'id',
  event_outbox: 'ids',
};

type Account = {
  id: string;
  bucket: number;
  customer: string;
  platform: string;
  kind: string;
  currency: string;
  frozen: boolean;
};
type Batch = { transfers: Transfer[]; isRetry: boolean };

test('the function for a cluster posts as that for a single server', async (t) => {
  const seed = anySeed();
  t.diagnostic(`seed ${seed}`);
  const random = openRandom(seed);
  const accounts = Array.from({ length: 8 }, (_, customer) => customerAccounts(random, customer === 0)).flat();
  const batches = drawBatches(random, accounts);
  const [single, cluster] = [await makeDatabase(t), await makeDatabase(t)];
  // Otherwise it would call the copies of the other function.
  await query(cluster, 'create function citus_is_coordinator() returns boolean language sql return true');
  await query(cluster, readFileSync(new URL('../../migrations/cluster/post-transfers.sql', import.meta.url), 'utf8'));
  const expected = await post(single, accounts, batches);
  assert.deepEqual(await post(cluster, accounts, batches), expected);
  assert.ok(expected.freed > 0, 'a transfer whose key was used again after its end');
  const codes = new Set(expected.outcomes.flat().map(({ code }) => code));
  for (const code of CODES) assert.ok(codes.has(code), code);
});

/** Labels and other ledger accounts of one customer. */
function customerAccounts(random: Random, frozen: boolean): Account[] {
  const bucket = random.int(0, 40);
  const shared = { bucket, customer: newId(bucket), platform: random.pick(PLATFORMS), frozen };
  const kinds = ['external', 'available', 'label', 'label', 'label'];
  return kinds.map((kind) => ({
    ...shared,
    id: newId(bucket),
    kind,
    currency: kind === 'label' && random.chance(0.1) ? 'EUR' : 'USD',
  }));
}

function drawBatches(random: Random, accounts: Account[]): Batch[] {
  const keys: { bucket: number; idempotency: Idempotency }[] = [];
  const batches: Batch[] = [];
  const earlier: Transfer[] = [];
  for (let number = 0; number < BATCHES; number++) {
    const known = new Set(keys);
    const transfers = Array.from({ length: random.int(1, BATCH_MOST) }, () =>
      earlier.length > 0 && random.chance(0.4) ? drawReversal(random, earlier) : drawTransfer(random, accounts),
    );
    drawGroups(random, transfers);
    addAllocations(random, transfers, accounts);
    earlier.push(...transfers.filter(({ kind }) => kind === 'reallocation' || random.chance(0.1)));
    for (const transfer of transfers) {
      const candidates = [...known].filter(({ bucket }) => bucket === bucketOf(transfer.fromId));
      if (candidates.length > 0 && random.chance(0.4)) {
        const used = random.pick(candidates);
        known.delete(used);
        const { key, fingerprint } = used.idempotency;
        transfer.idempotency = { key, fingerprint: random.chance(0.5) ? fingerprint : crypto.randomUUID() };
      } else if (random.chance(0.8)) {
        transfer.idempotency = { key: crypto.randomUUID(), fingerprint: crypto.randomUUID() };
        keys.push({ bucket: bucketOf(transfer.fromId), idempotency: transfer.idempotency });
      }
    }
    batches.push({ transfers, isRetry: false });
    if (random.chance(0.2)) batches.push({ transfers, isRetry: true });
  }
  return batches;
}

function drawTransfer(random: Random, accounts: Account[]): Transfer {
  const from = random.pick(accounts);
  const to = random.pick(
    accounts.filter(({ id, customer }) => id !== from.id && (customer === from.customer || random.chance(0.02))),
  );
  const id = newId(from.bucket);
  return {
    id,
    kind: random.pick(KINDS),
    accountId: random.chance(0.9) ? from.platform : random.pick(PLATFORMS),
    fromId: random.chance(0.95) ? from.id : newId(from.bucket),
    toId: random.chance(0.95) ? to.id : newId(from.bucket),
    amount: random.chance(0.8) ? 2n : random.pick(AMOUNTS),
    currency: random.chance(0.95) ? 'USD' : 'EUR',
    reference: random.chance(0.5) ? `a "reference", ${random.int(1, 9)}` : undefined,
    correlationId: undefined,
    event: { id: newId(from.bucket), topic: 'customer_label_reallocation_created' },
    resource: { type: 'label-reallocation', id },
    idempotency: undefined,
    externalId: random.chance(0.2) ? `external ${random.int(1, 3)}` : undefined,
    metadata: random.chance(0.2) ? { note: 'a "quoted" note' } : undefined,
    requestId: random.chance(0.3) ? crypto.randomUUID() : undefined,
  };
}

/** A reversal of an earlier transfer, which may be refused or be one itself. */
function drawReversal(random: Random, earlier: Transfer[]): Transfer {
  const original = random.pick(earlier);
  const id = newId(bucketOf(original.fromId));
  return {
    ...original,
    ...{ id, kind: 'reallocation', reverses: original.id, fromId: original.toId, toId: original.fromId },
    ...{ idempotency: undefined, externalId: undefined, group: undefined, allocation: undefined },
    amount: random.pick([EVERYTHING, 1n, 50n, 50n]),
    event: { ...original.event, id: newId(bucketOf(id)) },
    resource: { type: 'label-reallocation', id },
  };
}

/** Makes some transfers in a row a group. */
function drawGroups(random: Random, transfers: Transfer[]): void {
  let group: number | undefined;
  for (const [index, transfer] of transfers.entries()) {
    if (random.chance(0.3)) group = random.chance(0.5) ? index : undefined;
    transfer.group = group;
  }
}

/** Adds allocations behind some of the deposits. */
function addAllocations(random: Random, transfers: Transfer[], accounts: Account[]): void {
  for (const deposit of transfers.filter(({ kind }) => kind === 'deposit')) {
    const labels = accounts.filter(
      ({ kind, id }) => kind === 'label' && id !== deposit.toId && bucketOf(id) === bucketOf(deposit.toId),
    );
    const index = transfers.indexOf(deposit);
    if (labels.length === 0 || random.chance(0.3)) continue;
    const id = newId(bucketOf(deposit.toId));
    transfers.push({
      ...deposit,
      ...{ id, kind: 'allocation', fromId: deposit.toId, toId: random.pick(labels).id, ruleId: id, group: undefined },
      ...{ idempotency: undefined, externalId: undefined, amount: random.pick([1n, 2n, 40n]) },
      allocation: { deposit: index, until: random.chance(0.5) ? 3n : undefined },
      event: { ...deposit.event, id: newId(bucketOf(id)) },
    });
  }
}

/** Posts the batches to new accounts. Returns all outcomes and all rows. */
async function post(url: string, accounts: Account[], batches: Batch[]) {
  const database = openDatabase(url, { max: 1, onError: () => {} });
  try {
    await insert(database.sql, accounts);
    const outcomes: Outcome[][] = [];
    for (const [index, { transfers, isRetry }] of batches.entries()) {
      const now = new Date(CREATED.getTime() + index * MINUTE_MS);
      const keysSince = new Date(now.getTime() - KEY_TTL_MS);
      outcomes.push(await postTransfers(database.sql, transfers, { now, keysSince, isRetry }));
    }
    const rows: Record<string, unknown[]> = {};
    for (const [table, order] of Object.entries(TABLES))
      rows[table] = await query(url, `select to_jsonb(t) - 'written' as row from ${table} t order by ${order}`);
    const posted = outcomes.flatMap((batch, index) =>
      batches[index]!.isRetry
        ? []
        : batch.flatMap(({ code }, item) => (code === 'posted' ? [batches[index]!.transfers[item]!] : [])),
    );
    const keyed = rows.transfer!.filter((row) => (row as { row: { key: string | null } }).row.key !== null).length;
    return { outcomes, rows, freed: posted.filter(({ idempotency }) => idempotency).length - keyed };
  } finally {
    await database.close();
  }
}

async function insert(sql: Sql, accounts: Account[]): Promise<void> {
  for (const { bucket, id, platform, customer, kind, currency, frozen } of accounts) {
    await sql`
      insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, created, frozen, balance)
      values (${bucket}, ${id}, ${platform}, ${customer}, ${kind}, ${currency}, ${CREATED}, ${frozen}, ${kind === 'label' ? FUNDS : 0})`;
  }
}
