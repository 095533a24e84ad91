// Access to the console: sign-in by link, sessions, roles, cross-site requests, and the limit of attempts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { cookieIn, newLink, newOperator, openSession } from '../../../test/support/operators.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { listAudit } from '../../ledger/audit/audit.ts';
import { disableOperator } from '../../resources/operators/operator.ts';
import { ROLES } from '../../resources/operators/role.ts';

const OWN = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };
const EVERY_PAGE = ['/console', '/console/people', '/console/people/new', '/console/audit-log', '/console/account'];

const shared = await startService({ after }, { env: { TOKEN_FAILURES_PER_MINUTE: '0' } });

test('a link shows who it is for, signs in once, and its cookie is not readable for scripts and other sites', async () => {
  const { id, name } = await newOperator(shared, 'viewer');
  const link = await newLink(shared, id);
  const shown = await shared.send('GET', link, { headers: OWN });
  assert.ok(shown.status === 200 && shown.text.includes(name), 'opening the link does not use it up');
  const entered = await shared.send('POST', link, { headers: OWN });
  assert.deepEqual([entered.status, entered.headers.location], [303, '/console']);
  assert.match(
    String(entered.headers['set-cookie']),
    /^earmark-session-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
  const page = await shared.send('GET', '/console', { headers: { cookie: cookieIn(entered.headers['set-cookie']) } });
  assert.ok(page.status === 200 && page.text.includes(name));
  assert.equal((await shared.send('POST', link, { headers: OWN })).status, 403, 'it works once');
  assert.match((await shared.send('GET', link, { headers: OWN })).text, /does not work any more/);
  const second = await newLink(shared, id);
  await newLink(shared, id);
  assert.equal((await shared.send('POST', second, { headers: OWN })).status, 403, 'a new link ends the former one');
  const stored = JSON.stringify(await shared.sql`select * from operator_session`);
  assert.ok(!stored.includes(cookieIn(entered.headers['set-cookie']).split('=')[1]!), 'the session is stored hashed');
});

test('an expired link, and the links of a disabled person and of one without a role are refused', async () => {
  const { id } = await newOperator(shared, 'viewer');
  const expired = await newLink(shared, id);
  await shared.sql`update operator_link set expires = now() - interval '1 second' where operator_id = ${id}`;
  const nobody = await newLink(shared, (await newOperator(shared)).id);
  const disabled = await newOperator(shared, 'admin');
  const late = await newLink(shared, disabled.id);
  await shared.sql`update operator set disabled = now() where id = ${disabled.id}`;
  for (const link of [expired, nobody, late, '/console/link/x', `/console/link/${'a'.repeat(43)}`]) {
    const answer = await shared.send('POST', link, { headers: OWN });
    assert.deepEqual([answer.status, answer.headers['set-cookie']], [403, undefined], link);
  }
  const refused = await listAudit(shared.sql, { action: 'sign_in_refused' }, 10);
  assert.ok(refused.length >= 3 && refused.some(({ operatorId }) => operatorId === disabled.id));
});

test('without a session each page leads to the sign-in, and no token of the API opens one', async () => {
  for (const path of EVERY_PAGE) {
    const { status, headers } = await shared.send('GET', path, { token: shared.token, headers: OWN });
    assert.deepEqual([status, String(headers.location).split('?')[0]], [303, '/console/sign-in'], path);
  }
  const stranger = await shared.send('GET', '/console', { headers: { cookie: `earmark-session-1=${'a'.repeat(43)}` } });
  assert.equal(stranger.status, 303);
  const elsewhere = await shared.send('GET', '/console/sign-in?to=//evil.example', { headers: OWN });
  assert.ok(!elsewhere.text.includes('evil.example'), 'the sign-in leads to pages of the console only');
  const { cookie } = await openSession(shared, 'admin');
  assert.equal((await shared.send('GET', '/customers', { headers: { cookie } })).status, 401, 'the API takes no cookie');
});

test('each role sees the screens that it may use, and the server refuses the others', async () => {
  for (const role of ROLES) {
    const { load, submit } = await openSession(shared, role);
    const { text } = await load('/console');
    const isAdmin = role === 'admin';
    for (const path of ['/console/people', '/console/audit-log']) {
      assert.equal(text.includes(`href="${path}"`), isAdmin, `${role} ${path}`);
      assert.equal((await load(path)).status, isAdmin ? 200 : 403, `${role} ${path}`);
    }
    if (!isAdmin) assert.equal((await submit('/console/people', { name: 'Mallory', role: 'admin' })).status, 403, role);
    assert.equal((await load('/console/account')).status, 200);
    assert.equal((await load('/console/nothing')).status, 404);
  }
});

test('a session ends by sign-out, by change of roles, by disabling, after twelve hours and after half an hour without a request', async () => {
  const admin = await openSession(shared, 'admin');
  const ends: [string, (person: Awaited<ReturnType<typeof openSession>>) => Promise<unknown>][] = [
    ['sign-out', ({ submit }) => submit('/console/sign-out')],
    ['roles', ({ operator }) => admin.submit(`/console/people/${operator.id}/roles`, { role: 'reviewer' })],
    ['disable', ({ operator }) => shared.service.database.transaction((tx) => disableOperator(tx, operator.id))],
    ['time', ({ operator }) => shared.sql`update operator_session set expires = now() where operator_id = ${operator.id}`],
    ['idleness', ({ operator }) => idle(operator.id, 30)],
  ];
  for (const [name, end] of ends) {
    const person = await openSession(shared, 'viewer');
    assert.equal((await person.load('/console')).status, 200);
    await end(person);
    assert.equal((await person.load('/console')).status, 303, name);
  }
});

test('each request of a person begins the half hour again', async () => {
  const { operator, load } = await openSession(shared, 'viewer');
  for (const minutes of [29, 29, 29]) {
    await idle(operator.id, minutes);
    assert.equal((await load('/console')).status, 200);
  }
  await idle(operator.id, 31);
  assert.equal((await load('/console')).status, 303);
});

test('the audit log stores the address of a person, or nothing', async () => {
  const { load, submit, operator } = await openSession(shared, 'admin');
  for (const [forwarded, place] of [
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8::1%eth0', '2001:db8::1'],
    ['<script>', ''],
    ['a'.repeat(10_000), ''],
    ['203.0.113.7; drop table', ''],
  ]) {
    await load('/console', { 'x-forwarded-for': forwarded! });
    await submit('/console/people', { name: `From ${randomUUID()}`, role: 'viewer' }, { 'x-forwarded-for': forwarded! });
    const [entry] = await listAudit(shared.sql, { operatorId: operator.id, action: 'create_operator' }, 1);
    assert.equal(entry!.place, place, forwarded!.slice(0, 20));
  }
});

test('a form of another origin is refused, and a link of another site loads the page again with the cookie', async () => {
  const { submit, load, operator } = await openSession(shared, 'admin');
  const host = `127.0.0.1:${shared.port}`;
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
  ];
  for (const headers of foreign) {
    assert.equal(
      (await submit('/console/people', { name: 'Mallory', role: 'admin' }, headers)).status,
      403,
      JSON.stringify(headers),
    );
  }
  const { cookie } = await openSession(shared, 'admin');
  const bare = (headers: Record<string, string>) =>
    shared.send('POST', '/console/sign-out', { headers: { cookie, accept: 'text/html', ...headers }, form: '' });
  for (const headers of [{}, { origin: 'null' }, { origin: 'https://evil.example' }]) {
    assert.equal((await bare(headers as Record<string, string>)).status, 403, JSON.stringify(headers));
  }
  assert.equal((await bare({ origin: `http://${host}` })).status, 303, 'a browser without Sec-Fetch-Site sends its origin');
  assert.equal(await shared.sql`select 1 from operator where name = 'Mallory'`.then((rows) => rows.length), 0);
  assert.equal((await load('/console')).status, 200, operator.name);
  const again = await shared.send('GET', '/console', { headers: { 'sec-fetch-site': 'cross-site', accept: 'text/html' } });
  assert.match(again.text, /http-equiv="refresh"/);
});

