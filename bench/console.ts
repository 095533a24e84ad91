// `npm run bench -- console`: the time of every page of the console with 100,000 customers and a million transfers.
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createAccount } from '../src/resources/accounts/account.ts';
import { type Subjects, TRANSFERS_EACH, writeData } from './console-data.ts';
import { runLoad } from './load.ts';
import { cpuSeconds } from './processes.ts';
import { reallocations } from './requests.ts';
import { openStage, type Stage } from './stage.ts';
import { median } from './statistics.ts';
import { columns } from './tables.ts';

const QUICK = process.argv.includes('--quick');
const SIZES = QUICK
  ? { customers: 5_000, webhooks: 5_000, documents: 100, audited: 5_000 }
  : { customers: 100_000, webhooks: 100_000, documents: 2_000, audited: 100_000 };
const TARGET_MS = 200;
const TIMES = 9;
const PAIRS = QUICK ? 2 : 7;
const WINDOW_MS = 4_000;
const CONNECTIONS = 64;
/** A person who reads a page for half a second. */
const READING_MS = 500;
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

type Page = { name: string; path: string };
/** `cpuMs`: of the service and the database for one load, with what they do in the background. */
type Timed = Page & { firstMs: number; medianMs: number; slowestMs: number; cpuMs: number };

const stage = await openStage();
try {
  const { id: accountId } = await createAccount(stage.database.sql, 'Bench of pages');
  const begin = performance.now();
  const subjects = await writeInto(stage.databaseUrl, accountId);
  const transfers = (SIZES.customers * TRANSFERS_EACH).toLocaleString('en');
  const seconds = ((performance.now() - begin) / 1000).toFixed(0);
  process.stdout.write(`${SIZES.customers.toLocaleString('en')} customers, ${transfers} transfers, written in ${seconds} s\n\n`);
  const cookie = await signIn(stage);
  const timed: Timed[] = [];
  for (const page of pagesAbout(subjects, stage)) timed.push(await time(page, cookie));
  report(timed);
  await reportBesideReallocations(timed, cookie);
} finally {
  await stage.close();
}

async function writeInto(connectionString: string, accountId: string): Promise<Subjects> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await writeData(client, accountId, SIZES);
  } finally {
    await client.end();
  }
}

function pagesAbout(subjects: Subjects, { credentials }: Stage): Page[] {
  const { customer, transfer, label, deposit, subscription, delivery, document } = subjects;
  const of = (name: string, path: string) => ({ name, path: `/console${path}` });
  const move = `/money/move?customer=${customer}&from=outside&to=available&amount=12.50&currency=USD`;
  return [
    of('Overview', ''),
    of('Review: queue', '/review'),
    of('Review: a document', `/review/${document}`),
    of('Review: decided', '/review/decided'),
    of('Customers', '/customers'),
    of('Customers: what is new', `/customers/live?after=${customer}`),
    of('Customers: next page', `/customers?after=${customer}`),
    of('Customers: a part of a name', '/customers?search=Trading+4321'),
    of('Customers: a name nobody has', '/customers?search=zzzzzz'),
    of('Customers: an e-mail', '/customers?search=office777@example.com'),
    of('Customers: an id', `/customers?search=${customer}`),
    of('Customers: suspended', '/customers?status=suspended'),
    of('Customers: deactivated (none)', '/customers?status=deactivated'),
    of('A customer', `/customers/${customer}`),
    of('A customer: suspend', `/customers/${customer}/suspend`),
    of('A customer: ledger', `/customers/${customer}/ledger`),
    of('A customer: ledger of a kind', `/customers/${customer}/ledger?kind=reallocation`),
    of('A label: ledger', `/money/accounts/${label}`),
    of('A label: ledger as of a day', `/money/accounts/${label}?until=${DAY}`),
    of('A label: a part of a reference', `/money/accounts/${label}?text=INV`),
    of('A customer: hold money', `/customers/${customer}/holds/new`),
    of('A customer: schedule a move', `/customers/${customer}/schedules/new`),
    of('A customer: divide deposits', `/customers/${customer}/allocation-rules/new`),
    of('A customer: watch a balance', `/customers/${customer}/monitors/new`),
    of('Find: pages and actions', '/find'),
    of('Find: a part of a name', '/find?q=Trading+4321'),
    of('Find: a name nobody has', '/find?q=zzzzzz'),
    of('Find: an id', `/find?q=${transfer}`),
    of('Find: a reference', '/find?q=INV-1234-5'),
    of('Find: a reference of 100,000', '/find?q=Payroll'),
    of('Money', '/money'),
    of('Money: what is new', `/money/live?after=${transfer}`),
    of('Money: an id', `/money?search=${transfer}`),
    of('Money: a reference', '/money?search=INV-1234-5'),
    of('Money: a reference of 100,000', '/money?search=Payroll'),
    of('Money: its day too', `/money?search=Payroll&day=${DAY}`),
    of('Money: a correlation id', '/money?search=order+4321'),
    of('Money: an amount', '/money?amount=1.23'),
    of('Money: an amount nobody moved', '/money?amount=777777.77'),
    of('Money: a day', `/money?day=${DAY}`),
    of('Money: an amount on a day', `/money?amount=1.23&day=${DAY}`),
    of('A transfer', `/money/transfers/${transfer}`),
    of('A transfer: reverse', `/money/transfers/${transfer}/reverse?amount=1.00`),
    of('A deposit: return', `/money/transfers/${deposit}/return?amount=1.00&reason=R01`),
    of('Move money', move),
    of('Month close', '/close'),
    of('Webhooks', '/webhooks'),
    of('A subscription', `/webhooks/${subscription}`),
    of('A subscription: failed', `/webhooks/${subscription}?status=failed`),
    of('A delivery', `/webhooks/deliveries/${delivery}`),
    of('Applications', '/applications'),
    of('An application', `/applications/${credentials.client_id}`),
    of('An application: scopes', `/applications/${credentials.client_id}/scopes`),
    of('Operations', '/operations'),
    of('Operations: keys', '/operations/keys'),
    of('Sandbox', '/sandbox'),
    of('People', '/people'),
    of('Policies', '/policies'),
    of('Audit log', '/audit-log'),
    of('Audit log: a text', '/audit-log?text=nobody+wrote+this'),
    of('Audit log: an action', '/audit-log?action=run_job'),
    of('Audit log: an action nobody did', '/audit-log?action=move_money'),
    of('Your sign-in', '/account'),
  ];
}

