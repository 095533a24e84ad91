// Simulated operations on events, webhooks and subscriptions, on tokens, and repeated requests.
import assert from 'node:assert/strict';
import { assertRefused, type Body } from '../support/http.ts';
import { waitUntil } from '../support/wait.ts';
import { type Account, type ExpectedEvent, MISSING, type Subscription } from './model.ts';
import { assertCrossings, CROSSED } from './monitors.ts';
import type { World } from './world.ts';

const MAX_SUBSCRIPTIONS = 10;
const PAGE = 200;
/** More are read than asked for, because some follow later. */
const NEWEST_LATER = 10;

/** Events that follow the feed, at any position. */
const LATER: readonly string[] = [CROSSED, 'account_audit_head_created', 'account_checkpoint_created'];

/** All events of an account, from the first, page by page. */
export async function assertEvents(world: World, account: Account): Promise<void> {
  await assertCrossings(world, account);
  const found: ExpectedEvent[] = [];
  let later = 0;
  for (let path: string | undefined = `/events?limit=${PAGE}&order=oldest`; path; ) {
    const body: Body = await world.get(account, path);
    const events = eventsIn(body);
    found.push(...events);
    later += body._embedded.events.length - events.length;
    path = body._links.next?.href;
    if (!path) assert.equal(body.total, account.events.length + later);
  }
  const known = account.events.map(({ topic, resource }, index) => ({ topic, resource: resource ?? found[index]?.resource }));
  assert.deepEqual(found, known);
}

export async function readNewestEvents(world: World, account: Account): Promise<void> {
  const wanted = account.events.slice(-world.random.int(1, 10));
  const found = await readNewest(world, account, wanted.length);
  assert.deepEqual(
    found.map(({ topic }) => topic),
    wanted.map(({ topic }) => topic),
  );
}

/** The newest events of an account, oldest first. */
export async function readNewest(world: World, account: Account, count: number): Promise<ExpectedEvent[]> {
  const found: ExpectedEvent[] = [];
  for (let path = `/events?limit=${Math.min(PAGE, count + NEWEST_LATER)}`; found.length < count; ) {
    const body = await world.get(account, path);
    found.push(...eventsIn(body));
    path = body._links.next?.href;
  }
  return found.slice(0, count).reverse();
}

function eventsIn({ _embedded }: Body): ExpectedEvent[] {
  return _embedded.events
    .filter(({ topic }: Body) => !LATER.includes(topic))
    .map(({ topic, _links }: Body) => ({ topic, resource: _links.resource.href }));
}

/** The subscription to every event of the account. */
export async function subscribe(world: World, account: Account): Promise<void> {
  await addSubscription(world, account, `${world.receiver.url}/${account.client.account_id}`);
}

export async function createSubscription(world: World, account: Account): Promise<void> {
  await addSubscription(world, account, `${world.receiver.url}/other-${account.subscriptions.length}`);
}

async function addSubscription(world: World, account: Account, target: string): Promise<void> {
  const topics = target.includes('other') ? world.random.pick([undefined, ['customer_created']]) : undefined;
  const full = account.subscriptions.length >= MAX_SUBSCRIPTIONS ? { status: 400, code: 'MaxNumberOfResources' } : undefined;
  const body = { url: target, secret: 'secret', ...(topics && { topics }) };
  const url = await world.create(account, '/webhook-subscriptions', body, full);
  if (!full) account.subscriptions.push({ url, target, topics, paused: false });
}

export async function listSubscriptions(world: World, account: Account): Promise<void> {
  const body = await world.get(account, '/webhook-subscriptions');
  const found = body._embedded['webhook-subscriptions'].map((one: Body) => [
    one._links.self.href,
    one.url,
    one.paused,
    one.topics,
  ]);
  const wanted = account.subscriptions.map(({ url, target, paused, topics }) => [url, target, paused, topics]);
  assert.deepEqual(found.toSorted(), wanted.toSorted());
}