test('an administrator adds people, gives a link that is shown once, and cannot remove the last administrator', async (t) => {
  const own = await startService(t, { env: { TOKEN_FAILURES_PER_MINUTE: '3' } });
  const admin = await openSession(own, 'admin');
  const created = await admin.submit('/console/people', [
    ['name', '<b>Grace</b>'],
    ['role', 'finance'],
    ['role', 'reviewer'],
    ['role', 'root'],
  ]);
  assert.equal(created.status, 303, created.text);
  const path = String(created.headers.location);
  const page = await admin.load(path);
  assert.ok(page.text.includes('&lt;b>Grace') && !page.text.includes('<b>Grace'), 'names are text');
  const made = await admin.submit(`${path}/link`);
  const { text } = await admin.load(made.headers.location!);
  const link = new URL(/http:\/\/[^<\s]+\/console\/link\/[\w-]+/.exec(text)![0]).pathname;
  assert.equal((await own.send('POST', link, { headers: OWN })).status, 303);
  const taken = await admin.submit('/console/people', { name: '<b>grace</b>', role: 'viewer' });
  assert.ok(taken.status === 400 && taken.text.includes('Somebody has this name already'), taken.text);
  assert.ok(taken.text.includes('value="&lt;b>grace'), 'the form keeps the name');
  for (const name of ['root (command line)', 'Identity provider']) {
    const reserved = await admin.submit('/console/people', { name, role: 'viewer' });
    assert.ok(reserved.status === 400 && reserved.text.includes('The audit log has this name'), name);
  }
  for (const change of ['roles', 'disable']) {
    const answer = await admin.submit(`/console/people/${admin.operator.id}/${change}`, { role: 'viewer' });
    assert.ok(answer.status === 400 && answer.text.includes('last administrator'), change);
  }
  const log = await admin.load('/console/audit-log');
  for (const words of ['created a person', 'created a sign-in link', 'signed in']) assert.ok(log.text.includes(words), words);
  for (let attempt = 0; attempt < 3; attempt++) await own.send('POST', '/console/link/x', { headers: OWN });
  const isLimited = async () => (await own.send('POST', '/console/link/x', { headers: OWN })).status === 429;
  await waitUntil('every process knows of them', async () => (await Promise.all(own.ports.map(isLimited))).every(Boolean));
  const limited = await own.send('POST', '/console/link/x', { headers: OWN });
  assert.deepEqual([limited.status, limited.headers['retry-after'] !== undefined], [429, true]);
});

/** Lets a session be without a request for minutes. */
function idle(operatorId: string, minutes: number) {
  return shared.sql`update operator_session set used = now() - make_interval(mins => ${minutes}) where operator_id = ${operatorId}`;
}

test('the audit log cannot be changed', async () => {
  await openSession(shared, 'viewer');
  for (const change of [
    () => shared.sql`update audit_entry set actor = 'nobody'`,
    () => shared.sql`delete from audit_entry`,
    () => shared.sql`truncate audit_entry`,
  ]) {
    await assert.rejects(change, /append-only/);
  }
});

test('CONSOLE=false switches the console off, and production has secure cookies for one host', async (t) => {
  const off = await startService(t, { env: { CONSOLE: 'false' } });
  for (const path of ['/console', '/console/sign-in']) assert.equal((await off.send('GET', path)).status, 404);
  const production = await startService(t, { env: { MODE: 'production' } });
  const link = await newLink(production, (await newOperator(production, 'viewer')).id);
  const { headers } = await production.send('POST', link, { headers: OWN });
  assert.match(String(headers['set-cookie']), /^__Host-earmark-session=[\w-]{43}; Path=\/; .*; Secure$/);
});
