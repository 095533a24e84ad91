// Passkeys of the console: who may add one and when, what ends with one, and two answers at the same time.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Browser, cookieIn, enterBy, newLink, openSession } from '../../../test/support/operators.ts';
import { newAuthenticator } from '../../../test/support/passkey.ts';
import { startService } from '../../../test/support/service.ts';
import { createOperator } from '../../resources/operators/operator.ts';

const shared = await startService({ after }, { env: { TOKEN_FAILURES_PER_MINUTE: '0' } });
const OWN = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
const SITE = { origin: new URL(shared.url).origin };
const MAX = 10;

let begun = 0;

/** The challenge of an attempt, and the cookie that belongs to it. Each comes from another address, because the attempts of one are limited. */
async function begin(path: string, cookie = '') {
  const from = { 'x-forwarded-for': `203.0.113.${begun++ % 255}` };
  const { status, body, headers, text } = await shared.send('POST', `${path}/begin`, {
    headers: { ...OWN, ...from, cookie },
    body: {},
  });
  const cookies = [cookie, cookieIn(headers['set-cookie'])].filter(Boolean).join('; ');
  return { status, text, challenge: String(body?.challenge), cookie: cookies };
}

async function beginEnrolment({ cookie }: Pick<Browser, 'cookie'>) {
  const attempt = await begin('/console/passkeys/enrol', cookie);
  const authenticator = newAuthenticator(SITE);
  const finish = async () => {
    const body = authenticator.create(attempt.challenge);
    return (await shared.send('POST', '/console/passkeys/enrol', { headers: { ...OWN, cookie: attempt.cookie }, body })).status;
  };
  return { ...attempt, authenticator, finish };
}

async function enrol(session: Pick<Browser, 'cookie'>) {
  const { authenticator, finish } = await beginEnrolment(session);
  assert.equal(await finish(), 200);
  return authenticator;
}

async function beginSignIn(authenticator: ReturnType<typeof newAuthenticator>) {
  const { challenge, cookie } = await begin('/console/passkeys/sign-in');
  return async (counter: number) => {
    const body = authenticator.get(challenge, counter);
    const { status, headers } = await shared.send('POST', '/console/passkeys/sign-in', { headers: { ...OWN, cookie }, body });
    const session =
      status === 200
        ? [headers['set-cookie']]
            .flat()
            .map(cookieIn)
            .find((pair) => /session/.test(pair))
        : undefined;
    const load = (path: string) =>
      shared.send('GET', path, { headers: { 'sec-fetch-site': 'same-origin', cookie: session ?? '' } });
    return { status, load };
  };
}

async function signIn(authenticator: ReturnType<typeof newAuthenticator>, counter = 0) {
  return (await beginSignIn(authenticator))(counter);
}

const countOf = async (id: string) => (await shared.sql`select 1 from operator_passkey where operator_id = ${id}`).length;

test('a passkey is added after a fresh sign-in only', async () => {
  const person = await openSession(shared, 'viewer');
  const started = await beginEnrolment(person);
  await shared.sql`update operator_session set created = created - interval '11 minutes' where operator_id = ${person.operator.id}`;
  assert.equal((await begin('/console/passkeys/enrol', person.cookie)).status, 403);
  assert.equal(await started.finish(), 403, 'also when it began before');
  const { text } = await person.load('/console/account');
  assert.ok(text.includes('Sign in again to add a passkey') && !text.includes('data-passkey="enrol"'));
  const again = await person.submit('/console/sign-out', { to: '/console/account' });
  assert.equal(again.headers.location, '/console/sign-in?ended=1&to=%2Fconsole%2Faccount');
  await enrol(await enterBy(shared, await newLink(shared, person.operator.id)));
  assert.equal(await countOf(person.operator.id), 1);
});

test('people of an identity provider have no passkeys, and get no link', async () => {
  const identity = { issuer: 'https://login.example', subject: crypto.randomUUID() };
  const person = (await createOperator(shared.sql, { name: `Company ${identity.subject}`, roles: ['viewer'], identity }))!;
  const session = await enterBy(shared, await newLink(shared, person.id));
  assert.equal((await begin('/console/passkeys/enrol', session.cookie)).status, 403);
  assert.match((await session.load('/console/account')).text, /company account/);
  const own = await openSession(shared, 'viewer');
  const authenticator = await enrol(own);
  await shared.sql`update operator_passkey set operator_id = ${person.id} where id = ${authenticator.id}`;
  assert.equal((await signIn(authenticator)).status, 403, 'one from before is refused');
  const admin = await openSession(shared, 'admin');
  const refused = await admin.submit(`/console/people/${person.id}/link`);
  assert.ok(refused.status === 400 && refused.text.includes('identity provider'), refused.text);
});

