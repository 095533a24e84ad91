// `npm run bench -- log`: the CPU time that the transparency log takes for an event, in the service and in the database, and what it costs the
// rate of reallocations.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/core/clock.ts';
import { newId } from '../src/core/ids.ts';
import { settleEvents } from '../src/ledger/feed/feed.ts';
import { buildLog } from '../src/ledger/log/build.ts';
import { ensureLogKey } from '../src/ledger/log/log-key.ts';
import { openFundingAccounts } from '../src/ledger/transfers/balance.ts';
import { postTransfers, type Transfer } from '../src/ledger/transfers/post.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { startEmbedded } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { type Database, openDatabase } from '../src/platform/db/sql.ts';
import { openLinks } from '../src/platform/http/links.ts';
import { openSealer } from '../src/platform/keys/sealing.ts';
import { openLog } from '../src/platform/telemetry/log.ts';
import { createAccount } from '../src/resources/accounts/account.ts';
import { createCustomer } from '../src/resources/customers/create.ts';
import { compareRates } from './log-rate.ts';
import { median } from './statistics.ts';

const QUICK = process.argv.includes('--quick');
const EVENTS = QUICK ? 5_000 : 40_000;
/** The first of them does not count: a service has run for a while. */
const ACCOUNTS = QUICK ? 3 : 8;
const CUSTOMERS = 200;
const BATCH = 500;
const TARGET_US = 10;
/** Of Linux: the unit of the times in /proc/PID/stat. */
const TICK_US = 10_000;
const sealer = openSealer([Buffer.alloc(32, 7)]);

const dataDir = mkdtempSync(join(tmpdir(), 'earmark-bench-log-'));
const server = await startEmbedded({ dataDir });
try {
  await migrate(server.url);
  await run(server.url);
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
if (!(await compareRates(QUICK ? { rounds: 3, windowMs: 2_000 } : { rounds: 61, windowMs: 2_000 }))) process.exitCode = 1;

async function run(databaseUrl: string): Promise<void> {
  const config = readConfig({ DATABASE_URL: databaseUrl, PUBLIC_URL: 'http://localhost:8080', MODE: 'sandbox' });
  // One connection, so that one process of the server does all of the work.
  const database = openDatabase(databaseUrl, { max: 1, onError: () => {} });
  const tools = { database, sealer, links: openLinks(config), clock: systemClock, log: openLog('warn'), marks: undefined };
  await ensureLogKey(database, sealer);
  const accountIds: string[] = [];
  for (let account = 0; account < ACCOUNTS; account++) {
    const { id } = await createAccount(database.sql, 'Bench');
    await seed(database, id, EVENTS);
    accountIds.push(id);
  }
  await settleEvents(database.sql);
  const [{ pid }] = (await database.sql<{ pid: number }>`select pg_backend_pid() as pid`) as [{ pid: number }];

  const builds: { service: number; database: number }[] = [];
  for (const accountId of accountIds) {
    const [service, backend] = [process.cpuUsage(), cpuOf(pid)];
    await buildLog(tools, accountId);
    const { user, system } = process.cpuUsage(service);
    const [log] = await database.sql<{ size: bigint }>`select size from transparency_log where account_id = ${accountId}`;
    const size = Number(log!.size);
    builds.push({ service: (user + system) / size, database: (cpuOf(pid) - backend) / size });
  }
  await database.close();
  const counted = builds.slice(1);
  const of = (part: 'service' | 'database') => median(counted.map((build) => build[part])).toFixed(1);
  const sums = counted.map((build) => build.service + build.database);
  const verdict = median(sums) <= TARGET_US ? 'met' : 'NOT met';
  process.stdout.write(
    `${counted.length} logs of ${EVENTS.toLocaleString('en')} events: ${of('service')} µs of CPU for an event in the service, ${of('database')} µs in the database\n` +
      `target: at most ${TARGET_US} µs: ${verdict} (median ${median(sums).toFixed(1)}, from ${Math.min(...sums).toFixed(1)} to ${Math.max(...sums).toFixed(1)})\n`,
  );
  if (verdict !== 'met') process.exitCode = 1;
}

/** Customers with deposits and withdrawals, whose events are those of a busy account. */
async function seed(database: Database, accountId: string, events: number): Promise<void> {
  const now = new Date();
  const customers: { bucket: number; externalId: string; availableId: string }[] = [];
  for (let made = 0; made < CUSTOMERS; made++) {
    const form = { type: 'unverified', firstName: 'Ada', lastName: 'Example', email: `${made}@example.com` } as const;
    const customer = await database.transaction((tx) => createCustomer(tx, { mode: 'sandbox', sealer }, accountId, form, now));
    await database.sql`update customer set status = 'verified', type = 'personal' where id = ${customer.id}`;
    customers.push({ bucket: customer.bucket, ...(await openFundingAccounts(database.sql, customer.id, 'USD', now))! });
  }
  for (let posted = 0; posted < events; posted += BATCH) {
    const transfers = Array.from({ length: BATCH }, (_, index): Transfer => {
      const { bucket, externalId, availableId } = customers[(posted + index) % CUSTOMERS]!;
      const id = newId(bucket);
      return {
        ...{ id, kind: 'deposit', accountId, fromId: externalId, toId: availableId, amount: 100n, currency: 'USD' },
        ...{ reference: undefined, event: { id: newId(bucket), topic: 'customer_deposit_created' } },
        ...{ resource: { type: 'deposit', id }, idempotency: undefined },
      };
    });
    const outcomes = await postTransfers(database.sql, transfers, { now });
    if (outcomes.some(({ code }) => code !== 'posted')) throw new Error(`a deposit was refused: ${JSON.stringify(outcomes[0])}`);
  }
}

/** The CPU time of a process in microseconds. */
function cpuOf(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * TICK_US;
}
