// Tests of stored documents: encryption and key rotation.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import sharp from 'sharp';
import type { Body } from '../../../test/support/http.ts';
import { idOf } from '../../../test/support/http.ts';
import { openKept } from '../../../test/support/kept-documents.ts';
import { picture } from '../../../test/support/pictures.ts';
import { runCli, settingsOf } from '../../../test/support/process.ts';
import { startService } from '../../../test/support/service.ts';
import { jobs } from '../../apps/jobs/jobs.ts';
import { rotateKeys } from '../../apps/keys/rotate.ts';
import { identifier } from '../../platform/db/sql.ts';
import { openSealer } from '../../platform/keys/sealing.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const base64 = (...keys: Buffer[]) => keys.map((key) => key.toString('base64')).join(',');

// Shared by tests without special settings; each creates its own owners.
const shared = await openKept({ after });

test('nothing in the database is readable without the key', async () => {
  const { newOwner, submitted, sql } = shared;
  const mark = 'a mark that stands in the file';
  const file = Buffer.concat([await picture('jpeg', 800, 600), Buffer.from(mark)]);
  const document = await submitted(await newOwner({ ssn: '912-65-4329', dateOfBirth: '1979-11-30' }), { file });
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const rows = await Promise.all(
    tables.map(({ name }) => sql<{ text: string }>`select r::text as text from ${identifier(name)} r`),
  );
  const dump = rows
    .flat()
    .map(({ text }) => text)
    .join('\n');
  assert.ok(tables.length > 10 && dump.includes(idOf(document)), 'the whole database was searched');
  const stored = await sql<{ content: Buffer }>`select content from document_content`;
  const bytes = Buffer.concat([...stored.map(({ content }) => content), Buffer.from(dump)]);
  assert.ok(stored.length >= 2 && bytes.length > file.length);
  const count = Math.floor(file.length / 500);
  const pieces = Array.from({ length: count }, (_, place) => file.subarray(place * 500, place * 500 + 16));
  assert.ok(count > 10);
  for (const piece of [...pieces, Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from('JFIF'), Buffer.from(mark)]) {
    assert.ok(!bytes.includes(piece), 'a part of the picture is stored unencrypted');
  }
  for (const secret of ['912-65-4329', '912654329', '1979-11-30']) {
    for (const spelling of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')]) {
      assert.ok(!bytes.includes(spelling), spelling);
    }
  }
});

test('the erasing job stops between documents when the service stops', async () => {
  const { newOwner, submitted, judge, sql, service, erase } = shared;
  const { database, documents, config, sealer } = service;
  const now = new Date(Date.now() + (config.documentRetentionDays + 1) * 86_400_000);
  // The documents of other tests.
  await erase(now);
  const [one, two] = [await submitted(await newOwner()), await submitted(await newOwner())];
  for (const document of [one, two]) assert.equal((await judge(document, 'accepted')).status, 201);
  const erased = async () =>
    (await sql`select 1 from document where id = any(${[idOf(one), idOf(two)]}) and erased is not null`).length;
  const job = jobs.find(({ name }) => name === 'erase-documents')!;
  const tools = { config, database, sealer, clock: { now: () => now } };
  const stopping = new AbortController();
  const postgresql = documents.stores.current;
  const current = {
    ...postgresql,
    erase: async (...of: Parameters<typeof postgresql.erase>) => {
      stopping.abort();
      await postgresql.erase(...of);
    },
  };
  const stores = { current, of: () => current };
  assert.deepEqual(await job.run({ ...tools, stores }, stopping.signal), { erased: 1, swept: 0 });
  assert.equal(await erased(), 1);
  await job.run({ ...tools, stores }, new AbortController().signal);
  assert.equal(await erased(), 2);
});

