// Makes the fixture of a release: `earmark backup` of a small service with one of everything, and its responses.
// Not part of the suite; test/upgrade.test.ts uses the fixture. `npm run fixture:release` makes it again; once released, it stays
// unchanged.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { amountOf, customerForm, reallocation } from './support/data.ts';
import type { Body } from './support/http.ts';
import { idOf } from './support/http.ts';
import { openSession } from './support/operators.ts';
import { ROOT } from './support/paths.ts';
import { picture } from './support/pictures.ts';
import { runCli, settingsOf } from './support/process.ts';
import type { TestScope } from './support/test-scope.ts';
import { openUploads } from './support/uploads.ts';
import { waitUntil } from './support/wait.ts';
import { type Receiver, startReceiver } from './support/webhooks.ts';

/** Requests to the restored service, and the responses of the release. */
export type ReleaseRecord = {
  time: string;
  client: { client_id: string; client_secret: string };
  /** Issued by the release, for a day from `time`. */
  token: string;
  answers: Record<string, Body>;
  /** A reallocation that was made with a key. */
  moved: { key: string; body: Body; location: string };
  labels: [from: string, to: string];
  owner: string;
  /** The document whose clean copy has this SHA-256. */
  picture: { id: string; sha256: string };
  /** An event, and the ids of those that followed it. */
  feed: { after: string; ids: string[] };
  /** SHA-256 of each migration as released. */
  migrations: Record<string, string>;
};

export const FIXTURE = join(import.meta.dirname, 'fixtures/release-0.1');
/** Encrypts this fixture only. */
export const FIXTURE_KEY = Buffer.from('seals the fixture, and no other.').toString('base64');
export const PUBLIC_URL = 'https://pay.example.com';

const DAY_SECONDS = '86400';
/** Tables that may be empty: leftovers, finished work, tables that only a moved clock or a plan fills, and those of keys and lists of states. */
const MAY_BE_EMPTY = [
  ...[
    'account_clock',
    'audit_head',
    'document_check_lease',
    'event_outbox',
    'job',
    'log_announcement',
    'loose_content',
    'operator_attempt',
    'operator_kept',
    'operator_session',
  ],
  ...['planned_fault', 'webhook_due', 'machine_acceptance'],
  ...['application_key', 'transfer_evidence', 'used_proof', 'master_list', 'revocation_list', 'state_certificate'],
];

export function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

export function migrationDigests(): Record<string, string> {
  const names = globSync('*.sql', { cwd: join(ROOT, 'migrations') }).sort();
  return Object.fromEntries(names.map((name) => [name, digest(join(ROOT, 'migrations', name))]));
}

// test/upgrade.test.ts imports the definitions above only.
if (process.env.FIXTURE_WRITE) test('the fixture of a release', make);

