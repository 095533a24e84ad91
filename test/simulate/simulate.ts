// A simulation: random operations of several accounts with faults in between, every response compared with a model.

import { clusterPorts } from '../cluster/databases.ts';
import { openRandom, type Random } from '../support/random.ts';
import { assertSoundLedger } from '../support/sound-ledger.ts';
import type { TestScope } from '../support/test-scope.ts';
import * as allocations from './allocations.ts';
import * as batches from './batches.ts';
import { moveAtOnce } from './burst.ts';
import * as clock from './clock.ts';
import * as holds from './holds.ts';
import * as labels from './labels.ts';
import { type Account, type Customer, live } from './model.ts';
import * as money from './money.ts';
import * as monitors from './monitors.ts';
import * as notifications from './notifications.ts';
import * as people from './people.ts';
import { assertReconciled } from './reconciliation.ts';
import * as returns from './returns.ts';
import * as schedules from './schedules.ts';
import { listFiltered } from './texts.ts';
import { resubmit } from './verification.ts';
import { type Fault, openWorld, type World } from './world.ts';

type SimulationFigures = {
  steps: number;
  operations: Record<string, number>;
  faults: Record<Fault, number>;
  events: number;
};

/** One operation: its weight, whether it is possible now, and its execution. */
type Operation = {
  weight: number;
  run(world: World, account: Account, customer: Customer): Promise<void>;
  when?(customer: Customer, account: Account): boolean;
};

const READY_SHARE = 0.75;
/** Of steps. */
const VERIFIED_EVERY = 1000;
/** So that there is money to move from the start, where the first customer may have it. */
const BEGINNING = ['deposit', 'deposit', 'createLabel', 'createLabel', 'createLabel'];

const hasLabel = (customer: Customer) => live(customer).length > 0;
const hasHold = (customer: Customer) => customer.holds.length > 0;
const watched = (customer: Customer) => customer.labels.filter((label) => label.monitors.length > 0);
const hasOwner = (customer: Customer) => customer.owners.length > 0;
const someLabel = (world: World, customer: Customer) => world.random.pick(customer.labels);
const someSubject = (world: World, customer: Customer) => {
  const owner = world.random.chance(0.7) && hasOwner(customer) ? world.random.pick(customer.owners) : undefined;
  return { customer, owner };
};

/** Prefers complete data that is accepted. */
const someWaiting = (world: World, account: Account, customer: Customer) =>
  world.random.pick([customer, ...account.customers.filter(({ status }) => status === 'retry' || status === 'unverified')]);

const operations: Record<string, Operation> = {
  createCustomer: { weight: 3, run: (world, account) => people.createCustomer(world, account) },
  readCustomer: { weight: 3, run: people.readCustomer },
  listCustomers: { weight: 2, run: (world, account) => people.listCustomers(world, account) },
  changeCustomer: { weight: 2, run: people.changeCustomer },
  resubmit: { weight: 3, run: (world, account, customer) => resubmit(world, account, someWaiting(world, account, customer)) },
  changeStatus: { weight: 4, run: people.changeStatus },
  meddle: { weight: 2, run: people.meddle },
  deposit: { weight: 5, run: money.deposit },
  returnDeposit: { weight: 5, when: ({ deposits }) => deposits.length > 0, run: returns.returnDeposit },
  returnWithdrawal: { weight: 4, when: ({ withdrawals }) => withdrawals.length > 0, run: returns.returnWithdrawal },
  setRule: { weight: 3, when: hasLabel, run: allocations.setRule },
  previewDeposit: { weight: 2, run: allocations.previewDeposit },
  withdraw: { weight: 3, run: money.withdraw },
  readBalance: { weight: 4, run: money.readBalance },
  createLabel: { weight: 6, run: labels.createLabel, when: ({ status }) => status !== 'unverified' },
  removeLabel: {
    weight: 3,
    when: hasLabel,
    run: (world, account, customer) => labels.removeLabel(world, account, world.random.pick(live(customer))),
  },
  changeLabel: {
    weight: 2,
    when: hasLabel,
    run: (world, account, customer) => labels.changeLabel(world, account, someLabel(world, customer)),
  },
  createMonitor: {
    weight: 2,
    when: hasLabel,
    run: (world, account, customer) => monitors.createMonitor(world, account, someLabel(world, customer)),
  },
  deleteMonitor: {
    weight: 1,
    when: (customer) => watched(customer).length > 0,
    run: (world, account, customer) => monitors.deleteMonitor(world, account, world.random.pick(watched(customer))),
  },
  listMonitors: {
    weight: 1,
    when: hasLabel,
    run: (world, account, customer) => monitors.listMonitors(world, account, world.random.pick(live(customer))),
  },
  readCrossings: { weight: 1, run: monitors.readSometimes },
  createHold: { weight: 8, run: holds.createHold },
  captureHold: { weight: 8, when: hasHold, run: holds.captureHold },
  releaseHold: { weight: 3, when: hasHold, run: holds.releaseHold },
  listHolds: { weight: 3, run: holds.listHolds },
  createSchedule: { weight: 4, when: schedules.mayCreateSchedule, run: schedules.createSchedule },
  changeSchedule: { weight: 2, when: (customer) => customer.schedules.length > 0, run: schedules.changeSchedule },
  advanceClock: {
    weight: 2,
    when: (_, account) => clock.mayAdvance(account),
    run: (world, account) => clock.advanceClock(world, account),
  },
  listFiltered: { weight: 4, run: listFiltered },
  listLabels: { weight: 3, run: labels.listLabels },
  enterLedger: {
    weight: 6,
    when: hasLabel,
    run: (world, account, customer) => money.enterLedger(world, account, customer, someLabel(world, customer)),
  },
  listEntries: {
    weight: 4,
    when: hasLabel,
    run: (world, account, customer) => money.listEntries(world, account, someLabel(world, customer)),
  },
  move: { weight: 12, when: hasLabel, run: money.move },
  moveAtOnce: { weight: 6, when: hasLabel, run: moveAtOnce },
  reverse: { weight: 6, when: ({ moves }) => moves.length > 0, run: batches.reverse },
  moveInBatch: { weight: 8, when: ({ labels }) => labels.length > 1, run: batches.moveInBatch },
  listMoves: { weight: 2, run: money.listMoves },
  steal: { weight: 1, when: hasLabel, run: money.steal },
  createOwner: { weight: 4, run: people.createOwner },
  listOwners: { weight: 2, run: people.listOwners },
  changeOwner: {
    weight: 2,
    when: hasOwner,
    run: (world, account, customer) => people.changeOwner(world, account, customer, world.random.pick(customer.owners)),
  },
  removeOwner: {
    weight: 1,
    when: hasOwner,
    run: (world, account, customer) => people.removeOwner(world, account, customer, world.random.pick(customer.owners)),
  },
  certify: { weight: 1, run: people.certify },
  readOwnership: { weight: 1, run: people.readOwnership },
  submitDocument: {
    weight: 1,
    run: (world, account, customer) => people.submitDocument(world, account, someSubject(world, customer)),
  },
  reviewDocument: { weight: 1, run: reviewSome },
  listDocuments: {
    weight: 1,
    run: (world, account, customer) => people.listDocuments(world, account, someSubject(world, customer)),
  },
  readNewestEvents: { weight: 2, run: (world, account) => notifications.readNewestEvents(world, account) },
  createSubscription: { weight: 1, run: (world, account) => notifications.createSubscription(world, account) },
  listSubscriptions: { weight: 1, run: (world, account) => notifications.listSubscriptions(world, account) },
  changeSubscription: { weight: 1, run: (world, account) => notifications.changeSubscription(world, account) },
  renewToken: { weight: 1, run: (world, account) => notifications.renewToken(world, account) },
  repeat: { weight: 4, run: (world) => notifications.repeat(world) },
  readRoot: { weight: 1, run: (world, account) => notifications.readRoot(world, account) },
};