test('removing a passkey ends the sessions that it opened, and no others', async () => {
  const person = await openSession(shared, 'viewer');
  const [lost, kept] = [await enrol(person), await enrol(person)];
  const [thief, owner] = [await signIn(lost), await signIn(kept)];
  assert.deepEqual([(await thief.load('/console')).status, (await owner.load('/console')).status], [200, 200]);
  const { headers } = await person.submit('/console/account/remove-passkey', { id: lost.id });
  assert.equal(headers.location, '/console/account?done=removed');
  assert.equal((await thief.load('/console')).status, 303);
  assert.equal((await signIn(lost)).status, 403);
  assert.deepEqual([(await owner.load('/console')).status, (await person.load('/console')).status], [200, 200]);
});

test('a passkey that is removed while it signs in opens no session that outlives it', async () => {
  const person = await openSession(shared, 'viewer');
  for (let round = 0; round < 20; round++) {
    const authenticator = await enrol(person);
    const finish = await beginSignIn(authenticator);
    const remove = () => person.submit('/console/account/remove-passkey', { id: authenticator.id });
    const [{ status, load }] = await Promise.all([finish(0), remove()]);
    assert.ok([200, 403].includes(status), String(status));
    assert.equal((await load('/console')).status, 303, 'no session is left');
  }
});

test('an administrator removes all passkeys of a person, and a new link does so too', async () => {
  const [admin, person] = [await openSession(shared, 'admin'), await openSession(shared, 'viewer')];
  const { id } = person.operator;
  for (const path of ['remove-passkeys', 'link']) {
    const passkeys = [await enrol(person), await enrol(person)];
    const entered = await signIn(passkeys[0]!);
    const question = await admin.load(`/console/people/${id}/${path === 'link' ? 'new-link' : path}`);
    assert.match(question.text, /<dd>2<\/dd>/);
    assert.equal((await admin.submit(`/console/people/${id}/${path}`)).status, 303, path);
    assert.equal(await countOf(id), 0, path);
    assert.equal((await entered.load('/console')).status, 303, path);
    for (const passkey of passkeys) assert.equal((await signIn(passkey)).status, 403, path);
  }
});

test('of enrolments at the same time no more are stored than a person may have', async () => {
  const person = await openSession(shared, 'viewer');
  for (let count = 0; count < MAX - 2; count++) await enrol(person);
  const started = await Promise.all(Array.from({ length: 6 }, () => beginEnrolment(person)));
  const statuses = await Promise.all(started.map(({ finish }) => finish()));
  assert.deepEqual(statuses.sort(), [200, 200, 400, 400, 400, 400]);
  assert.equal(await countOf(person.operator.id), MAX);
});

test('of two answers with the same counter one signs in, as of a copied authenticator', async () => {
  const authenticator = await enrol(await openSession(shared, 'viewer'));
  assert.equal((await signIn(authenticator, 7)).status, 200);
  for (const counter of [7, 6, 0]) assert.equal((await signIn(authenticator, counter)).status, 403, `counter ${counter}`);
  for (let round = 8; round < 20; round++) {
    const [one, other] = [await beginSignIn(authenticator), await beginSignIn(authenticator)];
    const answers = await Promise.all([one(round), other(round)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403], `counter ${round}`);
  }
  const without = await enrol(await openSession(shared, 'viewer'));
  for (let count = 0; count < 2; count++) assert.equal((await signIn(without, 0)).status, 200, 'without a counter');
});

test('a passkey of somebody who is disabled does not sign in', async () => {
  const admin = await openSession(shared, 'admin');
  const person = await openSession(shared, 'viewer');
  const authenticator = await enrol(person);
  await admin.submit(`/console/people/${person.operator.id}/disable`);
  assert.equal((await signIn(authenticator)).status, 403);
});