async function make(t: TestScope): Promise<void> {
  const env = {
    PUBLIC_URL,
    ENCRYPTION_KEY: FIXTURE_KEY,
    TOKEN_TTL_SECONDS: DAY_SECONDS,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    AUTO_DECIDE: 'none',
  };
  const release = openRelease(await openUploads(t, { env: { ...env, FOUR_EYES: 'true' } }));
  const { client, get, dataDir } = release;
  const receiver = await startReceiver(t);
  const before: number = (await get('/events?limit=1')).total;
  const subscription = await release.create('/webhook-subscriptions', { url: receiver.url, secret: 'of the fixture' });
  await release.ok('POST', `${subscription}/secrets`, { secret: 'of the fixture, too' });
  const people = await makeCustomers(release);
  const money = await moveMoney(release, people.business);
  const documents = await submitDocuments(release, people);
  await revokeToken(release);
  const ping = await deliver(release, { subscription, receiver, before });

  const copy = join(dataDir, 'copy.jpg');
  const shown = await runCli(t, ['review', 'show', idOf(documents.accepted), '--file', copy], {
    ...settingsOf(release),
    ENCRYPTION_KEY: FIXTURE_KEY,
  });
  assert.equal(shown.code, 0, shown.stderr);

  await addOperator(t, release);
  const policy = ['--account', client.account_id, '--reject', 'expired', '--sample', '5', '--reason', 'Approved.'];
  const set = await runCli(t, ['policy', 'set', ...policy], { ...settingsOf(release), ENCRYPTION_KEY: FIXTURE_KEY });
  assert.equal(set.code, 0, set.stderr);

  const paths = pathsOf({ ...people, ...money, ...documents, subscription, ping });
  const answers = Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await get(path)] as const)));
  const events: { id: string }[] = (await get('/events?limit=200'))._embedded.events;
  const [after, ...following] = events.map(({ id }) => id).toReversed();

  await release.service.calls.flush();
  const job = await runCli(t, ['jobs', 'run', 'sample-figures'], { ...settingsOf(release), ENCRYPTION_KEY: FIXTURE_KEY });
  assert.equal(job.code, 0, job.stderr);
  await assertVaried(release);
  rmSync(FIXTURE, { recursive: true, force: true });
  mkdirSync(FIXTURE, { recursive: true });
  const backup = await runCli(t, ['backup', join(FIXTURE, 'backup')], { ...settingsOf(release), ENCRYPTION_KEY: FIXTURE_KEY });
  assert.equal(backup.code, 0, backup.stderr);
  const result: ReleaseRecord = {
    time: new Date().toISOString(),
    client: { client_id: client.client_id, client_secret: client.client_secret },
    token: client.token,
    answers,
    moved: money.moved,
    labels: [money.from, money.to],
    owner: documents.owner,
    picture: { id: idOf(documents.accepted), sha256: digest(copy) },
    feed: { after: after!, ids: following },
    migrations: migrationDigests(),
  };
  writeFileSync(join(FIXTURE, 'told.json'), `${inLines(result)}\n`);
}

type Release = ReturnType<typeof openRelease>;

/** A service with functions that expect success. */
function openRelease(service: Awaited<ReturnType<typeof openUploads>>) {
  return {
    ...service,
    post: (path: string, body: unknown, key?: string) => service.create(path, body, key === undefined ? {} : { key }),
    async ok(method: string, path: string, body?: unknown): Promise<void> {
      const answer = await service.call(method, path, { ...(body !== undefined && { body }) });
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    },
  };
}

/** A person with a link and a passkey; another, added in the console, and an application that waits for a second person. */
async function addOperator(t: TestScope, release: Release): Promise<void> {
  const env = { ...settingsOf(release), ENCRYPTION_KEY: FIXTURE_KEY, PUBLIC_URL };
  const made = await runCli(t, ['operator', 'create', 'Ada', '--role', 'admin'], env);
  assert.equal(made.code, 0, made.stderr);
  await release.sql`
    insert into operator_passkey (id, operator_id, public_key, counter, transports, created)
    select 'passkey', id, 'cHVibGljIGtleQ', 0, '{internal}', created from operator`;
  const { submit } = await openSession(release, 'admin');
  await submit('/console/people', { name: 'Grace', role: 'viewer' });
  await submit('/console/applications/new', { name: 'Payouts', account: release.client.account_id, scope: 'funds' });
  await submit('/console/applications/new', { name: 'Reports', account: release.client.account_id, scope: 'read' });
  await submit(`/console/policies/${release.client.account_id}/limits`, { currency: 'USD', amount: '10000' });
}

async function makeCustomers({ post, ok, create }: Release) {
  const { businessName, businessType, businessClassification, ...personal } = customerForm();
  const address = { address1: '9 Rue Exemple', city: 'Lyon', stateProvinceRegion: 'Rhône', country: 'FR' };
  const controller = { firstName: 'Zoë', lastName: 'Exemple', title: 'CFO', dateOfBirth: '1975-05-05', address };
  const company = { ...customerForm(), businessType: 'llc', ein: '12-3456789', ssn: undefined, dateOfBirth: undefined };
  const passport = { number: 'X1234567', country: 'FR' };
  const business = await post('/customers', { ...company, controller: { ...controller, passport } }, 'customer');
  const person = await post('/customers', {
    ...personal,
    type: 'personal',
    firstName: 'document',
    email: 'ada@example.com',
    externalId: 'ada',
  });
  const plain = await post('/customers', { type: 'unverified', firstName: 'Al', lastName: 'Plain', email: 'al@example.com' });
  const suspended = await create('/customers', customerForm());
  await ok('POST', suspended, { status: 'suspended' });

  return { business, person, plain, suspended };
}

