// Load for a service that will be killed: reallocations, each with its own key and reference, and their outcomes.
import assert from 'node:assert/strict';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { reallocation } from '../support/data.ts';
import { type Answer, request } from '../support/http.ts';
import type { Random } from '../support/random.ts';

/** A customer and labels between which money is moved. */
export type CustomerLabels = { customer: string; labels: string[] };

/** unknown: no response, or 503; the reallocation may be stored. */
export type Outcome = 'unknown' | 'acknowledged' | 'refused';

export type Attempt = {
  key: string;
  reference: string;
  from: string;
  to: string;
  cents: number;
  /** When it was made, by performance.now(). */
  madeMs: number;
  outcome: Outcome;
  /** URL of the reallocation, once acknowledged. */
  location: string | undefined;
};

export type Endpoint = { port: number; token: string };

/** A response; `nothing` when the request may have arrived; `unsent` when the connection was refused. */
type Reply = Answer | 'nothing' | 'unsent';

/** Sends attempts over its own connections until it is closed. */
export type Caller = { send(attempt: Attempt): Promise<Reply>; close(): void };

const TIMEOUT_MS = 20_000;
const PAUSE_AFTER_FAILURE_MS = 20;
const CENTS = { most: 500, tooMuch: 100_000_000 };
const TOO_MUCH_SHARE = 0.02;

/** Opens a caller; a response after the timeout counts as none. */
export function openCaller({ port, token }: Endpoint, timeoutMs: number = TIMEOUT_MS): Caller {
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

/** Starts clients that send one reallocation after another; `stop` waits for the last responses. */
export function startLoad(callers: Caller[], customers: CustomerLabels[], random: Random, clients: number, name: string) {
  const attempts: Attempt[] = [];
  let stopping = false;
  let count = 0;

  /** Sends an attempt, again while the connection is refused. */
  async function send(attempt: Attempt, caller: Caller): Promise<boolean> {
    let reply = await caller.send(attempt);
    for (; reply === 'unsent' && !stopping; reply = await caller.send(attempt)) await sleep(PAUSE_AFTER_FAILURE_MS);
    if (reply === 'unsent') return false;
    attempts.push(attempt);
    return recordAnswer(attempt, reply);
  }

  const choices = Array.from({ length: clients }, () => random.fork());
  const running = Promise.all(
    choices.map(async (random, client) => {
      while (!stopping) {
        const attempt = newAttempt(random, customers, `${name}-${count++}`);
        const isSettled = await send(attempt, callers[client % callers.length]!);
        if (!isSettled) await sleep(PAUSE_AFTER_FAILURE_MS);
      }
    }),
  );
  // `stop` reports the error; meanwhile the other clients stop.
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

/** Records a response; returns false when the outcome stays unknown. Fails on a response that no database outage explains. */
export function recordAnswer(attempt: Attempt, answer: Reply): answer is Answer {
  if (typeof answer === 'string' || answer.status === 503) return false;
  if (answer.status === 201) {
    if (attempt.outcome === 'acknowledged') assert.equal(answer.headers.location, attempt.location, 'the same response again');
    attempt.outcome = 'acknowledged';
    attempt.location = answer.headers.location;
    return true;
  }
  assert.deepEqual([answer.status, answer.body?._embedded?.errors?.[0]?.code], [400, 'InsufficientFunds'], answer.text);
  assert.notEqual(attempt.outcome, 'acknowledged', 'an acknowledged reallocation is refused when it is repeated');
  attempt.outcome = 'refused';
  return true;
}

/** A reallocation between two labels of one of the customers; some are of more than the label has. */
export function newAttempt(random: Random, customers: CustomerLabels[], name: string): Attempt {
  const { labels } = random.pick(customers);
  const from = random.pick(labels);
  const to = random.pick(labels.filter((label) => label !== from));
  const cents = random.chance(TOO_MUCH_SHARE) ? CENTS.tooMuch : random.int(1, CENTS.most);
  return {
    key: `key-${name}`,
    reference: name,
    from,
    to,
    cents,
    madeMs: performance.now(),
    outcome: 'unknown',
    location: undefined,
  };
}
