// Every resource is in the visible lists, and its manifest accounts for all tables, sealed columns, topics and types of idempotent requests.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resetAccount } from '../src/apps/sandbox/reset.ts';
import { resources } from '../src/apps/service/resources.ts';
import { writeEvent } from '../src/ledger/feed/event.ts';
import { identifier, type Sql } from '../src/platform/db/sql.ts';
import type { Manifest } from '../src/platform/manifest.ts';
import { topics } from '../src/resources/topics.ts';
import { allEvents } from './support/events.ts';
import { ROOT } from './support/paths.ts';
import { openScenario, runScenario } from './support/scenario.ts';
import { startService } from './support/service.ts';

/** Tables that a reset of an account keeps, and why. */
const KEPT = {
  account: 'stays',
  application: 'stays with its account',
  application_maker: 'is of an application, which stays',
  application_calls: 'stays with its application',
  audit_chain: 'is append-only',
  audit_entry: 'is append-only',
  application_key: 'stays with its application',
  application_secret: 'stays with its application',
  event_cursor: 'is of all accounts',
  evidence_policy: 'stays: an accountable person set it',
  event_head: 'a position of the feed is never assigned twice',
  event_topic: 'a position of a topic is never assigned twice',
  figure_sample: 'is of all accounts',
  installation: 'is of all accounts',
  job: 'is of all accounts',
  ledger_proof: 'is of all accounts',
  log_key: 'is of all accounts',
  loose_content: 'lists the content that must still be deleted from the store',
  operator: 'is of all accounts',
  operator_attempt: 'is of all accounts',
  operator_kept: 'is of all accounts',
  operator_link: 'is of all accounts',
  operator_passkey: 'is of all accounts',
  operator_session: 'is of all accounts',
  operator_sponsor: 'is of all accounts',
  master_list: 'is of all accounts',
  revocation_list: 'is of all accounts',
  state_certificate: 'is of all accounts',
  change_request: 'is of all accounts',
  move_limit: 'stays: an accountable person set it',
  used_proof: 'a used assertion or proof stays used',
  revoked_token: 'a revoked token stays revoked',
  schema_migration: 'is of all accounts',
  signing_key: 'is of all accounts',
  transparency_log: 'a log never returns to an earlier origin',
};

/** Binary columns that key rotation leaves unchanged, and why. */
const NOT_REWRAPPED = {
  'application_secret.hash': 'a keyed hash',
  'audit_chain.hash': 'a hash',
  'audit_head.hash': 'is published',
  'document.content_mac': 'a keyed hash',
  'operator_attempt.hash': 'a keyed hash',
  'operator_kept.hash': 'a keyed hash',
  'operator_kept.sealed': 'is deleted within twelve hours',
  'operator_link.hash': 'a keyed hash',
  'operator_session.hash': 'a keyed hash',
  'customer.log_salt': 'is disclosed to auditors',
  'master_list.digest': 'a hash',
  'revocation_list.content': 'is published',
  'revocation_list.issuer': 'a hash',
  'state_certificate.content': 'is published',
  'state_certificate.digest': 'a hash',
  'document_content.content': 'sealed by the data keys in the columns of document',
  'log_entries.entries': 'is published',
  'log_tile.hashes': 'is published',
  'document_trait.fingerprint': 'masked with a keyed hash',
  'document_trait.hash': 'a keyed hash',
};

const declaredTables = resources.flatMap(({ reset }) => reset?.tables ?? []);
const declaredTypes = new Set(resources.flatMap(({ idempotent = {} }) => Object.keys(idempotent)));
const filesNamed = (name: string) => globSync(`src/**/${name}`, { cwd: ROOT }).sort();
const manifests = filesNamed('manifest.ts').filter((file) => / satisfies Manifest;/.test(readFileSync(join(ROOT, file), 'utf8')));

test('resources.ts lists the manifest of every folder', async () => {
  const missing: string[] = [];
  for (const file of manifests) {
    if (!(await exportsOf(file)).some((manifest) => resources.includes(manifest))) missing.push(file);
  }
  assert.deepEqual(missing, [], 'add them to `resources` in src/apps/service/resources.ts');
});

test('resources.ts lists the topics of every folder', async () => {
  const owned = (await Promise.all(manifests.map(exportsOf))).flat().flatMap(({ topics = {} }) => Object.keys(topics));
  assert.deepEqual(
    owned.filter((topic) => !(topic in topics)),
    [],
    'add them to `topics` in src/resources/topics.ts',
  );
  assert.equal(new Set(owned).size, owned.length, 'a topic belongs to one resource');
});

test('app.ts lists the routes of every folder', () => {
  const source = readFileSync(join(ROOT, 'src/apps/api/app.ts'), 'utf8');
  const listed = /^const resources[^[]*\[(.*?)^\];/ms.exec(source)![1]!;
  const imports = source.matchAll(/^import \{ (?<names>[^}]+) \} from '(?<file>\..+)';$/gm);
  const registered = [...imports]
    .filter(({ groups }) => groups!.names!.split(', ').every((name) => listed.includes(`  ${name},\n`)))
    .map(({ groups }) => join('src/apps/api', groups!.file!));
  assert.deepEqual(
    filesNamed('*routes.ts').filter((file) => !registered.includes(file)),
    [],
    'add them to `resources` in src/apps/api/app.ts',
  );
});

