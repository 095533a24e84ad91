// Every statement on a table of customers names the bucket, so that a cluster runs it on one group. `npm run long -- cluster` checks the
// same as the cluster sees it. Statements on the part of a table in a group, as in src/resources/webhooks/claim.ts, need no bucket.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EVERYWHERE } from './cluster/statements.ts';
import { ROOT } from './support/paths.ts';

/** The tables that a cluster distributes by bucket. */
const TABLES = [
  'customer',
  'customer_external_id',
  'label_reallocation_batch',
  'ledger_account',
  'transfer',
  'transfer_metadata',
  'transfer_evidence',
  'allocation_rule',
  'balance_monitor',
  'hold',
  'schedule',
  'schedule_occurrence',
  'beneficial_owner',
  'beneficial_ownership',
  'document',
  'document_content',
  'document_review',
  'document_look',
  'document_reading',
  'loose_content',
  'idempotency_key',
  'event_outbox',
  'webhook',
  'webhook_attempt',
  'webhook_due',
  'webhook_retry',
  'webhook_subscription',
];

const TEMPLATE = /\b(?:sql|tx|fragment)(?:<[^`]*?>)?`(.*?)`/gs;
const USES = new RegExp(`\\b(?:from|join|update|into|using) (?:${TABLES.join('|')})\\b`);

test('the tables are those with a bucket', () => {
  const sql = globSync('migrations/*.sql', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const tables = [...sql.join('\n').matchAll(/^create table (?<name>\w+) \((?<columns>.*?)^\)/gms)];
  const withBucket = tables.filter(({ groups }) => /^ {2}bucket /m.test(groups!.columns!)).map(({ groups }) => groups!.name!);
  // The feed is on the coordinator.
  const distributed = withBucket.filter((name) => name !== 'event');
  assert.deepEqual(distributed.sort(), TABLES.toSorted());
});

test('every statement on these tables names the bucket, or runs everywhere for a reason', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] });
  const statements = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(TEMPLATE)].map(([, text]) => text!.replaceAll(/\s+/g, ' ').trim()),
  );
  const used = statements.filter((text) => USES.test(text));
  assert.ok(used.length > 50, `${used.length} statements`);
  const unbound = used.filter(
    (text) => !/\bbucket\b|\$\{ofCustomer\(/.test(text) && !EVERYWHERE.some(([pattern]) => pattern.test(text)),
  );
  assert.deepEqual(unbound, [], 'add a bucket, or a reason to test/cluster/statements.ts');
});
