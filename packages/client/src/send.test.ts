// Tests of the client's retries, timeouts and token handling when the network or the service fails.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import { startService } from '../../../test/support/service.ts';
import { ConnectionError, Earmark, EarmarkError, type EarmarkOptions, ServiceUnavailableError } from './client.ts';

type Sent = { method: string; path: string; key: string | null; tag: string | null };
/** Replaces one request; it may still send the request. */
type Fault = (through: () => Promise<Response>, signal: AbortSignal) => Promise<Response>;

const HOUR_MS = 3_600_000;

let shiftMs = 0;
const service = await startService({ after }, { clock: { now: () => new Date(Date.now() + shiftMs) } });
const customer = await service.newCustomer({ available: '1000.00' });
const label = await service.newLabel(customer);

test('repeats a request whose answer was lost with the same key, for one effect', async () => {
  const { earmark, sent } = open({ faults: [lose, lose] });
  const made = await earmark.ledgerEntries.create(label, { amount: usd('1.00'), reference: 'lost twice' });
  assert.equal(made.replayed, true);
  const posts = sent.filter(({ path }) => path !== '/token');
  assert.equal(posts.length, 3);
  assert.match(posts[0]!.key!, /^[0-9a-f-]{36}$/);
  assert.deepEqual(new Set(posts.map(({ key }) => key)).size, 1);
  const entries = await earmark.ledgerEntries.list(label).all();
  assert.equal(entries.filter(({ reference }) => reference === 'lost twice').length, 1);
});

test('each call sends its own key, or the one given', async () => {
  const { earmark, sent } = open();
  const form = { amount: usd('0.01') };
  const first = await earmark.ledgerEntries.create(label, form);
  const second = await earmark.ledgerEntries.create(label, form);
  assert.notEqual(first.id, second.id);
  const third = await earmark.ledgerEntries.create(label, form, { idempotencyKey: 'mine' });
  const again = await earmark.ledgerEntries.create(label, form, { idempotencyKey: 'mine' });
  assert.deepEqual(again, { ...third, replayed: true });
  assert.deepEqual(
    sent.slice(-2).map(({ key }) => key),
    ['mine', 'mine'],
  );
  assert.equal(new Set(sent.map(({ key }) => key)).size, 4, 'the token request sends none, two were generated, one was given');
});

test('waits as long as Retry-After says, in seconds or as a date, and retries 502 and 504', async () => {
  for (const [status, after, leastMs] of [
    [429, '1', 950],
    [503, () => new Date(Date.now() + 2000).toUTCString(), 950],
    [503, '0', 0],
    [502, undefined, 90],
    [504, undefined, 90],
  ] as const) {
    const { earmark, sent } = open({ faults: [refuse(status, after)] });
    const begin = performance.now();
    await earmark.labels.get(label);
    assert.equal(sent.length, 3, `${status}: the token and two attempts`);
    assert.ok(performance.now() - begin >= leastMs, `${status}: waited`);
  }
});

test('asks for what it has read with its tag, and reads it again only when it has changed', async () => {
  const { earmark, sent, statuses } = open();
  const changing = await service.newLabel(customer, '1.00');
  const checkpoint = () => earmark.accounts.checkpoint(service.client.account_id);
  const before = await earmark.labels.get(changing);
  assert.deepEqual(await earmark.labels.get(changing), before);
  assert.equal((await earmark.labels.balance(changing)).sequence, 1);
  await earmark.labels.update(changing, { name: 'Other' });
  assert.equal((await earmark.labels.get(changing)).name, 'Other');
  const entries = earmark.ledgerEntries.list(changing);
  assert.deepEqual(await entries.page(), await entries.page());
  assert.match(await checkpoint(), /^.+\n\d+\n/);
  assert.deepEqual(statuses(), [200, 200, 304, 200, 200, 200, 200, 304, 200]);
  assert.ok(sent.every(({ method, tag }) => method === 'GET' || tag === null));
  // A result that the caller changes is not what the next caller gets.
  const mine = await earmark.labels.get(changing);
  mine.name = 'mine';
  assert.equal((await earmark.labels.get(changing)).name, 'Other');
});

