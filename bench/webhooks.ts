// `npm run bench -- webhooks`: one worker delivers waiting events to fast receivers on loopback; measures deliveries a second, signed
// and recorded, and the CPU of worker and database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../src/core/clock.ts';
import { bucketOf, newId, randomBucket } from '../src/core/ids.ts';
import { settleEvents } from '../src/ledger/feed/feed.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { startEmbedded } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { type Database, openDatabase } from '../src/platform/db/sql.ts';
import { createAddressPolicy } from '../src/platform/http/address-policy.ts';
import { openLinks } from '../src/platform/http/links.ts';
import { openSealer } from '../src/platform/keys/sealing.ts';
import { createAccount } from '../src/resources/accounts/account.ts';
import { openConnections } from '../src/resources/webhooks/connections.ts';
import { subscribe } from '../src/resources/webhooks/subscribe.ts';
import { openWorker } from '../src/resources/webhooks/worker.ts';
import { serverPid } from '../test/support/process.ts';
import { serverCpuSeconds } from './processes.ts';
import { startReceiver } from './receiver.ts';

const quick = process.argv.includes('--quick');
const EVENTS = quick ? 10_000 : 100_000;
const INSERT_BATCH = 5_000;
const SUBSCRIPTIONS = [1, 10];
/** Deliveries a second to a fast receiver on two cores, which this process, the database and the receiver share. */
const TARGET = 2_000;
const POLL_MS = 50;

await run();

async function run(): Promise<void> {
  const receiver = await startReceiver();
  const dataDir = mkdtempSync(join(tmpdir(), 'earmark-bench-webhooks-'));
  const server = await startEmbedded({ dataDir });
  try {
    await migrate(server.url);
    process.stdout.write(
      `${'webhooks'.padEnd(44)}${'per second'.padStart(12)}${'CPU of the worker'.padStart(20)}${'database, µs each'.padStart(20)}\n`,
    );
    const pid = serverPid(dataDir)!;
    const rates: number[] = [];
    for (const subscriptions of SUBSCRIPTIONS)
      rates.push(await drain(server.url, { receiverUrl: receiver.url, subscriptions, server: pid }));
    const least = Math.min(...rates);
    const verdict = least >= TARGET ? 'met' : 'NOT met';
    process.stdout.write(
      `target: ${EVENTS.toLocaleString('en')} deliveries at ${TARGET.toLocaleString('en')} a second: ${verdict} (${least.toLocaleString('en')})\n`,
    );
    if (least < TARGET) process.exitCode = 1;
  } finally {
    await server.stop();
    receiver.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Returns deliveries a second. */
async function drain(
  databaseUrl: string,
  wanted: { receiverUrl: string; subscriptions: number; server: number },
): Promise<number> {
  const { receiverUrl, subscriptions, server } = wanted;
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: 'http://localhost:8080',
    MODE: 'sandbox',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  const database = openDatabase(databaseUrl, { max: 2, onError: () => {} });
  const sealer = openSealer([Buffer.alloc(32, 7)]);
  const events = EVENTS / subscriptions;
  const accountId = await seed(database, sealer, { receiverUrl, subscriptions, guard: createAddressPolicy(config) });
  await writeEvents(database, accountId, events);

  const [begin, cpu, serverCpu] = [performance.now(), process.cpuUsage(), serverCpuSeconds(server)!];
  const settled = await settleEvents(database.sql);
  const settledMs = performance.now() - begin;
  const log = pino({ level: 'warn' });
  const worker = openWorker({
    ...(await openConnections(database.sql, { databaseUrl, log, onError: () => {} })),
    config,
    links: openLinks(config),
    sealer,
    log,
  });
  await untilDone(database, accountId, EVENTS);
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const perDelivery = Math.round(((serverCpuSeconds(server)! - serverCpu) * 1e6) / EVENTS);
  await worker.stop();
  await database.close();
  const what = `${events.toLocaleString('en')} events, ${subscriptions} subscription${subscriptions > 1 ? 's' : ''}`;
  const rate = Math.round(EVENTS / seconds);
  const share = `${Math.round((user + system) / 1e4 / seconds)} %`;
  const cells = [rate.toLocaleString('en').padStart(12), share.padStart(20), String(perDelivery).padStart(20)];
  process.stdout.write(`${what.padEnd(44)}${cells.join('')}\n`);
  process.stdout.write(
    `${'  of which settling the feed'.padEnd(44)}${`${Math.round(settled / (settledMs / 1000)).toLocaleString('en')}`.padStart(12)}\n`,
  );
  return rate;
}

type Seed = { receiverUrl: string; subscriptions: number; guard: ReturnType<typeof createAddressPolicy> };

async function seed(database: Database, sealer: ReturnType<typeof openSealer>, wanted: Seed): Promise<string> {
  const { id: accountId } = await createAccount(database.sql, 'Bench');
  for (let n = 0; n < wanted.subscriptions; n++) {
    const request = { url: wanted.receiverUrl, secret: 'a secret of the benchmark' };
    const made = { bucket: randomBucket(), clock: systemClock };
    await database.transaction((tx) => subscribe(tx, { sealer, guard: wanted.guard }, { accountId }, request, made));
  }
  return accountId;
}

async function writeEvents({ sql }: Database, accountId: string, events: number): Promise<void> {
  for (let written = 0; written < events; written += INSERT_BATCH) {
    const ids = Array.from({ length: Math.min(INSERT_BATCH, events - written) }, () => newId(randomBucket()));
    await sql`
      insert into event_outbox (bucket, ids, account_id, topic, created)
      select outbox_bucket(bucket), array[array[id], array[id], array[id]], ${accountId}, 'customer_label_reallocation_created', ${new Date()}
      from unnest(${ids.map(bucketOf)}::int[], ${ids}::uuid[]) as e (bucket, id)`;
  }
}

/** Waits until every event became a webhook and none is due. */
async function untilDone({ sql }: Database, accountId: string, wanted: number): Promise<void> {
  for (;;) {
    const [made] = await sql<{ webhooks: bigint }>`
      select sum(webhooks)::bigint as webhooks from webhook_subscription where account_id = ${accountId}`;
    if (Number(made?.webhooks) === wanted && (await sql`select 1 from webhook_due limit 1`).length === 0) return;
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}
