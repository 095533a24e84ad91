// The clock of a simulated account, and what expires and is due by it.
import assert from 'node:assert/strict';
import type { Account, ExpectedEvent, Hold } from './model.ts';
import { readNewest } from './notifications.ts';
import { comingOccurrences, runDue } from './schedules.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** In a day, reviews of documents become due, keys and tokens expire, and a checkpoint is announced, which the model does not have. */
const AHEAD_MAX_MS = 20 * HOUR_MS;
const ADVANCE_MINUTES = { least: 5, most: 40 };
/** Longer than a step with its repetitions takes. */
const MARGIN_MS = 2 * MINUTE_MS;

export const mayAdvance = ({ aheadMs }: Account) => aheadMs < AHEAD_MAX_MS;

export async function advanceClock(world: World, account: Account): Promise<void> {
  await advance(world, account, world.random.int(ADVANCE_MINUTES.least, ADVANCE_MINUTES.most) * MINUTE_MS);
}

/** Moves the clock past a moment at which a hold expires or a schedule is due soon: neither happens during a step. */
export async function avoidExpiry(world: World, account: Account): Promise<void> {
  while (coming(account).some((moment) => moment < Date.now() + account.aheadMs + MARGIN_MS))
    await advance(world, account, 2 * MARGIN_MS);
}

async function advance(world: World, account: Account, wantedMs: number): Promise<void> {
  const now = Date.now() + account.aheadMs;
  let byMs = wantedMs;
  // The service reads its clock later than the model.
  while (coming(account).some((moment) => moment > now + byMs && moment < now + byMs + MARGIN_MS)) byMs += MARGIN_MS;
  const { answer } = await world.ask(account, 'POST', '/sandbox/clock', { body: { advanceSeconds: byMs / 1000 } });
  account.aheadMs += byMs;
  assert.deepEqual([answer.status, answer.body.aheadSeconds], [200, account.aheadMs / 1000], answer.text);
  const expired = pendingHolds(account).filter(({ expires }) => expires <= now + byMs);
  for (const hold of expired) hold.status = 'expired';
  const scheduled = await runDue(world, account, now + byMs);
  const wanted = [...expired.map(({ url }) => ({ topic: 'customer_hold_expired', resource: url })), ...scheduled.flat()];
  const events = await readNewest(world, account, wanted.length);
  assert.deepEqual(sorted(events), sorted(wanted));
  // Those of a customer are in their order, between those of others.
  for (const own of scheduled) assert.deepEqual(events.filter(isIn(own)), own);
  account.events.push(...events);
}

const keyOf = ({ topic, resource }: ExpectedEvent) => `${topic} ${resource}`;
const sorted = (events: ExpectedEvent[]) => events.map(keyOf).sort();

function isIn(events: ExpectedEvent[]): (event: ExpectedEvent) => boolean {
  const keys = new Set(events.map(keyOf));
  return (event) => keys.has(keyOf(event));
}

function coming(account: Account): number[] {
  return [...pendingHolds(account).map(({ expires }) => expires), ...comingOccurrences(account)];
}

function pendingHolds({ customers }: Account): Hold[] {
  return customers.flatMap(({ holds }) => holds.filter(({ status }) => status === 'pending'));
}