/** Pauses, resumes, rotates the secret of, or removes a subscription other than the first. */
export async function changeSubscription(world: World, account: Account): Promise<void> {
  const others = account.subscriptions.slice(1);
  if (others.length === 0) return createSubscription(world, account);
  const subscription = world.random.pick(others);
  const what = world.random.pick(['pause', 'secret', 'remove']);
  if (what === 'remove') return removeSubscription(world, account, subscription);
  const paused = !subscription.paused;
  const [path, body] = what === 'pause' ? [subscription.url, { paused }] : [`${subscription.url}/secrets`, { secret: 'another' }];
  const { answer } = await world.ask(account, 'POST', path, { body });
  assert.equal(answer.status, 200, answer.text);
  if (what === 'pause') subscription.paused = paused;
  assert.equal((await world.get(account, subscription.url)).paused, subscription.paused);
}

async function removeSubscription(world: World, account: Account, subscription: Subscription): Promise<void> {
  const { answer, retried } = await world.ask(account, 'DELETE', subscription.url);
  if (retried && answer.status === 404) assertRefused(answer, MISSING);
  else assert.equal(answer.status, 200, answer.text);
  account.subscriptions.splice(account.subscriptions.indexOf(subscription), 1);
  assertRefused((await world.ask(account, 'GET', subscription.url)).answer, MISSING);
}

/** Waits until every event was delivered to the receiver, with the same id for every duplicate. */
export async function assertDelivered(world: World, account: Account): Promise<void> {
  const ids = new Set<string>();
  for (let next: string | undefined = `/events?limit=${PAGE}&order=oldest`; next; ) {
    const page: Body = await world.get(account, next);
    for (const { id } of page._embedded.events) ids.add(id);
    next = page._links.next?.href;
  }
  const received = () => world.receiver.received.filter(({ body }) => ids.has(body.id));
  await waitUntil(
    `${ids.size} events are delivered`,
    () => new Set(received().map(({ body }) => body.id)).size === ids.size,
    60_000,
  );
}

/** A new token works until it is revoked. */
export async function renewToken(world: World, account: Account): Promise<void> {
  const { client_id, client_secret } = account.client;
  const service = world.service();
  const form = (fields: Record<string, string>) => ({
    token: undefined,
    form: new URLSearchParams({ client_id, client_secret, ...fields }).toString(),
  });
  const token = (await world.ask(account, 'POST', '/token', form({ grant_type: 'client_credentials' }))).answer.body.access_token;
  assert.equal((await world.ask(account, 'GET', '/', { token })).answer.status, 200);
  assert.equal((await world.ask(account, 'POST', '/token/revoke', form({ token }))).answer.status, 200);
  const { answer } = await world.ask(account, 'GET', '/', { token });
  assertRefused(answer, { status: 401, code: 'InvalidAccessToken' });
  assert.equal(service.client.account_id.length, 36);
}

/** Repeats an earlier request with its key: the same response and no new effect, and a conflict with another body. */
export async function repeat(world: World): Promise<void> {
  const keyed = world.past.filter(({ options, location }) => options.key && location && options.body !== undefined);
  if (keyed.length === 0) return;
  const { account, path, options, status, location } = world.random.pick(keyed);
  const same = await world.service().call('POST', path, { token: account.client.token, ...options });
  if (same.status === 503) return;
  assert.deepEqual(
    [same.status, same.headers.location, same.headers['idempotent-replayed']],
    [status, location, 'true'],
    `${path} ${same.text}`,
  );
  if ('preference-applied' in same.headers) assert.deepEqual(same.body, await world.get(account, location!));
}

export async function readRoot(world: World, account: Account): Promise<void> {
  const { _links } = await world.get(account, '/');
  assert.ok(_links.account.href.endsWith(account.client.account_id));
  assert.equal((await world.get(account, _links.account.href)).id, account.client.account_id);
}
