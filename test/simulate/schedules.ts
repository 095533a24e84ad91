// Simulated schedules, and what becomes of their occurrences when the clock of an account passes them.
import assert from 'node:assert/strict';
import { assertRefused, type Body } from '../support/http.ts';
import {
  type Account,
  amountOf,
  balanceOf,
  type Customer,
  type ExpectedEvent,
  enter,
  LABEL_GONE,
  type Schedule,
  spendable,
} from './model.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Beyond the moments that are avoided (clock.ts). */
const FIRST_MINUTES = { least: 6, most: 120 };
/** Of an account: the clock moves past each occurrence, and has to find a moment between them. */
const SCHEDULES_MAX = 12;
const ONCE_SHARE = 0.7;
const OTHER_CURRENCIES = { status: 400, code: 'ValidationError', fault: 'Invalid', path: '/_links/to/href' };
const NO_OCCURRENCE = { status: 400, code: 'ValidationError', path: '/rule' };
const ENDED = { status: 403, code: 'InvalidResourceState' };

type Result = { status: 'ran' | 'skipped' | 'failed'; reason?: string; amount?: number };

export function mayCreateSchedule({ labels }: Customer, { customers }: Account): boolean {
  const going = customers.flatMap(({ schedules }) => schedules.filter(({ status }) => status !== 'ended'));
  return labels.length > 1 && going.length < SCHEDULES_MAX;
}

/** Once, or each day, at a time that comes soon. */
export async function createSchedule(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const from = random.pick(customer.labels);
  const to = random.pick(customer.labels.filter((label) => label !== from));
  const kind = random.pick(['value', 'all', 'above', 'upTo'] as const);
  const amount = random.int(1, Math.max(10, Math.round(balanceOf(from) * 1.2)));
  const ifInsufficient = random.pick(['skip', 'partial', 'fail'] as const);
  const once = random.chance(ONCE_SHARE);
  const first = Date.now() + account.aheadMs + random.int(FIRST_MINUTES.least, FIRST_MINUTES.most) * MINUTE_MS;
  const start = Math.floor(first / 1000) * 1000;
  const body = {
    _links: { from: { href: from.url }, to: { href: to.url } },
    amount: kind === 'all' ? { value: 'all' } : { ...termsOf(kind, amount, from.currency), currency: from.currency },
    ...{
      rule: once ? 'FREQ=DAILY;COUNT=1' : 'FREQ=DAILY',
      start: new Date(start).toISOString().slice(0, 19),
      timeZone: 'UTC',
      ifInsufficient,
    },
  };
  const refused = from.removed || to.removed ? LABEL_GONE : from.currency === to.currency ? undefined : OTHER_CURRENCIES;
  const url = await world.create(account, `${customer.url}/schedules`, body, refused);
  if (refused) return;
  const id = url.slice(url.lastIndexOf('/') + 1);
  const schedule: Schedule = {
    ...{ url, id, from, to, kind, amount, ifInsufficient, once },
    ...{ status: 'active', next: start, endReason: undefined },
  };
  customer.schedules.push(schedule);
  await assertSchedule(world, account, schedule);
}

const termsOf = (kind: 'value' | 'above' | 'upTo', amount: number, currency: string) => ({
  [kind]: amountOf(amount, currency).value,
});

/** Pauses, resumes or ends a schedule, or changes what it moves. */
export async function changeSchedule(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const schedule = random.pick(customer.schedules);
  if (random.chance(0.2)) return endSchedule(world, account, schedule);
  const { currency } = schedule.from;
  const what = random.pick(['pause', 'resume', 'amount'] as const);
  const amount = random.int(1, 5_000);
  const body = what === 'amount' ? { amount: amountOf(amount, currency) } : { paused: what === 'pause' };
  const { answer } = await world.ask(account, 'POST', schedule.url, { body });
  if (schedule.status === 'ended') return assertRefused(answer, ENDED);
  const isOver = schedule.once && schedule.next <= Date.now() + account.aheadMs;
  if (what === 'resume' && isOver) return assertRefused(answer, NO_OCCURRENCE);
  assert.equal(answer.status, 200, answer.text);
  if (what === 'amount') Object.assign(schedule, { kind: 'value', amount });
  if (what === 'pause') schedule.status = 'paused';
  if (what === 'resume' && schedule.status === 'paused') {
    schedule.status = 'active';
    // Those that passed during the pause do not run.
    while (schedule.next <= Date.now() + account.aheadMs) schedule.next += DAY_MS;
  }
  await assertSchedule(world, account, schedule);
}