test('keeps at most a hundred texts, and no long ones', async () => {
  const { earmark, statuses } = open();
  const first = await earmark.labels.get(label);
  for (let limit = 1; limit <= 100; limit++) await earmark.ledgerEntries.list(label, { limit }).page();
  assert.deepEqual(await earmark.labels.get(label), first);
  assert.equal(statuses().at(-1), 200, 'the oldest is forgotten');
  assert.deepEqual(await earmark.labels.get(label), first);
  assert.equal(statuses().at(-1), 304);
});

test('gives up after the configured number of attempts and throws the last refusal', async () => {
  const { earmark, sent } = open({ faults: Array(9).fill(refuse(503, '0', 'ServiceUnavailable')) });
  const error = await caught(earmark.labels.get(label));
  assert.ok(error instanceof ServiceUnavailableError);
  assert.equal(error.retryAfterSeconds, 0);
  assert.equal(sent.length, 1 + 4);
});

test('throws an error with the key when no attempt was answered', async () => {
  const { earmark } = open({ faults: Array(9).fill(lose) });
  const error = await caught(earmark.ledgerEntries.create(label, { amount: usd('1.00') }));
  assert.ok(error instanceof ConnectionError);
  assert.match(
    error.message,
    /^POST \/labels\/[0-9a-f-]{36}\/ledger-entries: no response after 4 attempts \(ECONNRESET\); to find out whether it took effect, retry with idempotencyKey [0-9a-f-]{36}$/,
  );
  const settled = await open().earmark.ledgerEntries.create(
    label,
    { amount: usd('1.00') },
    { idempotencyKey: error.idempotencyKey! },
  );
  assert.equal(settled.replayed, true);
});

test('counts an attempt that times out as unanswered', async () => {
  const { earmark, sent } = open({ timeoutMs: 1000, faults: [hang] });
  await earmark.labels.get(label);
  // On a busy machine, answers may also take longer than that.
  assert.ok(sent.length >= 3, `${sent.length}`);
});

test('does not repeat a permanent refusal, nor one that asks to wait longer than a minute', async () => {
  for (const fault of [refuse(400), refuse(404), refuse(409), refuse(500), refuse(429, '61')]) {
    const { earmark, sent } = open({ faults: [fault] });
    await assert.rejects(earmark.labels.get(label), EarmarkError);
    assert.equal(sent.length, 2);
  }
});

test('does not repeat a removal without an answer, as the second would find nothing', async () => {
  const { earmark, sent } = open({ faults: [lose] });
  const empty = await service.newLabel(customer);
  const error = await caught(earmark.labels.remove(empty));
  assert.ok(error instanceof ConnectionError);
  assert.match(error.message, /^DELETE \/labels\/[0-9a-f-]{36}: no response \(ECONNRESET\)$/);
  assert.equal(sent.length, 2);
  const busy = open({ faults: [refuse(429, '0')] });
  assert.ok((await busy.earmark.labels.remove(await service.newLabel(customer))).id);
});

test('an answer that is not from the service gives an error that quotes its start', async () => {
  const { earmark } = open({ faults: [async () => new Response('<html>\n  <h1>Blocked</h1>', { status: 403 })] });
  await assert.rejects(earmark.labels.get(label), {
    name: 'EarmarkError',
    code: 'Unexpected',
    message: `GET ${new URL(label).pathname}: <html> <h1>Blocked</h1> (403 Unexpected)`,
  });
});

