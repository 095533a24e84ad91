// A service under simulation: repeats requests until they are answered, through restarts, broken connections and ended database
// sessions.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, assertRefused, type Body, type Options } from '../support/http.ts';
import type { Random } from '../support/random.ts';
import { startService, type TestService } from '../support/service.ts';
import type { TestScope } from '../support/test-scope.ts';
import { startReceiver } from '../support/webhooks.ts';
import type { Account } from './model.ts';

/** An answered POST, to be repeated. */
type Past = { account: Account; path: string; options: Options; status: number; location: string | undefined };

type Refused = Parameters<typeof assertRefused>[1];

export type World = {
  /** Ends with it. */
  scope: TestScope;
  random: Random;
  accounts: Account[];
  past: Past[];
  receiver: Awaited<ReturnType<typeof startReceiver>>;
  service(): TestService;
  /** How often each fault occurred. */
  faults: Record<Fault, number>;
  /** Repeats a request until the status is not 503; `retried` means that an earlier attempt may have had an effect. */
  ask(account: Account, method: string, path: string, options?: Options): Promise<{ answer: Answer; retried: boolean }>;
  /** Creates with a key: the Location, or the refusal, compared with the expected one. */
  create(account: Account, path: string, body: unknown, refused?: Refused, options?: Options): Promise<string>;
  /** The body of an existing resource. */
  get(account: Account, path: string): Promise<Body>;
  /** Causes a fault, sometimes. */
  disturb(): Promise<void>;
};

const FAULTS = ['restart', 'backends', 'cut'] as const;
export type Fault = (typeof FAULTS)[number];

const FAULT_SHARE = 0.02;
/** Of creations, which ask for the new resource in the response. */
const PREFER_SHARE = 0.1;
const CUT_WITHIN_MS = 15;
const ANSWER_WITHIN_MS = 60_000;
const PAUSE_MS = 20;
/** On a busy machine, a start can fail because it gets no connection in time. */
const STARTS_MAX = 10;
const START_PAUSE_MS = 1_000;
const ACCOUNTS = 3;
const ENV = { SANDBOX_REVIEW_DELAY_MS: '86400000', WEBHOOK_ALLOW_PRIVATE: 'true', TOKEN_TTL_SECONDS: '86400', LOG_LEVEL: 'warn' };

/** Opens a world with some accounts; it ends with `t`. */
export async function openWorld(t: TestScope, random: Random): Promise<World> {
  const first = await startService(t, { env: ENV });
  const disturbed = openDisturbed(t, first, random);
  const past: Past[] = [];
  const ask = openAsk(disturbed, past);
  const accounts: Account[] = [];
  for (let n = 0; n < ACCOUNTS; n++) {
    accounts.push({ client: await first.newClient(), customers: [], subscriptions: [], events: [], aheadMs: 0 });
  }
  const get: World['get'] = async (account, path) => {
    const { answer } = await ask(account, 'GET', path);
    assert.equal(answer.status, 200, `${path} ${answer.text}`);
    return answer.body;
  };
  return {
    scope: t,
    random,
    accounts,
    past,
    receiver: await startReceiver(t),
    service: disturbed.service,
    faults: disturbed.faults,
    ask,
    async create(account, path, body, refused, options) {
      const prefers = random.chance(PREFER_SHARE);
      const given: Options = options ?? { body };
      const headers = { ...given.headers, ...(prefers && { prefer: 'return=representation' }) };
      const { answer } = await ask(account, 'POST', path, { ...given, headers });
      if (refused) {
        assertRefused(answer, refused);
        return '';
      }
      assert.equal(answer.status, 201, answer.text);
      const location = answer.headers.location!;
      if (prefers) {
        assert.equal(answer.headers['preference-applied'], 'return=representation');
        assert.deepEqual(answer.body, await get(account, location));
      }
      return location;
    },
    get,
    disturb: disturbed.disturb,
  };
}

/** Calls a service that is restarted, and whose connections break, when `disturb` is called. */
function openDisturbed(t: TestScope, first: TestService, random: Random) {
  let service = first;
  let cutMs: number | undefined;
  const faults = { restart: 0, backends: 0, cut: 0 };

  async function restart(): Promise<void> {
    await service.stop();
    for (let left = STARTS_MAX; ; left--) {
      try {
        service = await startService(t, { beside: first, env: { ...ENV, PUBLIC_URL: first.url } });
        return;
      } catch (error) {
        if (left === 0) throw error;
        await sleep(START_PAUSE_MS);
      }
    }
  }

  async function disturb(): Promise<void> {
    if (!random.chance(FAULT_SHARE)) return;
    const fault = random.pick(FAULTS);
    faults[fault] += 1;
    if (fault === 'restart') await restart();
    if (fault === 'cut') cutMs = random.int(0, CUT_WITHIN_MS);
    if (fault === 'backends') {
      await service.sql`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    }
  }

  async function once(account: Account, method: string, path: string, options: Options): Promise<Answer | undefined> {
    const ms = cutMs;
    cutMs = undefined;
    const sent = { token: account.client.token, ...options };
    if (ms === undefined) return service.call(method, path, sent);
    return service.call(method, path, { ...sent, signal: AbortSignal.timeout(ms) }).catch((error: Error) => {
      if (error.name !== 'AbortError' && error.name !== 'TimeoutError') throw error;
      return undefined;
    });
  }

  return { service: () => service, faults, disturb, once };
}

/** Returns a function that repeats a request until the status is not 503, and records answered POSTs. */
function openAsk({ once }: Pick<ReturnType<typeof openDisturbed>, 'once'>, past: Past[]): World['ask'] {
  let keys = 0;
  return async (account, method, path, options = {}) => {
    const key = method === 'POST' ? { key: `key-${keys++}` } : {};
    const kept = { ...key, ...options };
    const deadline = performance.now() + ANSWER_WITHIN_MS;
    for (let retried = false; ; retried = true) {
      const answer = await once(account, method, path, kept);
      if (answer && answer.status !== 503) {
        if (method === 'POST' && answer.status < 300) {
          const location = answer.headers.location;
          past.push({ account, path, options: kept, status: answer.status, location });
        }
        return { answer, retried };
      }
      assert.ok(performance.now() < deadline, `no answer to ${method} ${path}: ${answer?.status}`);
      await sleep(PAUSE_MS);
    }
  };
}
