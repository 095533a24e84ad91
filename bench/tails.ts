// `npm run bench -- tails`: latencies in each second of an open loop at half of capacity, while the server makes checkpoints and vacuums, and
// the service checks its ledger, builds the log and delivers webhooks. `--seconds N`; `--quick` takes half a minute.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runLoad, runOpenLoad } from './load.ts';
import { deposits, reallocations } from './requests.ts';
import { openStage, type Stage } from './stage.ts';
import { latencies, quantile } from './statistics.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, seconds: { type: 'string', default: '600' } },
});
const SECONDS = values.quick ? 20 : Number(values.seconds);
const CAPACITY_MS = values.quick ? 3_000 : 20_000;
const CONNECTIONS = 64;
const WEBHOOKS_PER_SECOND = 200;
const CHECKPOINT_EVERY_MS = values.quick ? 5_000 : 60_000;
/** Such a table grows by more than autovacuum waits for. */
const VACUUM_EVERY_MS = values.quick ? 5_000 : 60_000;
const P99_OF_P50 = 6;
const SECOND_P99_MS = 100;
const TABLES = ['ledger_account', 'transfer', 'event', 'event_outbox'];
const BARS = '▁▂▃▄▅▆▇█';

const env = { WEBHOOK_ALLOW_PRIVATE: 'true', VERIFY_EVERY_SECONDS: '1' };
const receiver = await startReceiver();
const stage = await openStage({ env });
try {
  await subscribe(stage, receiver.url);
  const port = Number(new URL(stage.url).port);
  const next = reallocations(stage, 'uniform');
  const { perSecond: capacity } = await runLoad({ port, connections: CONNECTIONS, durationMs: CAPACITY_MS, next });
  const seconds = Array.from({ length: SECONDS }, (): number[] => []);
  const stopping = new AbortController();
  const beside = disturb(stage, stopping.signal);
  const customers = await stage.database.sql<{ id: string }>`select id from customer where status = 'verified'`;
  const webhooks = runOpenLoad({
    port,
    connections: 8,
    durationMs: SECONDS * 1000,
    next: deposits(
      stage,
      customers.map(({ id }) => id),
    ),
    perSecond: WEBHOOKS_PER_SECOND,
  });
  const load = await runOpenLoad({
    port,
    connections: CONNECTIONS,
    durationMs: SECONDS * 1000,
    next,
    perSecond: capacity / 2,
    onAnswer: ({ dueMs, latencyMs }) => seconds[Math.min(SECONDS - 1, Math.floor(dueMs / 1000))]!.push(latencyMs),
  });
  const paid = await webhooks;
  stopping.abort();
  const done = await beside;
  for (const { statuses } of [load, paid])
    if ([...statuses.keys()].some((status) => status !== 201)) throw new Error(`answered ${[...statuses]}: ${stage.lastError()}`);
  report({ capacity, seconds, done, delivered: receiver.received() });
} finally {
  await stage.close();
  receiver.close();
}

type Done = { checkpoints: number; vacuums: number };

function report({
  capacity,
  seconds,
  done,
  delivered,
}: {
  capacity: number;
  seconds: number[][];
  done: Done;
  delivered: number;
}): void {
  const p99s = seconds.map((one) => latencies([...one]).p99Ms);
  const { p50Ms, p99Ms } = latencies(seconds.flat());
  const worst = Math.max(...p99s.filter((p99) => !Number.isNaN(p99)));
  process.stdout.write(
    [
      `capacity ${capacity.toFixed(0)} per second; ${seconds.flat().length} reallocations at half of it in ${SECONDS} s`,
      `beside them ${done.checkpoints} checkpoints, ${done.vacuums} vacuums, the ledger check, the log, ${delivered} webhooks`,
      `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, the worst second ${worst.toFixed(1)} ms`,
      `p99 of each second, up to ${worst.toFixed(0)} ms:`,
      p99s.map((p99) => BARS[Math.min(BARS.length - 1, Math.floor((p99 / worst) * BARS.length))] ?? ' ').join(''),
      `${verdict(p99Ms <= P99_OF_P50 * p50Ms)} p99 at most ${P99_OF_P50} × p50: ${(p99Ms / p50Ms).toFixed(1)}`,
      `${verdict(worst <= SECOND_P99_MS)} no second with a p99 over ${SECOND_P99_MS} ms: ${quantile(
        [...p99s].sort((a, b) => a - b),
        1,
      ).toFixed(0)}`,
      '',
    ].join('\n'),
  );
}

function verdict(met: boolean): string {
  if (!met) process.exitCode = 1;
  return met ? 'met    ' : 'NOT met';
}

/** Makes checkpoints and vacuums until the signal. */
async function disturb({ database: { sql } }: Stage, signal: AbortSignal): Promise<Done> {
  const done = { checkpoints: 0, vacuums: 0 };
  const run = (statement: string) => sql(Object.assign([statement], { raw: [statement] }));
  const repeat = async (everyMs: number, work: () => Promise<unknown>) => {
    for (;;) {
      await sleep(everyMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await work();
    }
  };
  await Promise.all([
    repeat(CHECKPOINT_EVERY_MS, async () => {
      await run('checkpoint');
      done.checkpoints++;
    }),
    repeat(VACUUM_EVERY_MS, async () => {
      for (const table of TABLES) await run(`vacuum analyze ${table}`);
      done.vacuums += TABLES.length;
    }),
  ]);
  return done;
}

async function startReceiver() {
  let received = 0;
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      received++;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received: () => received, close: () => server.close().closeAllConnections() };
}

/** One webhook for each deposit. */
async function subscribe({ url, token }: Stage, receiverUrl: string): Promise<void> {
  const body = { url: receiverUrl, secret: 'a secret of the benchmark', topics: ['customer_deposit_created'] };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { status } = await fetch(`${url}/webhook-subscriptions`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (status !== 201) throw new Error(`the subscription was answered with ${status}`);
}