/** Runs a number of steps from a seed. Fails at the first response that differs from the model, and names the step. */
export async function simulate(t: TestScope, { seed, steps }: { seed: number; steps: number }): Promise<SimulationFigures> {
  const random = openRandom(seed);
  const world = await openWorld(t, random);
  const done: Record<string, number> = {};
  for (const account of world.accounts) {
    await notifications.subscribe(world, account);
    for (const begin of BEGINNING) {
      if (account.customers.length === 0) await people.createCustomer(world, account);
      await operations[begin]!.run(world, account, account.customers[0]!);
    }
    await settleEvents(world, account);
  }
  for (let step = 1; step <= steps; step++) {
    await world.disturb();
    const account = random.pick(world.accounts);
    const customer = pickCustomer(random, account);
    const name = pickOperation(random, account, customer);
    done[name] = (done[name] ?? 0) + 1;
    try {
      for (const one of world.accounts) await clock.avoidExpiry(world, one);
      await operations[name]!.run(world, account, customer);
      await settleEvents(world, account);
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step}: ${name}`, { cause: error });
    }
    if (step % VERIFIED_EVERY === 0) await assertVerified(world);
  }
  for (const account of world.accounts) await assertAll(world, account);
  for (const account of world.accounts) await assertReconciled(world, account);
  await assertVerified(world);
  const events = world.accounts.reduce((sum, account) => sum + account.events.length, 0);
  return { steps, operations: done, faults: world.faults, events };
}

async function assertVerified(world: World): Promise<void> {
  await assertSoundLedger(world.service().service.database);
}

/** On a cluster, the order of events of two customers is that in which they reach the feed. Reading it lets them reach it now. */
async function settleEvents(world: World, account: Account): Promise<void> {
  if (clusterPorts) await world.get(account, '/events?limit=1');
}

/** Prefers customers with labels. */
function pickCustomer(random: Random, { customers }: Account): Customer {
  const ready = customers.filter((customer) => hasLabel(customer) && customer.status === 'verified');
  return random.pick(ready.length > 0 && random.chance(READY_SHARE) ? ready : customers);
}

function pickOperation(random: Random, account: Account, customer: Customer): string {
  const possible = Object.entries(operations).filter(([, { when }]) => !when || when(customer, account));
  return random.pick(possible.flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name)));
}

async function reviewSome(world: World, account: Account, customer: Customer): Promise<void> {
  const subjects = [undefined, ...customer.owners].map((owner) => ({ customer, owner }));
  const all = subjects.flatMap((subject) =>
    (subject.owner?.documents ?? customer.documents).map((document) => ({ subject, document })),
  );
  if (all.length === 0) return people.submitDocument(world, account, someSubject(world, customer));
  const { subject, document } = world.random.pick(all);
  await people.reviewDocument(world, account, subject, document);
}

/** Reads everything of an account once more. */
async function assertAll(world: World, account: Account): Promise<void> {
  for (const customer of account.customers) {
    await people.readCustomer(world, account, customer);
    await money.readBalance(world, account, customer);
    for (const label of customer.labels) await money.listEntries(world, account, label);
  }
  await notifications.assertEvents(world, account);
  await notifications.assertDelivered(world, account);
}
