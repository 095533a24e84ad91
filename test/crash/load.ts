// Load for a service that is about to be killed: reallocations, each with a key and a reference of its own, and what was heard of each.
import assert from 'node:assert/strict';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, request } from '../support/http.ts';
import type { Random } from '../support/random.ts';
import { reallocation } from '../support/service.ts';

/** Labels of one customer, between which money is moved. */
export type Place = { customer: string; labels: string[] };

/** unknown: no answer came, or 503, which leaves open whether it is there. */
export type Outcome = 'unknown' | 'acknowledged' | 'refused';

export type Attempt = {
  key: string;
  reference: string;
  from: string;
  to: string;
  cents: number;
  outcome: Outcome;
  /** Of the reallocation, once acknowledged. */
  location: string | undefined;
};

export type Door = { port: number; token: string };

/** An answer; none, though the request may have arrived; or nobody was there to take it. */
export type Heard = Answer | 'nothing' | 'unsent';

/** What a client does with a door: calls it over connections of its own, until it is closed. */
export type Caller = { send(attempt: Attempt): Promise<Heard>; close(): void };

const TIMEOUT_MS = 20_000;
const PAUSE_AFTER_FAILURE_MS = 20;
const CENTS = { most: 500, tooMuch: 100_000_000 };
const TOO_MUCH_SHARE = 0.02;

/** Opens a door for callers; an answer that does not come in time is none. */
export function openCaller({ port, token }: Door, timeoutMs: number = TIMEOUT_MS): Caller {
  const agent = new http.Agent({ keepAlive: true });
  return {
    send({ key, reference, from, to, cents }) {
      const body = { ...reallocation(from, to, (cents / 100).toFixed(2)), reference };
      const signal = AbortSignal.timeout(timeoutMs);
      return request({ agent, port, method: 'POST', path: '/label-reallocations', token, body, key, signal }).catch(
        (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? 'unsent' : 'nothing'),
      );
    },
    close: () => agent.destroy(),
  };
}

/** Clients that send one reallocation after the other until they are stopped, which waits for the last answers. */
export function startLoad(callers: Caller[], places: Place[], random: Random, clients: number, name: string) {
  const attempts: Attempt[] = [];
  let stopping = false;
  let count = 0;

  /** Sends an attempt once there is somebody to take it. */
  async function send(attempt: Attempt, caller: Caller): Promise<boolean> {
    let heard = await caller.send(attempt);
    for (; heard === 'unsent' && !stopping; heard = await caller.send(attempt)) await sleep(PAUSE_AFTER_FAILURE_MS);
    if (heard === 'unsent') return false;
    attempts.push(attempt);
    return hear(attempt, heard);
  }

  const choices = Array.from({ length: clients }, () => random.fork());
  const running = Promise.all(
    choices.map(async (random, client) => {
      while (!stopping) {
        const attempt = newAttempt(random, places, `${name}-${count++}`);
        const isSettled = await send(attempt, callers[client % callers.length]!);
        if (!isSettled) await sleep(PAUSE_AFTER_FAILURE_MS);
      }
    }),
  );
  // Told by `stop`; until then nobody sends more.
  running.catch(() => {
    stopping = true;
  });
  return {
    attempts,
    async stop(): Promise<Attempt[]> {
      stopping = true;
      await running;
      return attempts;
    },
  };
}

/** Notes an answer; false when it leaves the outcome unknown. Fails on an answer that no fault of the database may cause. */
export function hear(attempt: Attempt, answer: Heard): answer is Answer {
  if (typeof answer === 'string' || answer.status === 503) return false;
  if (answer.status === 201) {
    if (attempt.outcome === 'acknowledged') assert.equal(answer.headers.location, attempt.location, 'the same answer again');
    attempt.outcome = 'acknowledged';
    attempt.location = answer.headers.location;
    return true;
  }
  assert.deepEqual([answer.status, answer.body?._embedded?.errors?.[0]?.code], [400, 'InsufficientFunds'], answer.text);
  assert.notEqual(attempt.outcome, 'acknowledged', 'an acknowledged reallocation is refused when it is repeated');
  attempt.outcome = 'refused';
  return true;
}

function newAttempt(random: Random, places: Place[], name: string): Attempt {
  const { labels } = random.pick(places);
  const from = random.pick(labels);
  const to = random.pick(labels.filter((label) => label !== from));
  const cents = random.chance(TOO_MUCH_SHARE) ? CENTS.tooMuch : random.int(1, CENTS.most);
  return { key: `key-${name}`, reference: name, from, to, cents, outcome: 'unknown', location: undefined };
}
