// What the benchmark of reads reads: reallocations, owners and documents beside the customers and labels of the stage.
import { setTimeout as sleep } from 'node:timers/promises';
import { bucketOf, newId } from '../src/core/ids.ts';
import { postTransfers } from '../src/ledger/transfers/post.ts';
import { openMix } from './mixes.ts';
import { type Stage, transferBetween } from './stage.ts';

export const ONES = ['label', 'balance', 'customer', 'reallocation'] as const;
export const PAGES: readonly Read[] = ['entries', 'reallocations', 'documents', 'feed'];
export const READS = [...ONES, 'entries', 'reallocations', 'documents', 'feed'] as const;
export type Read = (typeof READS)[number];

const TRANSFERS = 40_000;
const BATCH = 500;
const DOCUMENTS_EACH = 2;
const POLL_MS = 50;

/** Prepares the rows, and returns the path of the next request of each read. */
export async function prepareReads(stage: Stage): Promise<Record<Read, () => string>> {
  const { database, credentials, labels } = stage;
  const { sql } = database;
  const pick = openMix('uniform', labels);
  const transfers: string[] = [];
  while (transfers.length < TRANSFERS) {
    const batch = Array.from({ length: BATCH }, () => transferBetween(credentials.account_id, pick(), 1n));
    await postTransfers(sql, batch, { now: new Date() });
    transfers.push(...batch.map(({ id }) => id));
  }
  const customers = (await sql<{ id: string }>`select id from customer`).map(({ id }) => id);
  const owners = await addOwners(stage, customers);
  while ((await sql`select 1 from event_outbox limit 1`).length > 0) await sleep(POLL_MS);
  await sql`vacuum analyze`;
  const any = (ids: string[]) => ids[Math.floor(Math.random() * ids.length)]!;
  const all = labels.flat();
  return {
    label: () => `/labels/${any(all)}`,
    balance: () => `/customers/${any(customers)}/balance`,
    customer: () => `/customers/${any(customers)}`,
    reallocation: () => `/label-reallocations/${any(transfers)}`,
    entries: () => `/labels/${any(all)}/ledger-entries`,
    reallocations: () => `/customers/${any(customers)}/label-reallocations`,
    documents: () => `/beneficial-owners/${any(owners)}/documents`,
    feed: () => '/events',
  };
}

async function addOwners({ database: { sql }, credentials }: Stage, customers: string[]): Promise<string[]> {
  const owners = customers.map((customer) => ({ customer, bucket: bucketOf(customer), id: newId(bucketOf(customer)) }));
  const now = new Date();
  await sql`
    insert into beneficial_owner (bucket, id, account_id, customer_id, status, first_name, last_name, address, sealed, created, changed)
    select bucket, id, ${credentials.account_id}, customer, 'document', 'Bench', 'Mark', '{}', '', ${now}, ${now}
    from unnest(${owners.map(({ bucket }) => bucket)}::int[], ${owners.map(({ id }) => id)}::uuid[],
      ${owners.map(({ customer }) => customer)}::uuid[]) as o (bucket, id, customer)`;
  const documents = owners.flatMap((owner) =>
    Array.from({ length: DOCUMENTS_EACH }, () => ({ ...owner, document: newId(owner.bucket) })),
  );
  await sql`
    insert into document (bucket, id, account_id, customer_id, owner_id, type, status, media_type, store, original_key, copy_key, content_mac, created, decided)
    select bucket, document, ${credentials.account_id}, customer, owner, 'passport', 'accepted', 'image/jpeg', 'postgresql', 'key', 'key', document::text::bytea, ${now}, ${now}
    from unnest(${documents.map(({ bucket }) => bucket)}::int[], ${documents.map(({ document }) => document)}::uuid[],
      ${documents.map(({ customer }) => customer)}::uuid[], ${documents.map(({ id }) => id)}::uuid[]) as d (bucket, document, customer, owner)`;
  return owners.map(({ id }) => id);
}