/** Signs a new administrator in by a link, and returns the cookie. */
async function signIn({ start }: Stage): Promise<string> {
  const { line } = await start(['src/apps/cli/cli.ts', 'operator', 'create', 'Bench', '--role', 'admin', '--json']);
  const { link } = JSON.parse(line) as { link: string };
  const answer = await fetch(link, { method: 'POST', headers: SAME_ORIGIN, redirect: 'manual' });
  return answer.headers.getSetCookie()[0]!.split(';')[0]!;
}

/** Loads a page alone, one time after the other: from the request to the last byte. */
async function time(page: Page, cookie: string): Promise<Timed> {
  const load = async () => {
    const begin = performance.now();
    const answer = await fetch(stage.url + page.path, { headers: { ...SAME_ORIGIN, cookie } });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${page.path}: ${answer.status}`);
    return performance.now() - begin;
  };
  const firstMs = await load();
  const times: number[] = [];
  const before = cpuOf(stage);
  for (let count = 0; count < TIMES; count++) times.push(await load());
  const cpuMs = ((cpuOf(stage) - before) * 1000) / TIMES;
  return { ...page, firstMs, medianMs: median(times), slowestMs: Math.max(...times), cpuMs };
}

/** The rate of reallocations while a person goes through the pages, beside the rate without, and the processor time of the pages. */
async function reportBesideReallocations(timed: Timed[], cookie: string): Promise<void> {
  const next = reallocations(stage, 'uniform');
  const port = Number(new URL(stage.url).port);
  const rate = async () => {
    const load = await runLoad({ port, connections: CONNECTIONS, durationMs: WINDOW_MS, next });
    return (load.statuses.get(201) ?? 0) / (WINDOW_MS / 1000);
  };
  const rates: { alone: number; beside: number; cpuMs: number }[] = [];
  let page = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    const alone = await rate();
    let [reading, cpuMs] = [true, 0];
    const person = (async () => {
      for (; reading; page++) {
        const { path, cpuMs: ofPage } = timed[page % timed.length]!;
        await fetch(stage.url + path, { headers: { ...SAME_ORIGIN, cookie } }).then((answer) => answer.text());
        cpuMs += ofPage;
        await sleep(READING_MS);
      }
    })();
    const beside = await rate();
    reading = false;
    await person;
    rates.push({ alone, beside, cpuMs });
  }
  const fall = 1 - median(rates.map(({ alone, beside }) => beside / alone));
  const share = median(rates.map(({ cpuMs }) => cpuMs / (WINDOW_MS * availableParallelism())));
  const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
  process.stdout.write(
    `\nreallocations with ${CONNECTIONS} connections: ${median(rates.map(({ alone }) => alone)).toFixed(0)} a second; ${percent(fall)} less ` +
      `while a person goes through these pages, which take ${percent(share)} of the processor time\n`,
  );
}

function cpuOf({ pids }: Stage): number {
  const cpu = cpuSeconds(pids);
  return cpu ? cpu.service + cpu.server : 0;
}

/** A page that waits for processors which other programs use is judged by its own processor time. */
function report(timed: Timed[]): void {
  const rows = timed.map(({ name, firstMs, medianMs, slowestMs, cpuMs }) => [
    `  ${name}`,
    ...[firstMs, medianMs, slowestMs, cpuMs].map((ms) => ms.toFixed(0)),
    medianMs < TARGET_MS ? '' : 'NOT MET',
  ]);
  process.stdout.write(columns([['Page', 'first ms', 'median ms', 'slowest ms', 'CPU ms', ''], ...rows]));
  const load = loadavg()[0]!;
  const isBusy = load > availableParallelism() + 1;
  const missed = timed.filter(({ medianMs, cpuMs }) => (isBusy ? cpuMs : medianMs) >= TARGET_MS);
  const how = isBusy ? `by processor time, because of a load of ${load.toFixed(1)}` : `median of ${TIMES}`;
  process.stdout.write(`\ntarget: under ${TARGET_MS} ms each (${how}): ${missed.length === 0 ? 'met' : 'NOT met'}\n`);
  if (missed.length > 0) process.exitCode = 1;
}
