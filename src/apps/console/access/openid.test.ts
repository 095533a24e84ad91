// Sign-in with an identity provider that answers wrongly, and with other sites that send a browser to the console.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentityProvider } from '../../../../test/support/identity-provider.ts';
import { cookieIn, newLink, newOperator, openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { findOperator, listOperators } from '../../../resources/operators/operator.ts';

const OWN = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };
/** A picture of another site, whose address is of the console. */
const PICTURE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image', accept: 'image/*' };
const FAILURES = 5;

const provider = await startIdentityProvider({ after });
const service = await startService(
  { after },
  { env: { ...provider.env, TOKEN_FAILURES_PER_MINUTE: String(FAILURES) }, processes: 1 },
);

test('a person signs in, and the log has no error', async () => {
  const entered = await provider.signIn(service);
  assert.equal(entered.status, 200, entered.text);
  const page = await service.send('GET', '/console', { headers: { ...OWN, cookie: sessionOf(entered) } });
  assert.ok(page.status === 200 && page.text.includes('Ada'));
  assert.deepEqual(
    service.logs.filter((line) => JSON.parse(line).level >= 40),
    [],
  );
});

test('an ID token with another signature, an old or future time, or a subject of nobody signs nobody in', async (t) => {
  const strict = await startService(t, { env: { ...provider.env, TOKEN_FAILURES_PER_MINUTE: '0' } });
  const now = Math.floor(Date.now() / 1000);
  const tokens = [
    { isForged: true },
    ...[undefined, now - 3600, now + 3600, String(now), Number.MAX_SAFE_INTEGER].map((iat) => ({ claims: { iat } })),
    ...[undefined, '', ' ', 'a\0b', '\u200b', 'a'.repeat(256), 7].map((sub) => ({ claims: { sub } })),
    { claims: { nonce: 'another' } },
    { claims: { aud: 'another' } },
  ];
  for (const token of tokens) {
    const refused = await provider.signIn(strict, token);
    assert.deepEqual([refused.status, sessionOf(refused)], [403, ''], JSON.stringify(token));
  }
  assert.deepEqual(await listOperators(strict.sql), []);
});

test('a name without a visible character is replaced, and one with invisible characters is not another name', async () => {
  const names: [sub: string, name: string, stored: string][] = [
    ['grace', 'Grace\0 \u200b\u3164Hopper\u202e', 'Grace Hopper'],
    ['mallory', 'Grace\u2800\u00a0\ufeff  Hopper', 'Grace Hopper (mallory)'],
    ['nobody', '\0\u200b\u2060', 'nobody'],
  ];
  for (const [sub, name, stored] of names) {
    const entered = await provider.signIn(service, { claims: { sub, name } });
    assert.equal(entered.status, 200, entered.text);
    assert.ok(await findOperator(service.sql, { name: stored }), stored);
  }
});

test('pictures of other sites do not lock out a person, and wrong links do not block a correct one', async () => {
  for (let picture = 0; picture < 40; picture++) {
    const callback = await service.send('GET', '/console/openid/callback?code=x&state=y', { headers: PICTURE });
    assert.deepEqual([callback.status, callback.headers['set-cookie'] && sessionOf(callback)], [403, '']);
    const begun = await service.send('GET', '/console/openid', { headers: PICTURE });
    assert.deepEqual([begun.status, begun.headers.location], [303, '/console/sign-in']);
  }
  const [refused] = await service.sql<{
    rows: number;
  }>`select count(*)::int as rows from audit_entry where action = 'sign_in_refused'`;
  assert.equal(refused!.rows, 0, 'requests that anybody can cause are not in the audit log');
  assert.equal((await provider.signIn(service)).status, 200);
  const wrong = () => service.send('POST', '/console/link/x', { headers: OWN });
  for (let failure = 0; failure < FAILURES; failure++) assert.equal((await wrong()).status, 403);
  assert.equal((await wrong()).status, 429);
  const link = await newLink(service, (await newOperator(service, 'viewer')).id);
  assert.equal((await service.send('POST', link, { headers: OWN })).status, 303, 'a correct link is never blocked');
  assert.equal((await provider.signIn(service)).status, 200, 'a valid answer is not blocked either');
});

test('roles of the claim end when the provider sends it no more, and those given in the console stay', async (t) => {
  const own = await startService(t, { env: { ...provider.env, TOKEN_FAILURES_PER_MINUTE: '0' } });
  const admin = await openSession(own, 'admin');
  const enter = async (roles: unknown) => {
    const entered = await provider.signIn(own, { claims: { sub: 'lea', name: 'Lea', roles } });
    const page = await own.send('GET', '/console/people', { headers: { ...OWN, cookie: sessionOf(entered) } });
    return [entered.status, page.status];
  };
  const manages = [200, 200];
  const enters = [200, 403];
  const refused = [403, 303];
  const giveHere = async (role: string) => {
    const { id } = (await findOperator(own.sql, { name: 'Lea' }))!;
    assert.equal((await admin.submit(`/console/people/${id}/roles`, { role })).status, 303);
  };
  for (const without of [undefined, null]) {
    assert.deepEqual(await enter(['admin']), manages);
    assert.deepEqual(await enter(without), refused);
    assert.deepEqual(await enter(without), refused);
  }
  await giveHere('viewer');
  assert.deepEqual(await enter(undefined), enters);
  assert.deepEqual(await enter(['viewer']), enters);
  assert.deepEqual(await enter(undefined), refused, 'the claim had replaced the role');
  await giveHere('admin');
  assert.deepEqual(await enter(undefined), manages);
});

function sessionOf({ headers }: { headers: Record<string, string | string[] | undefined> }): string {
  const cookie = [headers['set-cookie']].flat().find((header) => /session/.test(header ?? ''));
  return cookie === undefined ? '' : cookieIn(cookie);
}
