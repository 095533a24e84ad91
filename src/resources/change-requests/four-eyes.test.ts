// Four eyes over people and applications: what one person cannot do alone, and who counts as the second one.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Browser, enterBy, openSession } from '../../../test/support/operators.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { listAudit } from '../../ledger/audit/audit.ts';

const alone = await startService({ after });
const shared = await startService({ after }, { env: { FOUR_EYES: 'true' } });

const NEW_APPLICATION = '/console/applications/new';
const REQUEST = /^\/console\/people\/requests\/[0-9a-f-]{36}$/;
type Page = Awaited<ReturnType<Browser['load']>>;

/** The page of the request that an action led to. */
function requestOf({ status, headers, text }: Page): string {
  const path = String(headers.location).split('?')[0]!;
  assert.ok(status === 303 && REQUEST.test(path), `${status} ${headers.location} ${text.slice(0, 2000)}`);
  return path;
}

function scopeForm(account: string, ...scopes: string[]): [string, string][] {
  return [['name', 'Payroll'], ['account', account], ...scopes.map((scope): [string, string] => ['scope', scope])];
}

async function codesOf({ load }: Pick<Browser, 'load'>, location: string | undefined): Promise<string[]> {
  return [...(await load(location!)).text.matchAll(/<code>([^<]+)<\/code>/g)].map(([, code]) => code!);
}

async function tokenStatus(service: TestService, [id, secret]: string[]): Promise<number> {
  const form = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
  return (await service.send('POST', '/token', { form })).status;
}

async function actionsAbout(service: TestService, id: string) {
  return (await listAudit(service.sql, { resourceId: id }, 20)).map(({ action }) => action).toReversed();
}

/** Adds a person through the console: `one` asks, `other` approves, and `one` makes the link with which the person signs in. */
async function addPerson(service: TestService, { one, other, roles }: { one: Browser; other: Browser; roles: string[] }) {
  const name = `Added ${crypto.randomUUID()}`;
  const asked = requestOf(
    await one.submit('/console/people', [['name', name], ...roles.map((role): [string, string] => ['role', role])]),
  );
  assert.equal((await service.sql`select 1 from operator where name = ${name}`).length, 0, 'nobody is added yet');
  assert.equal((await other.submit(`${asked}/approve`)).status, 303);
  const [made] = await service.sql<{ id: string }>`select id from operator where name = ${name}`;
  const path = `/console/people/${made!.id}`;
  const link = await one.submit(`${path}/link`);
  const [url] = await codesOf(one, link.headers.location);
  return { id: made!.id, path, asked, ...(await enterBy(service, new URL(url!).pathname)) };
}

test('nobody gives an application what their own roles do not have, in any of the ways that lead to its secret', async () => {
  const operator = await openSession(alone, 'operator');
  const both = await openSession(alone, 'operator', 'finance');
  const { account_id: account } = await alone.newClient();
  const { client_id: reviewing } = await alone.newClient(['review']);
  const before = await alone.sql`select * from application order by id`;
  for (const scope of ['read', 'write', 'funds', 'review']) {
    const { status, text } = await operator.submit(NEW_APPLICATION, scopeForm(account, scope));
    assert.ok(status === 403 && text.includes(`own roles lack ${scope}`), `${scope} ${status}`);
  }
  assert.match((await operator.load(NEW_APPLICATION)).text, /they have none/, 'no form that can only fail');
  assert.match((await both.load(`/console/applications/${reviewing}`)).text, /Your own roles lack review\./);
  assert.equal((await both.submit(NEW_APPLICATION, scopeForm(account, 'read', 'review'))).status, 403);
  for (const [path, form] of [
    ['secret', { overlap: '0' }],
    ['secret', { overlap: '24' }],
    ['enable', {}],
  ] as const)
    assert.equal((await both.submit(`/console/applications/${reviewing}/${path}`, form)).status, 403, path);
  assert.deepEqual(await alone.sql`select * from application order by id`, before);
  assert.equal((await operator.submit(`/console/applications/${reviewing}/disable`)).status, 303, 'anybody may stop one');
  const [reviewer, viewer] = [await openSession(alone, 'reviewer', 'finance'), await openSession(alone, 'viewer')];
  for (const { submit } of [reviewer, viewer])
    assert.equal((await submit(NEW_APPLICATION, scopeForm(account, 'read'))).status, 403);
  const made = await both.submit(NEW_APPLICATION, scopeForm(account, 'read', 'write', 'funds'));
  assert.equal(await tokenStatus(alone, await codesOf(both, made.headers.location)), 200);
  const { text } = await both.load(NEW_APPLICATION);
  assert.match(text, /value="review"[^>]* disabled/);
  assert.doesNotMatch(text, /value="funds"[^>]* disabled/);
});