async function moveMoney({ post, ok, call, get }: Release, business: string) {
  const deposit = await post(`${business}/deposits`, { ...amountOf('1000.00'), reference: 'first of all' });
  await post(`${business}/deposits`, amountOf('5000', 'JPY'));
  const withdrawal = await post(`${business}/withdrawals`, { ...amountOf('12.34'), metadata: { run: '7' } });
  await post(`${withdrawal}/returns`, { ...amountOf('2.34'), reason: 'account closed' });
  const from = await post(`${business}/labels`, { ...amountOf('400.00'), name: 'Réserve' });
  const to = await post(`${business}/labels`, amountOf('0'));
  const yen = await post(`${business}/labels`, amountOf('120', 'JPY'));
  const bounced = await post(`${business}/deposits`, amountOf('700', 'JPY'));
  await post(`${business}/withdrawals`, amountOf('5400', 'JPY'));
  const back = await post(`${bounced}/returns`, { reason: 'R01', shortfall: 'owe' });
  const gone = await post(`${business}/labels`, amountOf('0'));
  await ok('DELETE', gone);
  const entry = await post(`${from}/ledger-entries`, { ...amountOf('-15.00'), reference: 'back' });
  const body = { ...reallocation(from, to, '25.00'), reference: 'tax' };
  const moved = { key: 'a-key', body, location: await post('/label-reallocations', body, 'a-key') };
  for (const value of ['0.01', '99.99']) await post('/label-reallocations', reallocation(from, to, value));
  await post('/label-reallocations', reallocation(to, from, '50.00'));
  await post('/label-reallocation-batches', { mode: 'atomic', items: [reallocation(to, from, '1.00')] });
  await post(`${moved.location}/reversals`, amountOf('5.00'));
  await post(`${business}/allocation-rules`, { name: 'Taxes', steps: [{ label: { href: to }, percent: '10.00' }] });
  await post(`${business}/holds`, { ...amountOf('1.00'), externalId: 'order-1' });
  const schedule = await post(`${business}/schedules`, {
    ...{ _links: { from: { href: from }, to: { href: to } }, amount: { above: '100.00' } },
    ...{ rule: 'FREQ=MONTHLY', start: new Date(Date.now() + 5000).toISOString().slice(0, 19), timeZone: 'UTC' },
  });
  await waitUntil('the schedule has run', async () => (await get(schedule)).lastOccurrence !== undefined);
  await post(`${from}/monitors`, { below: { value: '1.00', currency: 'USD' } });
  await post(`${business}/deposits`, amountOf('100.00'));
  assert.equal((await call('POST', '/label-reallocations', { body: reallocation(from, to, '9999.00') })).status, 400);

  return { deposit, withdrawal, back, from, to, yen, entry, moved };
}

async function submitDocuments(service: Release, { business, person }: { business: string; person: string }) {
  const owner = await service.newOwner({}, { customer: business });
  const other = await service.newOwner({ firstName: 'Ada' }, { customer: business });
  const removed = await service.newOwner({ firstName: 'incomplete' }, { customer: business });
  await service.ok('DELETE', removed);
  const small = () => picture('jpeg', 48, 32);
  const rejected = await service.submitted(owner, { file: await small() });
  assert.equal((await service.judge(rejected, 'rejected', ['ScanIdExpired'], { note: 'of 2019' })).status, 201);
  const accepted = await service.submitted(owner, { documentType: 'license', file: await small() });
  assert.equal((await service.judge(accepted, 'accepted')).status, 201);
  const pending = await service.submitted(person, { file: await small() });
  await service.sql`update document set check_at = ${new Date()} where id = ${idOf(pending)}`;
  await waitUntil('a checker has read a document', async () => (await service.sql`select 1 from document_reading`).length > 0);
  await service.ok('POST', `${business}/beneficial-ownership`, { status: 'certified' });

  return { owner, other, rejected, accepted, pending };
}

