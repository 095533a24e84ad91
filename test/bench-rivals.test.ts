// The rivals of the benchmark write what the service writes, so that their cost is that of the same work.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { rowLocks, statements } from '../bench/rivals.ts';
import { transferBetween } from '../bench/stage.ts';
import { idOf } from './support/http.ts';
import { openLabels, startService } from './support/service.ts';
import { assertSoundLedger } from './support/sound-ledger.ts';

const shared = await startService({ after });

test('each rival posts a reallocation with its entries and its event', async () => {
  const { database } = shared.service;
  const { sql } = database;
  await sql([readFileSync('bench/row-locks.sql', 'utf8')] as unknown as TemplateStringsArray);
  for (const rival of [rowLocks(database), statements(database)]) {
    const { from, to } = await openLabels(shared);
    const [fromId, toId] = [idOf(from), idOf(to)];
    const [label] = await sql<{ accountId: string }>`select account_id from ledger_account where id = ${fromId}`;
    const transfer = transferBetween(label!.accountId, { fromId, toId }, 1n);
    assert.deepEqual(await rival(transfer), { code: 'posted' });
    assert.deepEqual(await shared.topics(transfer.id), ['customer_label_reallocation_created']);
  }
  await assertSoundLedger(database);
});