test('a reset deletes the rows of each table, or keeps them for a reason', async (t) => {
  const { sql } = await startService(t);
  const rows = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`;
  assert.deepEqual(
    [...declaredTables, ...Object.keys(KEPT)].sort(),
    rows.map(({ name }) => name),
    'add each table to `reset` in the manifest of one resource, or to KEPT',
  );
});

test('key rotation rewraps each binary column, or leaves it for a reason', async (t) => {
  const { sql } = await startService(t);
  const rows = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' order by 1`;
  const sealed = resources.flatMap(({ sealed = [] }) => sealed.map(({ table, column }) => `${table}.${column}`));
  assert.deepEqual(
    [...sealed, ...Object.keys(NOT_REWRAPPED)].sort(),
    rows.map(({ name }) => name),
    'add each column to `sealed` in the manifest of one resource, or to NOT_REWRAPPED',
  );
});

test('after calls of every operation', async (t) => {
  const scenario = await openScenario(t, { withKeys: true });
  await runScenario(t, scenario);
  const { sql, sandbox, service } = scenario;

  await t.test('each written topic and each type that a key names is a fact', async () => {
    const written = await sql<{ topic: string }>`select distinct topic from ${await allEvents(sql)}`;
    assert.deepEqual(
      written.filter(({ topic }) => !(topic in topics)),
      [],
    );
    const named = await sql<{ type: string }>`select distinct resource_type as type from idempotency_key`;
    assert.deepEqual(
      named.filter(({ type }) => !declaredTypes.has(type)),
      [],
      'add them to `idempotent` in the manifest of their resource',
    );
    assert.equal(named.length, declaredTypes.size, 'test/support/scenario.ts makes each type');
  });

  await t.test('a reset deletes from the tables of the manifests, and from no others', async () => {
    await addRest(sql);
    const rollback = new Error('rollback');
    const deleted: string[] = [];
    const reset = service.database.transaction(async (tx) => {
      // Here, because a worker would move it to the feed.
      const [customer] = await tx<{ bucket: number; id: string }>`
        select bucket, id from customer where account_id = ${sandbox.account_id} limit 1`;
      const { bucket, id } = customer!;
      const event = { bucket, accountId: sandbox.account_id, customerId: id, resourceId: id, topic: 'customer_created' } as const;
      await writeEvent(tx, event, new Date());
      const before = await countRows(tx);
      await resetAccount(tx, service, sandbox.account_id);
      const after = await countRows(tx);
      for (const [table, rows] of before) if (after.get(table)! < rows) deleted.push(table);
      throw rollback;
    });
    await assert.rejects(reset, rollback);
    assert.deepEqual(deleted.sort(), declaredTables.sort(), 'test/support/scenario.ts or addRest fills each table');
  });
});

async function exportsOf(file: string): Promise<Manifest[]> {
  return Object.values((await import(join(ROOT, file))) as Record<string, Manifest>);
}

/** The number of rows of each table. */
async function countRows(sql: Sql): Promise<Map<string, bigint>> {
  const counts = new Map<string, bigint>();
  for (const table of [...declaredTables, ...Object.keys(KEPT)]) {
    const [row] = await sql<{ rows: bigint }>`select count(*) as rows from ${identifier(table)}`;
    counts.set(table, row!.rows);
  }
  return counts;
}

/** Adds rows to the tables that the calls leave empty. */
async function addRest(sql: Sql): Promise<void> {
  await sql`
    insert into document_look (bucket, id, document_id, account_id, viewer, place, created)
    select bucket, gen_random_uuid(), id, account_id, '{}', 'here', created from document limit 1`;
  await sql`insert into log_announcement (account_id, event_id, checkpoint) select id, gen_random_uuid(), '' from account`;
  await sql`insert into audit_head (account_id, event_id, entries, hash) select id, gen_random_uuid(), 1, '' from account`;
  await sql`
    insert into document_reading (bucket, id, document_id, account_id, checker, version, sealed, created)
    select bucket, gen_random_uuid(), id, account_id, 'reader', '1', '', created from document limit 1`;
  await sql`
    insert into document_trait (account_id, hash, document_id, subject_id, created)
    select account_id, '', id, customer_id, created from document limit 1`;
  await sql`insert into document_check_lease (account_id, holder, until) select id, gen_random_uuid(), now() from account`;
  await sql`
    insert into webhook_due (bucket, subscription_id, webhook_id, due)
    select bucket, subscription_id, id, created + interval '1 year' from webhook limit 1`;
  await sql`
    insert into transfer_evidence (bucket, customer_id, transfer_id, evidence)
    select bucket, customer_id, id, '{}' from transfer limit 1`;
}