async function revokeToken({ newClient, client, send }: Release): Promise<void> {
  const { token: ended, client_id, client_secret } = await newClient(['read'], client.account_id);
  const revoked = { form: new URLSearchParams({ token: ended, client_id, client_secret }).toString() };
  assert.equal((await send('POST', '/token/revoke', revoked)).status, 200);
}

/** Waits for every delivery, delivers a ping twice, and pauses the subscription. */
async function deliver(
  { get, ok, create }: Release,
  { subscription, receiver, before }: { subscription: string; receiver: Receiver; before: number },
): Promise<string> {
  const eventsNow = async (): Promise<number> => (await get('/events?limit=1')).total;
  const delivered = async () => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size;
  await waitUntil('every event is delivered', async () => (await delivered()) === (await eventsNow()) - before);
  const ping = await create(`${subscription}/pings`);
  await waitUntil('the ping is delivered', async () => (await get(ping)).attempts[0]?.response);
  await ok('POST', `${ping}/retries`);
  await waitUntil('the ping is delivered again', async () => (await get(ping)).attempts[1]?.response);
  await ok('POST', subscription, { paused: true });
  return ping;
}

type Made = Awaited<ReturnType<typeof makeCustomers>> &
  Awaited<ReturnType<typeof moveMoney>> &
  Awaited<ReturnType<typeof submitDocuments>> & { subscription: string; ping: string };

/** The paths whose responses are recorded. */
function pathsOf(made: Made): string[] {
  const { business, person, plain, suspended, deposit, withdrawal, back, from, to, yen, entry, moved } = made;
  const { owner, other, rejected, accepted, pending, subscription, ping } = made;
  const customers = [business, person, plain, suspended];
  const under = (one: string, ...names: string[]) => names.map((name) => `${one}/${name}`);
  return [
    '/customers',
    '/events?limit=10',
    '/webhook-subscriptions',
    ...customers.flatMap((one) => [one, ...under(one, 'balance', 'labels', 'label-reallocations')]),
    ...under(business, 'beneficial-owners', 'beneficial-ownership'),
    ...[owner, other, deposit, withdrawal, back, entry, moved.location, rejected, accepted, pending, ping, `${ping}/retries`],
    ...[rejected, accepted].flatMap((one) => under(one, 'reviews')),
    ...[owner, person].flatMap((one) => under(one, 'documents')),
    ...[from, to, yen].flatMap((one) => [one, ...under(one, 'ledger-entries')]),
    ...under(subscription, 'webhooks?limit=5'),
  ].map((path) => path.replace(PUBLIC_URL, ''));
}

/** A line for each response, so that two fixtures can be compared. */
function inLines({ answers, ...rest }: ReleaseRecord): string {
  const lines = Object.entries(answers).map(([path, body]) => `${JSON.stringify(path)}:${JSON.stringify(body)}`);
  return `${JSON.stringify(rest).slice(0, -1)},\n"answers":{\n${lines.join(',\n')}\n}}`;
}

async function assertVaried({ sql }: Awaited<ReturnType<typeof openUploads>>): Promise<void> {
  const tables = await sql<{ name: string }>`
    select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`;
  const counts = tables.map(async ({ name }) => {
    const text = [`select from ${name} limit 1`];
    return (await sql(Object.assign(text, { raw: text }))).length > 0 ? [] : [name];
  });
  const empty = (await Promise.all(counts)).flat();
  assert.deepEqual(
    empty.filter((name) => !MAY_BE_EMPTY.includes(name)),
    [],
    'tables without a row',
  );
}