test('refuses a wrong key, changed bytes and swapped documents', async () => {
  const { newOwner, submitted, look, sql, client, newClient } = shared;
  const owner = await newOwner();
  const [one, two] = [await submitted(owner), await submitted(owner)];
  assert.equal((await sharp(await look(one)).metadata()).format, 'jpeg');
  await assert.rejects(look(one, openSealer([newKey])), /Add it to ENCRYPTION_KEY/);
  const looks = await sql`select 1 from document_look where document_id = ${idOf(one)}`;
  assert.equal(looks.length, 2, 'a failed view is recorded too');

  const changed = /was changed, or belongs to another record/;
  const [place] = await sql<{ content: Buffer }>`
    select content from document_content where document_id = ${idOf(one)} and purpose = 'copy' and place = 0`;
  const put = (content: Buffer) => sql`
    update document_content set content = ${content} where document_id = ${idOf(one)} and purpose = 'copy' and place = 0`;
  for (const at of [0, 20, place!.content.length - 1]) {
    const tampered = Buffer.from(place!.content);
    tampered[at]! ^= 1;
    await put(tampered);
    await assert.rejects(look(one), changed);
  }
  await put(place!.content.subarray(0, -1));
  await assert.rejects(look(one), changed);
  await put(Buffer.alloc(5));
  await assert.rejects(look(one), /truncated/);
  await put(place!.content);
  assert.ok(await look(one));

  // The content of another document, alone and with its key; the original in place of the copy; another account.
  const from = async (document: string, purpose: string) => {
    const rows = await sql<{ content: Buffer }>`
      select content from document_content where document_id = ${idOf(document)} and purpose = ${purpose} order by place`;
    return Buffer.concat(rows.map(({ content }) => content));
  };
  await put(await from(two, 'copy'));
  await assert.rejects(look(one), changed);
  const [other] = await sql<{ copyKey: Buffer }>`select copy_key from document where id = ${idOf(two)}`;
  await sql`update document set copy_key = ${other!.copyKey} where id = ${idOf(one)}`;
  await assert.rejects(look(one), changed);
  await sql`update document set copy_key = original_key where id = ${idOf(two)}`;
  await sql`delete from document_content where document_id = ${idOf(two)} and purpose = 'copy'`;
  await sql`update document_content set purpose = 'copy' where document_id = ${idOf(two)}`;
  await assert.rejects(look(two), changed);

  const three = await submitted(await newOwner());
  assert.ok(await look(three));
  const { account_id } = await newClient();
  assert.notEqual(account_id, client.account_id);
  await sql`update document set account_id = ${account_id} where id = ${idOf(three)}`;
  await assert.rejects(look(three), changed);
});

test('each file has its own key, and the same file is never sealed to the same bytes', async () => {
  const { newOwner, submitted, sql } = shared;
  const file = await picture();
  const ids: string[] = [];
  for (const owner of [await newOwner(), await newOwner()]) ids.push(idOf(await submitted(owner, { file })));
  const keys = await sql<{ key: string }>`
    select encode(original_key, 'hex') as key from document where id = any(${ids})
    union all select encode(copy_key, 'hex') from document where id = any(${ids})`;
  assert.equal(new Set(keys.map(({ key }) => key)).size, 4);
  const contents = await sql<{ content: string }>`
    select encode(content, 'hex') as content from document_content where document_id = any(${ids})`;
  assert.ok(contents.length >= 4);
  assert.equal(new Set(contents.map(({ content }) => content)).size, contents.length);
});

