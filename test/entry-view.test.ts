// The view of ledger entries: a page of an account reads two indexes in order, and nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../src/db/sql.ts';
import { newId } from '../src/ids.ts';
import { makeDatabase } from './support/database.ts';

const BUCKET = 7;
const TRANSFERS = 2_000;
const PAGE = 20;

test('a page of entries merges the entries of both sides without sorting', async (t) => {
  const database = openDatabase(await makeDatabase(t), { max: 1, onError: () => {} });
  const { sql } = database;
  try {
    const [one, other] = [newId(BUCKET), newId(BUCKET)];
    // Each transfer goes the other way, so that both sides have every second entry of an account.
    await sql`
      insert into transfer (bucket, id, customer_id, kind, from_id, to_id, from_sequence, to_sequence, from_balance, to_balance, amount,
        currency, created)
      select ${BUCKET}::int, gen_random_uuid(), ${newId(BUCKET)}, 'reallocation', case n % 2 when 0 then ${one}::uuid else ${other}::uuid end,
        case n % 2 when 0 then ${other}::uuid else ${one}::uuid end, n, n, 0, 0, 1, 'USD', now()
      from generate_series(1, ${TRANSFERS}::int) n`;
    await sql`analyze transfer`;
    const newest = TRANSFERS - 100;
    const page = await sql<{ sequence: bigint; amount: bigint }>`
      select sequence, amount from ledger_entry
      where bucket = ${BUCKET} and ledger_account_id = ${one} and sequence <= ${newest} order by sequence desc limit ${PAGE}`;
    assert.deepEqual(
      page,
      Array.from({ length: PAGE }, (_, place) => ({ sequence: BigInt(newest - place), amount: place % 2 === 0 ? -1n : 1n })),
    );
    const plan = await sql`
      explain (analyze, timing off, buffers off) select sequence, amount from ledger_entry
      where bucket = ${BUCKET} and ledger_account_id = ${one} and sequence <= ${newest} order by sequence desc limit ${PAGE}`;
    const text = plan.map((row) => Object.values(row)[0]).join('\n');
    for (const part of [/Merge Append/, /using transfer_from on/, /using transfer_to on/]) assert.match(text, part);
    assert.doesNotMatch(text, /-> {2}Sort/);
    const read = [...text.matchAll(/Scan.*actual rows=(\d+)/g)].map(([, rows]) => Number(rows));
    assert.ok(read.length === 2 && read.every((rows) => rows <= PAGE / 2 + 1), text);
  } finally {
    await database.close();
  }
});
