// Tests of what happens to a transparency log: keys rotate, retention deletes events, a day passes, and a sandbox is reset.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseEntry } from '../../../packages/proof/src/entry.ts';
import { parseCheckpoint, parseVerifier } from '../../../packages/proof/src/note.ts';
import { isSignedBy } from '../../../packages/proof/src/sign.ts';
import { openBatches } from '../../../test/support/batches.ts';
import { customerForm, ownerForm } from '../../../test/support/data.ts';
import { idOf } from '../../../test/support/http.ts';
import { coveredLog, firstCheckpoint, readLog } from '../../../test/support/logs.ts';
import { runCliJson, settingsOf } from '../../../test/support/process.ts';
import { openLabels, startService } from '../../../test/support/service.ts';
import { assertSoundLedger } from '../../../test/support/sound-ledger.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { bucketOf } from '../../core/ids.ts';

const shared = await startService({ after }, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const HOUR_SECONDS = 3_600;

/** An account with labels whose calls use a new token after its clock has advanced. */
async function openClocked() {
  const account = await openLabels(shared);
  const { client } = account;
  const url = `${shared.url}/accounts/${client.account_id}`;
  let token = account.token;
  return {
    ...account,
    url: shared.url,
    account: url,
    call: (...[method, path, options]: Parameters<typeof shared.send>) => shared.send(method, path, { token, ...options }),
    get: async (path: string) => (await shared.send('GET', path, { token })).body,
    async advance(hours: number) {
      await shared.send('POST', '/sandbox/clock', { token, body: { advanceSeconds: hours * HOUR_SECONDS } });
      token = await shared.tokenOf(client);
    },
  };
}

test('a new key signs beside the old one for a year', async (t) => {
  const account = await openClocked();
  const { note } = await coveredLog(account);
  const { log } = await account.get(account.account);
  await runCliJson(t, ['keys', 'rotate', '--log', '--yes'], settingsOf(shared));
  const { log: rotated } = await account.get(account.account);
  assert.deepEqual([rotated.origin, rotated.formerKeys], [log.origin, [log.key]]);
  const [old, now] = [parseVerifier(log.key)!, parseVerifier(rotated.key)!];
  const signedBy = async (text: string) => [isSignedBy(text, old), isSignedBy(text, now)];
  const signed = (by: boolean[]) =>
    waitUntil('the checkpoint is signed', async () => {
      const { text } = await account.call('GET', `${account.account}/log/checkpoint`);
      return (await signedBy(text)).join() === by.join();
    });
  assert.deepEqual(await signedBy(note), [true, false]);
  await signed([true, true]);
  await shared.sql`update log_key set created = created - interval '366 days'`;
  await signed([false, true]);
  const { log_keys } = await runCliJson<{ log_keys: { state: string }[] }>(t, ['keys', 'list'], settingsOf(shared));
  assert.deepEqual(
    log_keys.map(({ state }) => state),
    ['signs', 'verifies'],
  );
});

test('entries and receipts stay when retention deletes the events', async () => {
  const account = await openClocked();
  const reallocation = await account.create('/label-reallocations', account.reallocation(account.from, account.to, '1.00'));
  const { size } = await coveredLog(account);
  await account.advance(24 * 400);
  const { events } = (await account.get('/events?order=oldest&limit=200'))._embedded;
  const made = ['account_checkpoint_created', 'account_audit_head_created'];
  assert.ok(events.every(({ topic }: { topic: string }) => made.includes(topic)));
  const { entry, index } = await account.get(`${reallocation}/receipt`);
  assert.equal(index, size - 1);
  assert.equal(parseEntry(Buffer.from(entry)).resourceId, idOf(reallocation));
  const { text } = await account.call('GET', `${account.account}/log/checkpoint`);
  assert.ok(
    (await readLog({ ...account, token: await shared.tokenOf(account.client) }, parseCheckpoint(text)!)).entries.length >= size,
  );
});

test('a day with events is announced once, with the checkpoint in the event and the webhook', async (t) => {
  const account = await openClocked();
  const receiver = await startReceiver(t);
  const topics = ['account_checkpoint_created'];
  await account.call('POST', '/webhook-subscriptions', { body: { url: receiver.url, secret: 'a secret of mine', topics } });
  const { note } = await coveredLog(account);
  await account.advance(25);
  const event = await waitUntil('the checkpoint is announced', async () => {
    const found = await account.get('/events?topic=account_checkpoint_created');
    return found._embedded.events[0];
  });
  assert.equal(event.checkpoint, note);
  assert.equal(event.resourceId, account.client.account_id);
  assert.equal(event._links.resource.href, account.account);
  const [received] = await waitUntil('the webhook arrives', () => receiver.received.length > 0 && receiver.received);
  assert.equal(received!.body.checkpoint, note);
  await coveredLog(account);
  await account.advance(25);
  // The head of the audit log may have come beside the announcement.
  const { total } = await account.get('/events?topic=account_checkpoint_created');
  await coveredLog(account);
  await account.advance(25);
  await account.advance(25);
  assert.equal((await account.get('/events?topic=account_checkpoint_created')).total, total, 'nothing else came since');
});

test('a day that ends by the clock of the account is announced without a new event', async () => {
  const account = await openClocked();
  const announced = async () => (await account.get('/events?topic=account_checkpoint_created')).total;
  await coveredLog(account);
  await account.advance(25);
  assert.equal(await announced(), 1);
  for (let made = 0; made < 2; made++) await account.call('POST', '/customers', { body: customerForm() });
  await coveredLog(account);
  assert.equal(await announced(), 1, 'the day has not passed');
  await shared.sql`
    update transparency_log set announced = announced - interval '1 day' where account_id = ${account.client.account_id}`;
  await waitUntil('the next day is announced', async () => (await announced()) === 2);
});

test('a reset begins a log with another origin', async () => {
  const account = await openClocked();
  const { origin } = await coveredLog(account);
  const before = await account.get(account.account);
  await account.call('POST', '/sandbox/reset');
  const { log } = await account.get(account.account);
  assert.equal(log.origin, `${origin}/2`);
  assert.notEqual(log.key, before.log.key, 'a key has the origin as its name');
  const { text } = await firstCheckpoint(account, account.account);
  assert.deepEqual([parseCheckpoint(text)!.origin, parseCheckpoint(text)!.size], [log.origin, 0]);
  await account.newCustomer({ available: '10.00' });
  const { entries } = await readLog(account, await coveredLog(account));
  assert.deepEqual(
    entries.map(({ topic }) => topic),
    (await account.get('/events?order=oldest'))._embedded.events.map(({ topic }: { topic: string }) => topic),
  );
});

test('a reset keeps the log of a new account from beginning with the events that it deletes', async () => {
  const { sql, service } = shared;
  const account = await openClocked();
  const customer = await account.newCustomer();
  const owner = idOf(await account.create(`${customer}/beneficial-owners`, ownerForm));
  await account.get('/events');
  const accountId = account.client.account_id;
  let reset: Promise<unknown> | undefined;
  await service.database.transaction(async (tx) => {
    await tx`select 1 from beneficial_owner where bucket = ${bucketOf(owner)} and id = ${owner} for update`;
    await sql`delete from log_entries where account_id = ${accountId}`;
    await sql`delete from log_tile where account_id = ${accountId}`;
    await sql`delete from transparency_log where account_id = ${accountId}`;
    // It deletes the events before the owner, and waits.
    reset = account.call('POST', '/sandbox/reset');
    await waitUntil('a builder has extended the log, or waits', async () => {
      const [log] = await sql`select 1 from transparency_log where account_id = ${accountId} and size > 0`;
      const [waiting] = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into transparency_log%'`;
      return log ?? waiting;
    });
  });
  await reset;
  await assertSoundLedger(service.database);
  assert.equal(parseCheckpoint((await firstCheckpoint(account, account.account)).text)!.size, 0);
});

test('a log is extended by thousands of events while requests keep the service busy', async () => {
  const { sql } = shared;
  const { client, from, to, item, send, token, get, call } = await openBatches(shared);
  await coveredLog({ ...shared, client, token, get, call });
  await sql`update transparency_log set held = now() where account_id = ${client.account_id}`;
  for (let made = 0; made < 7; made++) {
    const items = Array.from({ length: 1000 }, () => item(from, to, '0.01'));
    assert.equal((await send('independent', items)).body.succeeded, 1000);
  }
  let isBusy = true;
  const keepBusy = () => {
    for (const end = performance.now() + 30; performance.now() < end; );
    if (isBusy) setImmediate(keepBusy);
  };
  keepBusy();
  await sql`update transparency_log set held = null where account_id = ${client.account_id}`;
  try {
    await waitUntil('the log has the events', async () => {
      const [log] = await sql<{ size: bigint }>`select size from transparency_log where account_id = ${client.account_id}`;
      return log!.size > 7_000n;
    });
  } finally {
    isBusy = false;
  }
});

test('a log does not step over an event that is missing in the feed', async () => {
  const account = await openLabels(shared);
  const { note } = await coveredLog(account);
  await shared.sql`update event_head set position = position + 1 where account_id = ${account.client.account_id}`;
  await account.create('/label-reallocations', account.reallocation(account.from, account.to, '1.00'));
  await waitUntil('the service reports the gap', async () =>
    shared.logs.some((line) => line.includes(`account ${account.client.account_id}: the feed lacks events`)),
  );
  const { text } = await account.call('GET', `/accounts/${account.client.account_id}/log/checkpoint`);
  assert.equal(text, note);
});
