// Simulated balance monitors, and what they report after the feed.
import assert from 'node:assert/strict';
import { assertRefused, type Body } from '../support/http.ts';
import { waitUntil } from '../support/wait.ts';
import { type Account, amountOf, balanceOf, isBeyond, type Label, MISSING, TOO_MANY } from './model.ts';
import type { World } from './world.ts';

export const CROSSED = 'customer_label_balance_crossed';

const MONITORS_MAX = 20;
const READ_SHARE = 0.2;
const MOST = 40_000;
const WITHIN_MS = 60_000;
const DELETED = { status: 403, code: 'InvalidResourceState', message: 'The balance monitor is deleted.' };

export async function createMonitor(world: World, account: Account, label: Label): Promise<void> {
  const { random } = world;
  const { currency } = label;
  const direction = random.pick(['below', 'above'] as const);
  const threshold = random.int(1, Math.max(100, Math.min(MOST, balanceOf(label) * 2)));
  const apart = random.chance(0.5) ? random.int(1, MOST) : 0;
  const rearm = direction === 'below' ? threshold + apart : Math.max(0, threshold - apart);
  const full = label.monitors.filter(({ deleted }) => !deleted).length >= MONITORS_MAX;
  const refused = label.removed ? MISSING : full ? TOO_MANY : undefined;
  const body = { [direction]: amountOf(threshold, currency), ...(apart > 0 && { rearm: amountOf(rearm, currency) }) };
  const url = await world.create(account, `${label.url}/monitors`, body, refused);
  if (refused) return;
  const armed = !isBeyond({ direction, threshold }, balanceOf(label));
  label.monitors.push({ url, direction, threshold, rearm, armed, deleted: false, last: undefined });
}

export async function deleteMonitor(world: World, account: Account, label: Label): Promise<void> {
  const monitor = world.random.pick(label.monitors);
  const { answer, retried } = await world.ask(account, 'DELETE', monitor.url);
  if (monitor.deleted || (retried && answer.status === 403)) assertRefused(answer, DELETED);
  else assert.equal(answer.status, 200, answer.text);
  monitor.deleted = true;
}

export async function listMonitors(world: World, account: Account, label: Label): Promise<void> {
  const body = await world.get(account, `${label.url}/monitors?limit=200`);
  const wanted = label.monitors.filter(({ deleted }) => !deleted).map(({ url }) => url);
  assert.deepEqual(
    body._embedded.monitors.map((one: Body) => one._links.self.href),
    wanted.reverse(),
  );
}

/** Rarely, because it reads all events. */
export async function readSometimes(world: World, account: Account): Promise<void> {
  if (world.random.chance(READ_SHARE)) await assertCrossings(world, account);
}

/**
 * Waits until each customer's crossings are those of the model, in its order. A monitor that was deleted may have missed the last ones
 * before, which nobody had evaluated yet.
 */
export async function assertCrossings(world: World, account: Account): Promise<void> {
  const monitors = account.customers.flatMap(({ labels }) => labels.flatMap((label) => label.monitors));
  const deleted = new Set(monitors.filter((monitor) => monitor.deleted).map(({ url }) => url));
  const owners = new Map(
    account.customers.flatMap((customer) =>
      customer.labels.flatMap((label) => label.monitors.map(({ url }) => [url, customer] as const)),
    ),
  );
  const wanted = account.customers.map(({ crossings }) => crossings.filter((url) => !deleted.has(url)));
  const kept = await waitUntil(
    'the monitors are evaluated',
    async () => {
      const found = Map.groupBy(await readCrossings(world, account), (url) => owners.get(url));
      const kept = account.customers.map((customer) => (found.get(customer) ?? []).filter((url) => !deleted.has(url)));
      return kept.every((urls, index) => urls.length >= wanted[index]!.length) && kept;
    },
    WITHIN_MS,
  );
  assert.deepEqual(kept, wanted);
  for (const monitor of monitors) {
    const { armed, last } = monitor;
    const { lastCrossing } = await world.get(account, monitor.url);
    if (monitor.deleted) continue;
    assert.equal(lastCrossing === undefined, last === undefined);
    // No event says that a monitor is armed again.
    const isEvaluated = async () => (await world.get(account, monitor.url)).state === (armed ? 'armed' : 'crossed');
    await waitUntil('the state of a monitor is that of the model', isEvaluated, WITHIN_MS);
  }
}

async function readCrossings(world: World, account: Account): Promise<string[]> {
  const found: string[] = [];
  for (let path: string | undefined = `/events?topic=${CROSSED}&limit=200&order=oldest`; path; ) {
    const body: Body = await world.get(account, path);
    for (const { _links } of body._embedded.events) found.push(_links.resource.href);
    path = body._links.next?.href;
  }
  return found;
}