async function endSchedule(world: World, account: Account, schedule: Schedule): Promise<void> {
  const { answer, retried } = await world.ask(account, 'DELETE', schedule.url);
  // A DELETE has no key: repeated after it was cut off, it is refused.
  if (schedule.status === 'ended' || (retried && answer.status === 403)) assertRefused(answer, ENDED);
  else assert.equal(answer.status, 200, answer.text);
  if (schedule.status !== 'ended') Object.assign(schedule, { status: 'ended', endReason: 'Ended' });
  await assertSchedule(world, account, schedule);
}

async function assertSchedule(world: World, account: Account, schedule: Schedule): Promise<Body> {
  const found = await world.get(account, schedule.url);
  const { status, next, endReason } = schedule;
  const moment = status === 'active' ? new Date(next).toISOString() : undefined;
  assert.deepEqual([found.status, found.next, found.endReason], [status, moment, endReason], schedule.url);
  return found;
}

/** The active schedules of an account that are due at a moment, by customer. */
function dueOf(account: Account, moment: number): [Customer, Schedule[]][] {
  return account.customers.map((customer) => [
    customer,
    customer.schedules.filter(({ status, next }) => status === 'active' && next <= moment),
  ]);
}

export function comingOccurrences({ customers }: Account): number[] {
  return customers.flatMap(({ schedules }) => schedules.filter(({ status }) => status === 'active').map(({ next }) => next));
}

/** Runs in the model what is due until a moment, compares it with the service, and returns the events of each customer in their order. */
export async function runDue(world: World, account: Account, moment: number): Promise<ExpectedEvent[][]> {
  const events: ExpectedEvent[][] = [];
  for (const [customer, due] of dueOf(account, moment)) {
    const own: ExpectedEvent[] = [];
    while (due.some(({ status, next }) => status === 'active' && next <= moment)) {
      due.sort((a, b) => a.next - b.next || (a.id < b.id ? -1 : 1));
      const schedule = due.find(({ status }) => status === 'active')!;
      const result = decide(customer, schedule);
      own.push(...(await record(world, account, customer, schedule, result)));
      schedule.next += DAY_MS;
      const endReason = result.reason === 'LabelRemoved' ? 'LabelRemoved' : schedule.once ? 'Finished' : undefined;
      if (endReason) Object.assign(schedule, { status: 'ended', endReason });
    }
    for (const schedule of due) await assertSchedule(world, account, schedule);
    events.push(own);
  }
  return events;
}

function decide(customer: Customer, { from, to, kind, amount, ifInsufficient }: Schedule): Result {
  if (from.removed || to.removed) return { status: 'failed', reason: 'LabelRemoved' };
  if (customer.status !== 'verified') return { status: 'failed', reason: 'CustomerNotVerified' };
  const available = spendable(customer, from);
  const wanted = { value: amount, all: available, above: available - amount, upTo: amount - balanceOf(to) }[kind];
  if (wanted <= 0) return { status: 'skipped', reason: 'NothingToMove' };
  if (wanted <= available) return { status: 'ran', amount: wanted };
  if (ifInsufficient === 'partial' && available > 0) return { status: 'ran', amount: available };
  return { status: ifInsufficient === 'fail' ? 'failed' : 'skipped', reason: 'InsufficientFunds' };
}

/** Compares the stored occurrence with its result, and returns its events. */
async function record(
  world: World,
  account: Account,
  customer: Customer,
  { url, from, to, next }: Schedule,
  { status, reason, amount }: Result,
): Promise<ExpectedEvent[]> {
  const at = new Date(next).toISOString();
  const list = await world.get(account, `${url}/occurrences?from=${at}&to=${at}`);
  const [found, ...others] = list._embedded['schedule-occurrences'];
  const shown = amount === undefined ? undefined : amountOf(amount, from.currency);
  assert.deepEqual(
    [others.length, found?.at, found?.status, found?.reason, found?.amount],
    [0, at, status, reason, shown],
    `${url} ${at}`,
  );
  const reported = { topic: `customer_schedule_${status}` };
  if (amount === undefined) return [{ ...reported, resource: url }];
  const resource = found._links['label-reallocation'].href;
  enter(from, -amount, undefined);
  enter(to, amount, undefined);
  customer.moves.push({ url: resource, from, to, amount, currency: from.currency, reference: '', reversed: 0 });
  return [
    { topic: 'customer_label_reallocation_created', resource },
    { ...reported, resource },
  ];
}
