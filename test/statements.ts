// Statements and exports of a million entries in bounded memory: `npm run long -- statements`, or with ENTRIES=10000 for a short run.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, test } from 'node:test';
import { bucketOf, newId } from '../src/core/ids.ts';
import { postTransfers } from '../src/ledger/transfers/post.ts';
import { HAL, idOf } from './support/http.ts';
import { startService } from './support/service.ts';

const ENTRIES = Number(process.env.ENTRIES ?? 1_000_000);
const WARM_UP_ENTRIES = 40_000;
const BATCH = 2_000;
const GROWTH_MAX_MB = 100;
const SAMPLE_MS = 250;
const MB = 2 ** 20;

const shared = await startService({ after });
const { customer, from, to } = await shared.newLabels('500.00');
await fill(from, to, ENTRIES);
// Loads the code and the pools that every later statement uses.
const short = [await shared.newLabel(customer, '500.00'), await shared.newLabel(customer)] as const;
await fill(...short, WARM_UP_ENTRIES);
for (const accept of [HAL, 'text/csv', 'application/pdf']) await read(accept, `?label=${idOf(short[0])}`);

/** Each reallocation makes two entries. */
async function fill(from: string, to: string, entries: number): Promise<void> {
  const [bucket, ids] = [bucketOf(idOf(from)), [idOf(from), idOf(to)] as const];
  for (let made = 0; made < entries; made += 2 * BATCH) {
    const transfers = Array.from({ length: BATCH }, (_, n) => {
      const id = newId(bucket);
      return {
        ...{ id, kind: 'reallocation' as const, accountId: shared.client.account_id, amount: 1n, currency: 'USD' },
        ...{ fromId: ids[n % 2]!, toId: ids[(n + 1) % 2]!, reference: referenceOf(made + n), idempotency: undefined },
        event: { id: newId(bucket), topic: 'customer_label_reallocation_created' },
        resource: { type: 'label-reallocation', id },
      };
    });
    await postTransfers(shared.sql, transfers, { now: new Date() });
  }
}

/** Every tenth text needs other fonts, shaping, and right-to-left order. */
function referenceOf(n: number): string {
  return n % 10 === 0 ? `شركة ${String.fromCodePoint(0x4e00 + (n % 8000))} ${n}` : `reference ${n}`;
}

/** What is in use after a collection: V8 lets garbage grow while the machine has memory. */
function memoryInUse(): number {
  gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Reads a statement to its end. Returns its bytes and lines, and by how many MB the memory in use of the service grew meanwhile. */
async function read(accept: string, query = '') {
  const { port, token } = shared;
  const path = `${new URL(customer).pathname}/statements/${new Date().toISOString().slice(0, 7)}${query}`;
  const before = memoryInUse();
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, memoryInUse());
  }, SAMPLE_MS);
  const startMs = performance.now();
  const counts = await new Promise<{ bytes: number; lines: number }>((resolve, reject) => {
    const request = http.get(
      { port, host: '127.0.0.1', path, headers: { accept, authorization: `Bearer ${token}` } },
      (response) => {
        const counts = { bytes: 0, lines: 0 };
        response.on('data', (chunk: Buffer) => {
          counts.bytes += chunk.length;
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) counts.lines += 1;
        });
        response.on('error', reject);
        response.on('end', () => (response.statusCode === 200 ? resolve(counts) : reject(new Error(`${response.statusCode}`))));
      },
    );
    request.on('error', reject);
  }).finally(() => clearInterval(sampling));
  return { ...counts, growthMb: (most - before) / MB, seconds: (performance.now() - startMs) / 1000 };
}

for (const accept of [HAL, 'text/csv', 'application/pdf']) {
  test(`${accept} of ${ENTRIES.toLocaleString('en')} entries`, async (t) => {
    const { bytes, lines, growthMb, seconds } = await read(accept);
    t.diagnostic(`${(bytes / MB).toFixed(0)} MB in ${seconds.toFixed(1)} s; memory grew by ${growthMb.toFixed(0)} MB`);
    if (accept === 'text/csv') assert.ok(lines >= ENTRIES, `${lines} lines`);
    assert.ok(growthMb < GROWTH_MAX_MB, `memory grew by ${growthMb.toFixed(0)} MB`);
  });
}