test('an abort signal ends a call during and between attempts', async () => {
  const { earmark } = open({ faults: [refuse(503, '30')] });
  const reason = new Error('enough');
  const controller = new AbortController();
  const waiting = earmark.labels.get(label, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 50);
  await assert.rejects(waiting, reason);
  const { earmark: hanging } = open({ maxRetries: 0, faults: [hang] });
  await assert.rejects(hanging.labels.get(label, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
});

test('an abort signal ends the wait for a token for its own call only', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const late: Fault = async (through) => {
    asked.resolve();
    await answered.promise;
    return through();
  };
  const { earmark, sent } = open({ tokenFaults: [late] });
  const controller = new AbortController();
  const ended = earmark.labels.get(label, { signal: controller.signal });
  const other = earmark.labels.get(label);
  await asked.promise;
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(ended, reason);
  answered.resolve();
  await other;
  assert.equal(sent.length, 2, 'one token request, and the call that was not aborted');
});

test('concurrent callers share one token, and later calls reuse it', async () => {
  const { earmark, sent } = open();
  await Promise.all(Array.from({ length: 20 }, () => earmark.labels.get(label)));
  await earmark.labels.get(label);
  assert.equal(sent.filter(({ path }) => path === '/token').length, 1);
  const own = await fetch(label, { headers: { authorization: `Bearer ${await earmark.accessToken()}` } });
  assert.equal(own.status, 200);
});

test('replaces a token a tenth of its lifetime, or a minute, before it expires', async (t) => {
  const { earmark, sent } = open();
  const tokens = () => sent.filter(({ path }) => path === '/token').length;
  await earmark.labels.get(label);
  const realNow = Date.now;
  t.after(() => {
    Date.now = realNow;
  });
  Date.now = () => realNow() + HOUR_MS - 90_000;
  await earmark.accessToken();
  assert.equal(tokens(), 1);
  Date.now = () => realNow() + HOUR_MS - 59_000;
  await Promise.all([earmark.accessToken(), earmark.accessToken()]);
  assert.equal(tokens(), 2);
});

test('replaces an expired token once for all callers and repeats their requests', async (t) => {
  const { earmark, sent } = open();
  await earmark.labels.get(label);
  t.after(() => {
    shiftMs = 0;
  });
  // The clock of the service is ahead of the client's.
  shiftMs = 2 * HOUR_MS;
  await Promise.all(Array.from({ length: 5 }, () => earmark.labels.get(label)));
  assert.equal(sent.filter(({ path }) => path === '/token').length, 2);

  const expired = refuse(401, undefined, 'ExpiredAccessToken');
  const stubborn = open({ faults: [expired, expired, expired] });
  await assert.rejects(stubborn.earmark.labels.get(label), { name: 'ExpiredAccessTokenError' });
  assert.equal(stubborn.sent.filter(({ path }) => path !== '/token').length, 2);
});

test('replaces a revoked token', async () => {
  const { earmark, sent } = open();
  const { client_id, client_secret } = service.client;
  const form = new URLSearchParams({ client_id, client_secret, token: await earmark.accessToken() }).toString();
  assert.equal((await service.send('POST', '/token/revoke', { form })).status, 200);
  await Promise.all([earmark.labels.get(label), earmark.labels.get(label)]);
  assert.equal(sent.filter(({ path }) => path === '/token').length, 2);
});

test('does not keep a failed token request', async () => {
  const { earmark } = open({ maxRetries: 0, tokenFaults: [lose] });
  await assert.rejects(earmark.labels.get(label), ConnectionError);
  assert.ok((await earmark.labels.get(label)).id);
});

/** Sends the request to the service and loses its answer. */
async function lose(through: () => Promise<Response>): Promise<Response> {
  await (await through()).text();
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
}

/** Gives no answer, for as long as the caller waits. */
function hang(_through: unknown, signal: AbortSignal): Promise<Response> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

function refuse(status: number, retryAfter?: string | (() => string), code = 'Refused'): Fault {
  return async () => {
    const after = typeof retryAfter === 'function' ? retryAfter() : retryAfter;
    return Response.json({ code, message: 'Refused.' }, { status, headers: after === undefined ? {} : { 'retry-after': after } });
  };
}

/** A client whose first requests hit these faults, one each; token requests have separate faults. */
function open(
  given: Pick<Partial<EarmarkOptions>, 'maxRetries' | 'timeoutMs'> & { faults?: Fault[]; tokenFaults?: Fault[] } = {},
) {
  const { faults = [], tokenFaults = [], ...options } = given;
  const sent: Sent[] = [];
  const received: number[] = [];
  const watched = async (url: Parameters<typeof fetch>[0], init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    const { pathname: path } = new URL(String(url));
    sent.push({ method: init.method!, path, key: headers.get('idempotency-key'), tag: headers.get('if-none-match') });
    const fault = (path === '/token' ? tokenFaults : faults).shift();
    const response = await (fault ? fault(() => fetch(url, init), init.signal!) : fetch(url, init));
    received.push(response.status);
    return response;
  };
  const { client_id, client_secret } = service.client;
  const credentials = { url: service.url, clientId: client_id, clientSecret: client_secret };
  return {
    earmark: new Earmark({ ...credentials, maxRetries: 3, ...options, fetch: watched }),
    sent,
    statuses: () => [...received],
  };
}

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail('the call was not refused'),
    (error: unknown) => error,
  );
}