test('rotating keys moves everything to the newest, leaves contents unchanged, and lets the old key go', async (t) => {
  const first = await openKept(t, { env: { ENCRYPTION_KEY: base64(oldKey) } });
  const owner = await first.newOwner();
  const documents = [await first.submitted(owner), await first.submitted(owner)];
  const subscription = await first.call('POST', '/webhook-subscriptions', {
    body: { url: 'https://example.com/hook', secret: 'whsec_c2VjcmV0LW9mLXRoZS1ob29r' },
  });
  assert.equal(subscription.status, 201, subscription.text);
  await first.newClient();
  const contents = () => first.sql`select md5(content) as md5 from document_content order by document_id, purpose, place`;
  const before = await contents();
  const [oldId, newId] = [openSealer([oldKey]).keyIds[0], openSealer([newKey]).keyIds[0]];

  const list = async (keys: string) => {
    const { stdout, code, stderr } = await runCli(t, ['keys', 'list', '--json'], { ...settingsOf(first), ENCRYPTION_KEY: keys });
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as Body).keys;
  };
  const [newest, older] = await list(base64(newKey, oldKey));
  assert.deepEqual(newest, { key_id: newId, state: 'newest', seals: {} });
  assert.deepEqual(
    [older.key_id, older.state, older.seals['documents, copies'], older.seals['signing keys']],
    [oldId, 'older', 2, 1],
  );

  const rotated = await runCli(t, ['keys', 'rotate', '--yes', '--json'], {
    ...settingsOf(first),
    ENCRYPTION_KEY: base64(newKey, oldKey),
  });
  assert.equal(rotated.code, 0, rotated.stderr);
  const { key_id, ...counts } = JSON.parse(rotated.stdout) as Body;
  assert.equal(key_id, newId);
  const customers = (await first.sql`select 1 from customer where sealed is not null`).length;
  const owners = (await first.sql`select 1 from beneficial_owner where sealed is not null`).length;
  assert.deepEqual(counts, {
    customers,
    'beneficial owners': owners,
    'documents, originals': 2,
    'documents, copies': 2,
    'documents, readings': 0,
    'webhook secrets': 1,
    'webhook secrets, former': 0,
    'signing keys': 1,
    'transparency log keys': 1,
  });
  assert.deepEqual(await contents(), before);
  const table = await runCli(t, ['keys', 'list'], { ...settingsOf(first), ENCRYPTION_KEY: base64(newKey, oldKey) });
  assert.match(table.stdout, new RegExp(`^key_id +state +count  seals\n(.*\n)*${newId}  newest +2  documents, copies\n`));
  const [, after] = await list(base64(newKey, oldKey));
  assert.deepEqual(Object.keys(after.seals), ['application secrets (hashed)'], 'only hashes are left under the old key');

  for (const document of documents) {
    assert.ok(await first.look(document, openSealer([newKey])));
    await assert.rejects(first.look(document, openSealer([oldKey])), /Add it to ENCRYPTION_KEY/);
  }
  const second = await startService(t, { env: { ENCRYPTION_KEY: base64(newKey), PUBLIC_URL: first.url }, beside: first });
  assert.ok((await second.newClient()).token, 'the service runs with the new key alone');
  assert.equal((await second.call('GET', documents[0]!, { token: first.token })).status, 200);

  const again = await runCli(t, ['keys', 'rotate', '--yes', '--json'], { ...settingsOf(first), ENCRYPTION_KEY: base64(newKey) });
  assert.deepEqual(Object.values(JSON.parse(again.stdout) as Body).slice(1), Array(9).fill(0));
  const without = await runCli(t, ['keys', 'rotate', '--yes'], { ...settingsOf(first), ENCRYPTION_KEY: base64(oldKey) });
  assert.equal(without.code, 1);
  assert.match(without.stderr, /^The database contains data sealed under encryption key .*\n$/);
});

test('a rotation runs in batches, concurrently with changes and other rotations', async (t) => {
  const { sql, service, newCustomer } = await openKept(t, { env: { ENCRYPTION_KEY: base64(oldKey) } });
  const customer = idOf(await newCustomer());
  const ids = Array.from(
    { length: 450 },
    (_, place) =>
      `0190${place.toString(16).padStart(4, '0')}-0000-7${(place * 9).toString(16).padStart(3, '0')}-8000-000000000000`,
  );
  for (const id of ids) {
    const sealed = service.sealer.seal('secret', `customer:${id}`);
    await sql`
      insert into customer (bucket, id, account_id, type, status, first_name, last_name, email, profile, sealed, created)
      select ${Number.parseInt(id.slice(15, 18), 16)}, ${id}, account_id, type, status, first_name, last_name, email, profile, ${sealed}, created
      from customer where id = ${customer}`;
  }
  const both = openSealer([newKey, oldKey]);
  const done = await Promise.all([rotateKeys(service.database, both), rotateKeys(service.database, both)]);
  const of = (run: (typeof done)[0]) => run.find(({ content }) => content === 'customers')!.rewrapped;
  const [total] = await sql<{ count: number }>`select count(*)::int as count from customer where sealed is not null`;
  assert.equal(of(done[0]!) + of(done[1]!), total!.count, 'each was rewrapped once');
  const rows = await sql<{ id: string; sealed: Buffer }>`select id, sealed from customer where sealed is not null`;
  for (const { id, sealed } of rows) assert.ok(openSealer([newKey]).open(sealed, `customer:${id}`).length > 0);
});
