// Look-ups that share statements: an id that fails or is slow harms no other, and a row is never older than its call.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDatabase } from '../../../test/support/database.ts';
import { newId } from '../../core/ids.ts';
import { lookUp, shareLookUps } from './look-up.ts';
import { fragment, LIMITS, openDatabase, type Sql } from './sql.ts';

const CONNECTIONS = 4;
const url = await makeDatabase({ after });

/** A pool whose look-ups share statements, and the number of ids of each statement that it has sent. */
function openPool(isByBucket = false) {
  const database = openDatabase(url, { max: CONNECTIONS, onError: () => {}, limits: LIMITS.request });
  after(database.close);
  const asked: number[] = [];
  const sql = (async (text: TemplateStringsArray, ...values: unknown[]) => {
    const rows = await database.sql(text, ...values);
    asked.push(text[0]!.includes('w.place') ? values.length : 1);
    return rows;
  }) as Sql;
  shareLookUps(sql, { isByBucket });
  return { ...database, sql, asked };
}

/** A table of the test with numbered rows of one bucket, which `read` looks up: those of `bad` fail, those of `slow` take long. */
async function openRows({ sql }: { sql: Sql }, count: number, buckets = 1) {
  await sql`create table if not exists row_of_test (bucket int, id uuid primary key, n int, kind text)`;
  const ids = Array.from({ length: count }, (_, n) => newId(n % buckets));
  for (const [n, id] of ids.entries()) await sql`insert into row_of_test values (${n % buckets}, ${id}, ${n}, 'plain')`;
  const become = (n: number, kind: string) => sql`update row_of_test set kind = ${kind} where id = ${ids[n]}`;
  return { ids, become };
}

const find = lookUp<{ n: number; after: string }>(
  ({ bucket, id }) => fragment`
    select n, case kind when 'bad' then (1 / (n - n))::text when 'slow' then pg_sleep(2)::text else '' end as after
    from row_of_test where bucket = ${bucket} and id = ${id}`,
);

for (const isByBucket of [false, true])
  test(`ids that wait share a statement, and each call gets its own row${isByBucket ? ', by bucket' : ''}`, async () => {
    const { sql, asked } = openPool(isByBucket);
    const { ids } = await openRows({ sql }, 40, 2);
    asked.length = 0;
    const wanted = [ids[5]!, newId(0), ...ids];
    const rows = await Promise.all(wanted.map((id) => find(sql, id)));
    assert.deepEqual(
      rows.map((row) => row?.n),
      [5, undefined, ...ids.keys()],
    );
    assert.equal(asked.length, isByBucket ? 2 : 1, 'statements');
    assert.equal(await find(sql, newId(1)), undefined);
  });

test('a transaction, and a pool that shares nothing, ask for each id alone', async () => {
  const { sql, transaction } = openPool();
  const { ids } = await openRows({ sql }, 3);
  await transaction(async (tx) => {
    await tx`update row_of_test set n = 100 where id = ${ids[0]}`;
    assert.equal((await find(tx, ids[0]!))?.n, 100, 'what the transaction wrote');
    assert.equal((await find(sql, ids[0]!))?.n, 0, 'what is committed');
  });
});

test('an id whose look-up fails fails alone', async () => {
  const { sql } = openPool();
  const { ids, become } = await openRows({ sql }, 30);
  await become(7, 'bad');
  const outcomes = await Promise.allSettled(ids.map((id) => find(sql, id)));
  const failed = outcomes.flatMap((outcome, n) => (outcome.status === 'rejected' ? [[n, outcome.reason.code]] : []));
  assert.deepEqual(failed, [[7, '22012']]);
  assert.equal((await find(sql, ids[3]!))?.n, 3);
});

for (const others of [1, 30])
  test(`${others === 1 ? 'a slow id alone' : 'a slow id among others'} delays neither them nor those that come later`, async () => {
    const { sql } = openPool();
    const { ids, become } = await openRows({ sql }, 30);
    await become(7, 'slow');
    let isDone = false;
    const slow = find(sql, ids[7]!).then((row) => {
      isDone = true;
      return row;
    });
    const together = ids.slice(0, others - 1).filter((_, n) => n !== 7);
    const rows = await Promise.all([...together.map((id) => find(sql, id)), sleep(5).then(() => find(sql, ids[29]!))]);
    assert.equal(rows.length, together.length + 1);
    assert.ok(rows.every((row) => row !== undefined) && !isDone, 'the others have their rows before the slow one');
    assert.equal((await slow)?.n, 7);
  });

test('a row is never older than its call', async () => {
  const { sql } = openPool();
  const { ids } = await openRows({ sql }, 1);
  const id = ids[0]!;
  // Always one statement on its way, whose rows no later call may get.
  let isOver = false;
  const background = Promise.all(
    Array.from({ length: 8 }, async () => {
      while (!isOver) await find(sql, id);
    }),
  );
  for (let n = 1; n <= 200; n++) {
    await sql`update row_of_test set n = ${n} where id = ${id}`;
    const rows = await Promise.all([find(sql, id), find(sql, id)]);
    assert.deepEqual(
      rows.map((row) => row?.n),
      [n, n],
    );
  }
  isOver = true;
  await background;
});
