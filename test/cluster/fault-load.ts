// Load that goes on while requests are not answered: clients that send reallocations at a steady pace, and what each customer was answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attempt, type Caller, type CustomerLabels, newAttempt, recordAnswer } from '../crash/load.ts';
import type { Random } from '../support/random.ts';
import type { TestScope } from '../support/test-scope.ts';
import { HANGS_MS, waitUntil } from '../support/wait.ts';

/** `status` is 0 for a request without a response. Times are those of `performance.now()`. */
export type Call = { attempt: Attempt; customer: string; sentMs: number; answeredMs: number; status: number };

export type Load = {
  /** The calls that ended, in the order of their ends. */
  calls: Call[];
  /** Waits until each customer has this many settled answers to calls that are sent from now on. */
  served(count?: number): Promise<void>;
  /** The number of settled answers per second to some customers in a time. */
  rate(customers: Set<string>, fromMs: number, toMs: number): number;
  /** Waits for the last responses. */
  stop(): Promise<Attempt[]>;
};

const CLIENTS_EACH = 2;
const PACE_MS = 100;
/** A client that is not answered in this time sends its next request, as users do who do not wait for each other. */
const PATIENCE_MS = 200;
const TOO_MANY_REQUESTS = 429;

/** Starts the load, which ends with `t`, so that a test that fails leaves nothing running. */
export function startFaultLoad(
  t: TestScope,
  { caller, customers, random, name }: { caller: Caller; customers: CustomerLabels[]; random: Random; name: string },
): Load {
  const calls: Call[] = [];
  const inFlight = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let stopping = false;
  let count = 0;

  async function send(attempt: Attempt, customer: string): Promise<void> {
    const sentMs = performance.now();
    const reply = await caller.send(attempt);
    const status = typeof reply === 'string' ? 0 : reply.status;
    if (status !== TOO_MANY_REQUESTS) recordAnswer(attempt, reply);
    calls.push({ attempt, customer, sentMs, answeredMs: performance.now(), status });
  }

  /** A wrong answer stops all clients, and `stop` reports it. */
  function fail(error: unknown): void {
    failures.push(error);
    stopping = true;
  }

  async function runClient(labels: CustomerLabels, random: Random): Promise<void> {
    await sleep(random.int(0, PACE_MS));
    while (!stopping) {
      const sending = send(newAttempt(random, [labels], `${name}-${count++}`), labels.customer).catch(fail);
      inFlight.add(sending);
      const done = sending.finally(() => inFlight.delete(sending));
      await Promise.all([sleep(PACE_MS), Promise.race([done, sleep(PATIENCE_MS)])]);
    }
  }

  const clients = Promise.all(
    customers.flatMap((labels) => Array.from({ length: CLIENTS_EACH }, () => runClient(labels, random.fork()))),
  );
  async function end(): Promise<void> {
    stopping = true;
    await clients;
    await Promise.all(inFlight);
  }

  t.after(end);
  return {
    calls,
    async served(count = 1) {
      const fromMs = performance.now();
      const answered = ({ customer }: CustomerLabels) =>
        calls.filter((call) => call.customer === customer && call.sentMs >= fromMs && isSettled(call.status)).length;
      const all = () => {
        if (failures.length > 0) throw failures[0];
        return customers.every((one) => answered(one) >= count);
      };
      await waitUntil('every customer is served', all, HANGS_MS);
    },
    rate(customers, fromMs, toMs) {
      const settled = calls.filter(
        ({ customer, answeredMs, status }) =>
          answeredMs >= fromMs && answeredMs < toMs && isSettled(status) && customers.has(customer),
      );
      return (settled.length * 1000) / (toMs - fromMs);
    },
    async stop() {
      await end();
      if (failures.length > 0) throw failures[0];
      return calls.map(({ attempt }) => attempt);
    },
  };
}

/** Whether an answer tells what happened to the reallocation. */
export function isSettled(status: number): boolean {
  return status === 201 || status === 400;
}
