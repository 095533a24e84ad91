// Requests to a target that is killed meanwhile, and what is stored when it is back.
import assert from 'node:assert/strict';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../../src/platform/db/unavailable.ts';
import { type Answer, request } from '../support/http.ts';
import { waitUntil } from '../support/wait.ts';
import type { Target } from './target.ts';

const ANSWER_WITHIN_MS = 60_000;
const PAUSE_MS = 20;

/** The answer, or undefined if there was none, or 503. */
export async function send({ endpoint }: Target, path: string, key: string, body: unknown): Promise<Answer | undefined> {
  const { port, token } = endpoint;
  const agent = http.globalAgent;
  const answer = await request({ agent, port, method: 'POST', path, token, body, key }).catch(() => undefined);
  return answer?.status === 503 ? undefined : answer;
}

/** Sends a request until it is answered. */
export async function settled(target: Target, path: string, key: string, body: unknown): Promise<Answer> {
  const deadline = performance.now() + ANSWER_WITHIN_MS;
  for (;;) {
    const answer = await send(target, path, key, body);
    if (answer) return answer;
    assert.ok(performance.now() < deadline, `no answer to ${path}`);
    await sleep(PAUSE_MS);
  }
}

/** Reads again when the connection is lost: the server ends its other processes a moment after one was killed. */
export async function readStored<T>(read: () => Promise<T>): Promise<T> {
  return waitUntil('the database answers', () => read().catch(undefinedIfAway));
}

function undefinedIfAway(error: unknown): undefined {
  if (!isDatabaseUnavailable(error)) throw error;
}