test('giving a scope that moves money takes a second person, and taking it away nobody', async () => {
  const [one, other] = [await openSession(shared, 'operator', 'finance'), await openSession(shared, 'operator', 'finance')];
  const { client_id: id } = await shared.newClient(['read']);
  const path = `/console/applications/${id}`;
  const scopesNow = async () =>
    (await shared.sql<{ scopes: string[] }>`select scopes from application where id = ${id}`)[0]!.scopes.join(' ');
  const asked = requestOf(await one.submit(`${path}/scopes`, { scopes: 'read funds' }));
  assert.equal(await scopesNow(), 'read');
  const { text } = await other.load(asked);
  assert.ok(text.includes('Change the scopes of') && text.includes('funds (records deposits and withdrawals)'), text);
  assert.equal((await one.submit(`${asked}/approve`)).status, 403);
  assert.equal((await other.submit(`${asked}/approve`)).status, 303);
  assert.equal(await scopesNow(), 'read funds');
  assert.match((await one.submit(`${path}/scopes`, { scopes: 'read' })).headers.location!, /done=scopes-changed/);
  assert.equal(await scopesNow(), 'read');
  assert.deepEqual(await actionsAbout(shared, id), ['change_scopes', 'change_scopes']);
});

test('an application with funds waits for a second person, and its secret exists only once the first one collects it', async () => {
  const [one, other, stranger] = [
    await openSession(shared, 'operator', 'finance'),
    await openSession(shared, 'operator', 'finance'),
    await openSession(shared, 'operator'),
  ];
  const { account_id: account } = await shared.newClient();
  const count = async () => (await shared.sql`select 1 from application where account_id = ${account}`).length;
  const asked = requestOf(await one.submit(NEW_APPLICATION, scopeForm(account, 'read', 'funds')));
  assert.equal(await count(), 1, 'nothing is made yet');
  const { text } = await other.load(asked);
  for (const words of [
    'Create the application Payroll',
    'funds (records deposits and withdrawals)',
    account,
    one.operator.name,
    'Approve',
  ])
    assert.ok(text.includes(words), words);
  assert.ok((await other.load('/console/applications')).text.includes(asked), 'it is listed');
  assert.equal((await one.submit(`${asked}/approve`)).status, 403, 'not by the one who asked');
  assert.equal((await stranger.submit(`${asked}/approve`)).status, 403, 'not by somebody without the scopes');
  assert.equal((await one.submit(`${asked}/collect`)).status, 400, 'not before the approval');
  assert.equal((await other.submit(`${asked}/approve`)).status, 303);
  assert.equal(await count(), 1, 'still nothing is made');
  assert.equal((await other.submit(`${asked}/collect`)).status, 403, 'not by the one who approved');
  const collected = await Promise.all([one.submit(`${asked}/collect`), one.submit(`${asked}/collect`)]);
  assert.deepEqual(collected.map(({ status }) => status).sort(), [303, 400], 'once');
  const location = collected.find(({ status }) => status === 303)!.headers.location;
  const [id, secret] = await codesOf(one, location);
  assert.equal(await tokenStatus(shared, [id!, secret!]), 200);
  assert.match((await one.load(location!)).text, /It was shown once/);
  const stored =
    JSON.stringify(await shared.sql`select * from change_request`) + JSON.stringify(await shared.sql`select * from audit_entry`);
  assert.ok(!stored.includes(secret!));
  assert.deepEqual(await actionsAbout(shared, asked.split('/').at(-1)!), ['ask_for_change', 'approve_change']);
  const [entry] = await listAudit(shared.sql, { resourceId: id! }, 1);
  assert.deepEqual([entry!.operatorId, entry!.detail.approvedBy], [one.operator.id, other.operator.name]);
  const small = await one.submit(NEW_APPLICATION, scopeForm(account, 'read', 'write'));
  assert.match(small.headers.location!, /^\/console\/applications\//, 'without funds and review it takes nobody else');
});

test('a new secret of an application with funds waits, also at once, and the present one works until then', async () => {
  const [one, other] = [await openSession(shared, 'admin'), await openSession(shared, 'admin')];
  const { client_id, client_secret } = await shared.newClient();
  const path = `/console/applications/${client_id}`;
  const asked = requestOf(await one.submit(`${path}/secret`, { overlap: '0' }));
  await other.submit(`${asked}/approve`);
  assert.equal(await tokenStatus(shared, [client_id, client_secret]), 200);
  const { headers } = await one.submit(`${asked}/collect`);
  assert.equal(await tokenStatus(shared, await codesOf(one, headers.location)), 200);
  await waitUntil('the former secret is refused', async () => (await tokenStatus(shared, [client_id, client_secret])) === 401);
  assert.equal((await one.submit(`${path}/disable`)).headers.location, `${path}?done=disabled`);
  requestOf(await one.submit(`${path}/enable`));
});

test('new administrators and reviewers wait, and whoever was added or linked by the other does not count for thirty days', async () => {
  const [one, other] = [await openSession(shared, 'admin'), await openSession(shared, 'admin')];
  const added = await addPerson(shared, { one, other, roles: ['admin'] });
  const sibling = await addPerson(shared, { one, other, roles: ['admin'] });
  const { account_id: account } = await shared.newClient();
  const ask = async (who: Pick<Browser, 'submit'>) => requestOf(await who.submit(NEW_APPLICATION, scopeForm(account, 'funds')));
  const refused = await added.submit(`${await ask(one)}/approve`);
  assert.ok(refused.status === 403 && refused.text.includes('count as one person'), 'who asks added the approver');
  assert.equal((await one.submit(`${await ask(added)}/approve`)).status, 403, 'the approver added who asks');
  assert.equal((await sibling.submit(`${await ask(added)}/approve`)).status, 403, 'one person added both');
  const page = (await added.load(await ask(one))).text;
  assert.ok(page.includes('count as one person') && !page.includes('/approve"'));
  assert.equal((await other.submit(`${await ask(added)}/approve`)).status, 303, 'an unrelated person counts');
  await shared.sql`update operator_sponsor set since = since - interval '31 days' where operator_id = ${added.id}`;
  assert.equal((await added.submit(`${await ask(one)}/approve`)).status, 303, 'after thirty days');
  const viewer = await one.submit('/console/people', { name: `Viewer ${crypto.randomUUID()}`, role: 'viewer' });
  assert.match(viewer.headers.location!, /^\/console\/people\/[0-9a-f-]{36}$/, 'a viewer takes nobody else');
  const roles = async (...given: string[]) =>
    one.submit(
      `${viewer.headers.location}/roles`,
      given.map((role): [string, string] => ['role', role]),
    );
  assert.match((await roles('finance')).headers.location!, /done=roles/);
  for (const role of ['admin', 'reviewer']) requestOf(await roles('finance', role));
});

test('a link for somebody who has signed in before waits, then replaces the passkeys, and their sessions end', async () => {
  const [one, other, victim] = [
    await openSession(shared, 'admin'),
    await openSession(shared, 'admin'),
    await openSession(shared, 'reviewer'),
  ];
  const { id } = victim.operator;
  await shared.sql`
    insert into operator_passkey (id, operator_id, public_key, counter, transports, created) values (${id}, ${id}, 'key', 0, '{}', now())`;
  await shared.sql`update operator_session set passkey_id = ${id}, method = 'passkey' where operator_id = ${id}`;
  const asked = requestOf(await one.submit(`/console/people/${id}/link`));
  assert.match((await other.load(asked)).text, /1 removed, and the sessions/);
  assert.equal((await shared.sql`select 1 from operator_link where operator_id = ${id}`).length, 0);
  await other.submit(`${asked}/approve`);
  assert.equal((await victim.load('/console')).status, 200, 'until the link is made');
  const { headers } = await one.submit(`${asked}/collect`);
  const [url] = await codesOf(one, headers.location);
  assert.equal((await victim.load('/console')).status, 303);
  assert.equal((await shared.sql`select 1 from operator_passkey where operator_id = ${id}`).length, 0);
  await enterBy(shared, new URL(url!).pathname);
});

test('a request is withdrawn, refused, expires after a day, and is not approved when it would do something else', async () => {
  const [one, other] = [await openSession(shared, 'admin'), await openSession(shared, 'admin')];
  const person = await openSession(shared, 'viewer');
  const ask = async () => requestOf(await one.submit(`/console/people/${person.operator.id}/roles`, { role: 'reviewer' }));
  const approve = (asked: string) => other.submit(`${asked}/approve`);
  const withdrawn = await ask();
  assert.equal((await other.submit(`${withdrawn}/withdraw`)).status, 403);
  assert.equal((await one.submit(`${withdrawn}/withdraw`)).status, 303);
  const refused = await ask();
  assert.equal((await one.submit(`${refused}/refuse`)).status, 403);
  assert.equal((await other.submit(`${refused}/refuse`)).status, 303);
  const expired = await ask();
  assert.ok((await one.load('/console/people')).text.includes(expired));
  await shared.sql`update change_request set expires = expires - interval '1 day' where id = ${expired.split('/').at(-1)!}`;
  assert.ok(!(await one.load('/console/people')).text.includes(expired));
  const changed = await ask();
  await one.submit(`/console/people/${person.operator.id}/roles`, { role: 'finance' });
  for (const [asked, words] of [
    [withdrawn, 'was withdrawn'],
    [refused, 'was refused'],
    [expired, 'has expired'],
    [changed, 'is not as it was'],
  ] as const) {
    const { status, text } = await approve(asked);
    assert.ok(status === 400 && text.includes(words), `${words} ${status}`);
  }
  const late = requestOf(await one.submit(NEW_APPLICATION, scopeForm((await shared.newClient()).account_id, 'funds')));
  const made = await Promise.all([approve(late), approve(late)]);
  assert.deepEqual(made.map(({ status }) => status).sort(), [303, 400], 'one approval');
  const [asker] = [one.operator.id];
  const lost = await ask();
  await other.submit(`/console/people/${asker}/disable`);
  assert.match((await approve(lost)).text, /do not allow this any more/);
  assert.equal((await other.load('/console/people/requests/01890000-0000-7000-8000-000000000000')).status, 404);
  const { text } = await person.load(lost);
  assert.ok(!text.includes('Roles afterwards'), 'who may not decide does not see it');
});

test('in production two administrators switch it on, and one of them cannot switch it off by removing the other', async (t) => {
  const production = await startService(t, { env: { MODE: 'production' } });
  const one = await openSession(production, 'admin');
  const add = (name: string) => one.submit('/console/people', { name, role: 'reviewer' });
  assert.match((await add('First')).headers.location!, /^\/console\/people\/[0-9a-f-]{36}$/, 'an administrator alone');
  const other = await openSession(production, 'admin');
  requestOf(await add('Second'));
  assert.match((await one.submit(`/console/people/${other.operator.id}/disable`)).headers.location!, /done=disabled/);
  requestOf(await add('Third'));
  const off = await startService(t, { env: { MODE: 'production', FOUR_EYES: 'false' } });
  const [free] = [await openSession(off, 'admin'), await openSession(off, 'admin')];
  const made = await free.submit('/console/people', { name: 'Fourth', role: 'admin' });
  assert.match(made.headers.location!, /^\/console\/people\/[0-9a-f-]{36}$/);
});

test('two administrators who remove each other at the same time leave one, and each removal is in the audit log', async () => {
  for (let round = 0; round < 60; round++) {
    await alone.sql`update operator set disabled = now() where 'admin' = any(roles)`;
    const [one, other] = [await openSession(alone, 'admin'), await openSession(alone, 'admin')];
    const isByRoles = round % 2 === 0;
    const remove = (who: Browser, { operator: { id } }: Browser) =>
      isByRoles ? who.submit(`/console/people/${id}/roles`, { role: 'viewer' }) : who.submit(`/console/people/${id}/disable`);
    const answers = await Promise.all([remove(one, other), remove(other, one)]);
    const done = answers.filter(({ status, headers }) => status === 303 && /done=/.test(String(headers.location)));
    const left = await alone.sql`select 1 from operator where disabled is null and 'admin' = any(roles)`;
    assert.deepEqual([done.length, left.length], [1, 1], `round ${round}: ${answers.map(({ status }) => status)}`);
    const ids = [one.operator.id, other.operator.id];
    const entries = await alone.sql`
      select 1 from audit_entry where resource_id = any(${ids}) and action in ('change_roles', 'disable_operator')`;
    assert.equal(entries.length, 1);
  }
});

test('a change of people or applications whose audit row cannot be written does not happen', async (t) => {
  const own = await startService(t);
  const admin = await openSession(own, 'admin');
  const person = await openSession(own, 'viewer');
  const { client_id, account_id } = await own.newClient();
  const other = `/console/people/${person.operator.id}`;
  const application = `/console/applications/${client_id}`;
  await own.sql`alter table audit_entry add constraint audit_entry_full check (action = 'sign_in') not valid`;
  const state = () => own.sql`
    select (select jsonb_agg(o order by id) from operator o) as people, (select jsonb_agg(to_jsonb(a) - 'changed' order by id) from application a) as applications,
      (select count(*) from application_secret) as secrets, (select count(*) from operator_link) as links,
      (select count(*) from operator_passkey) as passkeys, (select count(*) from operator_session) as sessions`;
  await own.sql`
    insert into operator_passkey (id, operator_id, public_key, counter, transports, created)
    values ('mine', ${admin.operator.id}, 'key', 0, '{}', now()), ('theirs', ${person.operator.id}, 'key', 0, '{}', now())`;
  const before = await state();
  for (const [path, form] of [
    ['/console/people', { name: 'Unseen', role: 'viewer' }],
    [`${other}/roles`, { role: 'finance' }],
    [`${other}/disable`, {}],
    [`${other}/enable`, {}],
    [`${other}/link`, {}],
    [`${other}/remove-passkeys`, {}],
    ['/console/account/remove-passkey', { id: 'mine' }],
    [NEW_APPLICATION, { name: 'Unseen', account: account_id, scope: 'read' }],
    [`${application}/secret`, { overlap: '0' }],
    [`${application}/disable`, {}],
    [`${application}/enable`, {}],
  ] as const) {
    assert.equal((await admin.submit(path, form)).status, 500, path);
    assert.deepEqual(await state(), before, path);
  }
});
