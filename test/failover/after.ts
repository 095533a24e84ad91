// What must hold after a failover: every acknowledged reallocation once, the ledger, the feed, and the audit from outside.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { applyToBalances, assertLedger, compare, repeatAcknowledged, settleUnknown } from '../crash/ledger-check.ts';
import type { Attempt } from '../crash/load.ts';
import { countReallocations } from '../crash/target.ts';
import { call } from '../support/http.ts';
import { runCli } from '../support/process.ts';
import type { TestScope } from '../support/test-scope.ts';
import { waitUntil } from '../support/wait.ts';
import type { Served } from './served.ts';

/** A service and its database, however many servers that has. */
export type Figures = {
  acknowledged: number;
  refused: number;
  unknown: number;
  unknownDone: number;
  lost: number;
  wrong: number;
};

const REPEATED = 20;

/** Settles what was not answered, and compares all with the stored rows. Fails at the first difference. */
export async function checkMoney(
  pair: Served,
  attempts: Attempt[],
  balances: Map<string, number>,
  before: number,
): Promise<Figures> {
  const { caller, database, accountId } = pair;
  await pair.ready();
  const { unknown, done } = await settleUnknown(caller, attempts);
  const acknowledged = attempts.filter(({ outcome }) => outcome === 'acknowledged');
  await repeatAcknowledged(caller, acknowledged.slice(-REPEATED));
  const { lost, wrong } = await compare(database, accountId, attempts);
  assert.deepEqual({ lost, wrong }, { lost: 0, wrong: 0 });
  applyToBalances(balances, attempts);
  await assertLedger(database, balances, before + acknowledged.length);
  assert.equal(await countReallocations(database), before + acknowledged.length);
  return {
    acknowledged: acknowledged.length,
    refused: attempts.length - acknowledged.length,
    unknown,
    unknownDone: done,
    lost,
    wrong,
  };
}

/** The key that an auditor has from the account's log. */
export async function keyOf({ url, token, accountId }: Served): Promise<string> {
  const { body } = await call<{ log: { key: string } }>(`${url}/accounts/${accountId}`, token);
  return body.log.key;
}

/** Audits the account as an auditor who has a key and an earlier checkpoint. Returns what the audit prints. */
export async function audit(
  t: TestScope,
  pair: Served,
  { key, checkpoint }: { key: string; checkpoint: string },
): Promise<{ code: number | null; stdout: string }> {
  const { url, sandbox, dataDir } = pair;
  const { account_id, client_id, client_secret } = sandbox;
  const args = ['audit', '--url', url, '--account', account_id, '--key', key, '--checkpoint', checkpoint];
  const ended = await runCli(t, [...args, '--save', join(dataDir, 'checkpoint')], {
    EARMARK_CLIENT_ID: client_id,
    EARMARK_CLIENT_SECRET: client_secret,
  });
  return { code: ended.code, stdout: ended.stdout + ended.stderr };
}

/** The newest signed checkpoint, and its number of entries. */
export async function newestCheckpoint({ url, token, accountId }: Served): Promise<{ note: string; size: number }> {
  const response = await fetch(`${url}/accounts/${accountId}/log/checkpoint`, { headers: { authorization: `Bearer ${token}` } });
  const note = await response.text();
  return { note, size: Number(note.split('\n')[1]) };
}

/** Waits until the log has everything that the feed has. */
export async function covered(pair: Served): Promise<{ note: string; size: number }> {
  return waitUntil('the log has the whole feed', async () => {
    const [row] = await pair.database.sql<{ waiting: boolean }>`
      select exists (select from event_outbox) or h.position > l.start + l.size or l.signers is null as waiting
      from event_head h join transparency_log l using (account_id) where account_id = ${pair.accountId}`;
    if (row?.waiting !== false) return undefined;
    return newestCheckpoint(pair);
  });
}
