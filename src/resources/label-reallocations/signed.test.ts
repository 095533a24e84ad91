// Tests of signed requests (RFC 9421) for reallocations: what is accepted and kept as evidence, and what is refused.
import assert from 'node:assert/strict';
import { constants, createHmac, createPublicKey, randomUUID, sign, verify } from 'node:crypto';
import { after, test } from 'node:test';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { newKey, proofOf, securedClient, sendJson, startKeyServer } from '../../../test/support/client-keys.ts';
import { type Answer, assertRefused, HAL, idOf } from '../../../test/support/http.ts';
import { openClient } from '../../../test/support/oauth.ts';
import { sendBytes } from '../../../test/support/raw-http.ts';
import { startService } from '../../../test/support/service.ts';
import { COVERED, digestOf, newSigner, type Signer, signed } from '../../../test/support/signed-requests.ts';
import { assertSoundLedger } from '../../../test/support/sound-ledger.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { changeTerms, type NewTerms } from '../oauth/application-key.ts';

const shared = await startService({ after }, { env: { WEBHOOK_ALLOW_PRIVATE: 'true', TOKEN_FAILURES_PER_MINUTE: '0' } });

type Change = Partial<Parameters<typeof signed>[0]> & {
  /** Sent in place of what was signed. */
  sent?: Record<string, string | string[]>;
  sentBody?: string;
  path?: string;
};

/** An account with two labels, and an application with keys that sends signed requests. */
async function openSigned(terms: NewTerms | undefined = undefined, signer: Signer = newSigner('first')) {
  const account = await openClient(shared);
  const labels = await account.newLabels();
  const application = await securedClient(account, terms ?? { keys: [signer.jwk] });
  const token = (await account.tokenOf(application))!;
  const { url, call } = account;
  const bodyOf = (value = '1.00', more: object = {}) =>
    JSON.stringify({ ...account.reallocation(labels.from, labels.to, value), ...more });
  const send = async (change: Change = {}): Promise<Answer> => {
    const { body = bodyOf(), sent = {}, sentBody = body, path = '/label-reallocations', ...rest } = change;
    const headers = await signed({ by: signer, url: `${url}${path}`, body, ...rest });
    return call('POST', path, { token, raw: sentBody, headers: { ...headers, ...sent } });
  };
  const balance = async () => (await call('GET', labels.from)).body.amount.value as string;
  return { ...account, ...labels, application, signer, token, bodyOf, send, balance };
}

/** Signs and sends a target and a body as they are, which no library would. `covered`: what the signature covers of the target. */
async function sendAsIs(
  { signer, token, url }: Pick<Awaited<ReturnType<typeof openSigned>>, 'signer' | 'token' | 'url'>,
  {
    target,
    body,
    covered = { '@target-uri': `${url}${target}` },
  }: { target: string; body: string; covered?: Record<string, string> },
): Promise<Answer> {
  const { host, port } = new URL(url);
  const parts: Record<string, string> = { '@method': 'POST', ...covered, 'content-digest': digestOf(body) };
  const names = Object.keys(parts);
  const input = `(${names.map((name) => `"${name}"`).join(' ')});created=${Math.floor(Date.now() / 1000)};nonce="${randomUUID()}";keyid="first"`;
  const base = `${names.map((name) => `"${name}": ${parts[name]}\n`).join('')}"@signature-params": ${input}`;
  const signature = sign('sha256', Buffer.from(base), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' });
  const head = [
    `POST ${target} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${HAL}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Content-Digest: ${parts['content-digest']}`,
    `Signature-Input: sig=${input}`,
    `Signature: sig=:${signature.toString('base64')}:`,
  ];
  const [answer] = await sendBytes(Number(port), `${head.join('\r\n')}\r\n\r\n${body}`);
  return answer!;
}

function assertSignatureRefused(answer: Answer, message: RegExp): void {
  assertRefused(answer, { status: 400, code: 'BadRequest' });
  assert.match(answer.body.message, /^The signature of the request is refused\. /);
  assert.match(answer.body.message, message);
}

for (const alg of ['ecdsa-p256-sha256', 'ed25519', 'rsa-pss-sha512'] as const) {
  test(`a reallocation that is signed with ${alg} keeps the evidence, which others can verify`, async () => {
    const signer = newSigner('first', alg);
    const { send, call, application, bodyOf, url } = await openSigned(undefined, signer);
    const answer = await send({ params: { alg, nonce: 'n-1', expires: new Date(Date.now() + 30_000) } });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.text, '');
    const { signature } = (await call('GET', answer.headers.location!)).body;
    assert.deepEqual(
      [signature.applicationId, signature.keyId, signature.algorithm, signature.valid],
      [application.client_id, 'first', alg, true],
    );
    assert.equal(signature.content, bodyOf());
    assert.match(signature.base, new RegExp(`^"@method": POST\n"@target-uri": ${url}/label-reallocations\n`));
    assert.ok(signature.base.includes(`\n"content-digest": ${digestOf(signature.content)}\n`));
    assert.ok(Math.abs(Date.parse(signature.signed) - Date.now()) < 60_000);
    // As somebody else verifies it, with node:crypto alone.
    const publicKey = createPublicKey({ key: signature.publicKey, format: 'jwk' });
    const how = {
      'ecdsa-p256-sha256': ['sha256', { key: publicKey, dsaEncoding: 'ieee-p1363' }],
      ed25519: [null, publicKey],
      'rsa-pss-sha512': [
        'sha512',
        { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO },
      ],
    } as const;
    const [digest, key] = how[alg];
    assert.equal(verify(digest, Buffer.from(signature.base), key, Buffer.from(signature.signature, 'base64')), true);
  });
}

test('without a signature there is no evidence', async () => {
  const { call, token, bodyOf, balance } = await openSigned();
  const answer = await call('POST', '/label-reallocations', { token, raw: bodyOf() });
  assert.equal(answer.status, 201);
  assert.equal('signature' in (await call('GET', answer.headers.location!)).body, false);
  assert.equal(await balance(), '99.00');
});

test('the evidence is still shown and valid after the key was rotated away, and with the thumbprint as key id', async () => {
  const { send, call, application, signer, database } = { ...(await openSigned()), database: shared.service.database };
  const made = (await send()).headers.location!;
  const next = newSigner('second');
  await database.transaction((tx) => changeTerms(tx, application.client_id, { keys: [next.jwk] }));
  await waitUntil('the former key is refused', async () => (await send({ by: signer })).status === 400);
  assert.equal((await send({ by: next })).status, 201);
  const { signature } = (await call('GET', made)).body;
  assert.deepEqual([signature.keyId, signature.valid], ['first', true]);
  const byThumbprint = { ...signer, jwk: { ...signer.jwk, kid: signature.thumbprint as string } };
  await database.transaction((tx) => changeTerms(tx, application.client_id, { keys: [signer.jwk] }));
  await waitUntil('the key is accepted again', async () => (await send({ by: byThumbprint })).status === 201);
});

test('what is changed on the way is refused, and nothing moves', async () => {
  const { send, call, from, bodyOf, balance, url } = await openSigned();
  const other = bodyOf('2.00');
  const otherDigest = { 'content-digest': digestOf(other) };
  const refused: [Change, RegExp][] = [
    [{ sentBody: other }, /The sha-256 of Content-Digest is not that of the content\.$/],
    [{ sentBody: other, sent: otherDigest }, /does not fit the request and its key/],
    [{ headers: otherDigest }, /The sha-256 of Content-Digest is not that of the content\.$/],
    [{ url: `${url}/labels` }, /does not fit/],
    [{ url: `${url}/label-reallocations?x=1` }, /does not fit/],
    [{ url: 'https://other.example/label-reallocations' }, /does not fit/],
    [{ method: 'PUT' }, /does not fit/],
    [
      { fields: ['@method', '@authority', '@path', 'content-digest'], url: 'https://other.example/label-reallocations' },
      /does not fit/,
    ],
    [{ fields: [...COVERED, 'content-type'], sent: { 'content-type': 'application/json' } }, /does not fit/],
    [{ by: newSigner('first') }, /does not fit/],
    [{ sent: { signature: 'sig=:AAAA:' } }, /does not fit/],
  ];
  for (const [change, message] of refused) assertSignatureRefused(await send(change), message);
  assert.equal(await balance(), '100.00');
  assert.equal((await call('GET', `${from}/ledger-entries`)).body.total, 1);
});

test('an incomplete signature is refused', async () => {
  const { send, balance } = await openSigned();
  const refused: [Change, RegExp][] = [
    [{ fields: ['@target-uri', 'content-digest'] }, /does not cover @method/],
    [{ fields: ['@method', 'content-digest'] }, /does not cover @target-uri, or @authority and @path/],
    [{ fields: ['@method', '@path', 'content-digest'] }, /does not cover @target-uri, or @authority and @path/],
    [{ fields: ['@method', '@target-uri'] }, /does not cover content-digest/],
    [{ headers: { 'idempotency-key': 'k1' } }, /does not cover idempotency-key/],
    [{ params: { created: undefined } }, /created is missing/],
    [{ params: { keyid: undefined } }, /No signature has the keyid of a key/],
    [{ fields: [...COVERED, 'cookie'], headers: { cookie: 'x=1' } }, /The component cookie is not accepted/],
    [{ sent: { 'signature-input': 'sig=("@method";req)' } }, /No signature has the keyid/],
    [{ sent: { 'signature-input': 'sig="@method"' } }, /no list of components for sig/],
    [{ sent: { 'signature-input': 'other=("@method")' } }, /Signature-Input has no sig/],
    [{ sent: { 'signature-input': '(' } }, /Signature-Input is not a dictionary/],
    [{ sent: { 'signature-input': '' } }, /Signature-Input is missing/],
    [{ sent: { signature: '' } }, /Signature is missing/],
    [{ sent: { signature: 'sig="text"' } }, /Signature has no bytes for sig/],
    [{ sent: { signature: 'other=:AAAA:' } }, /Signature-Input has no other/],
  ];
  for (const [change, message] of refused) assertSignatureRefused(await send(change), message);
  assert.equal(await balance(), '100.00');
});

test('only Signature, or only Signature-Input, is not a signed request', async () => {
  const { signer, url, bodyOf, call, token, balance } = await openSigned();
  const body = bodyOf();
  const headers = await signed({ by: signer, url: `${url}/label-reallocations`, body });
  for (const name of ['Signature', 'Signature-Input']) {
    const { [name]: _removed, ...left } = headers;
    assertSignatureRefused(await call('POST', '/label-reallocations', { token, raw: body, headers: left }), /is missing/);
  }
  assert.equal(await balance(), '100.00');
});

test('a signature is of now: 60 seconds before and after, and not past its own end', async () => {
  const { send } = await openSigned();
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000);
  for (const seconds of [-65, 65, -86_400]) {
    assertSignatureRefused(await send({ params: { created: at(seconds) } }), /created is more than 60 seconds away/);
  }
  assertSignatureRefused(await send({ params: { expires: at(-1) } }), /expires is in the past/);
  for (const seconds of [-50, 50]) assert.equal((await send({ params: { created: at(seconds) } })).status, 201);
});

test('a label or a digest that is there twice is refused', async () => {
  const { send, signer, url, bodyOf, balance } = await openSigned();
  const body = bodyOf();
  const headers = await signed({ by: signer, url: `${url}/label-reallocations`, body });
  const [input, signature] = [headers['Signature-Input']!, headers.Signature!];
  const cases: [Record<string, string | string[]>, RegExp][] = [
    [{ 'signature-input': `${input}, ${input}`, signature }, /Signature-Input has a member twice/],
    [{ 'signature-input': [input, input], signature }, /Signature-Input has a member twice/],
    [{ 'signature-input': input, signature: `sig=:AAAA:, ${signature}` }, /Signature has a member twice/],
    [{ 'content-digest': `${digestOf('x')}, ${digestOf(body)}` }, /does not fit/],
  ];
  for (const [sent, message] of cases) assertSignatureRefused(await send({ body, sent }), message);
  const twice = `${digestOf(body)}, ${digestOf(body)}`;
  assertSignatureRefused(await send({ body, headers: { 'content-digest': twice } }), /Content-Digest has a member twice/);
  assert.equal(await balance(), '100.00');
});

test('the key decides the algorithm: no other, no HMAC with the public key, no key of another application', async () => {
  const { send, signer, url, bodyOf, balance, call, token } = await openSigned();
  const body = bodyOf();
  /** Without the library, which signs nothing like this. */
  const sendWith = (more: string, signatureOf: (base: string) => Buffer) => {
    const created = Math.floor(Date.now() / 1000);
    const input = `("@method" "@target-uri" "content-digest");created=${created};keyid="first"${more}`;
    const base = `"@method": POST\n"@target-uri": ${url}/label-reallocations\n"content-digest": ${digestOf(body)}\n"@signature-params": ${input}`;
    const signature = `sig=:${signatureOf(base).toString('base64')}:`;
    const headers = { 'signature-input': `sig=${input}`, signature, 'content-digest': digestOf(body) };
    return call('POST', '/label-reallocations', { token, raw: body, headers });
  };
  const rightly = (base: string) => sign('sha256', Buffer.from(base), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' });
  for (const alg of ['"hmac-sha256"', '"ed25519"', '"rsa-v1_5-sha256"', '"none"', '""', 'ecdsa-p256-sha256', '1']) {
    assertSignatureRefused(await sendWith(`;alg=${alg}`, rightly), /alg is not ecdsa-p256-sha256, that of its key/);
  }
  const pem = createPublicKey({ key: signer.jwk, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
  for (const secret of [pem, JSON.stringify(signer.jwk), signer.jwk.x as string]) {
    const mac = (base: string) => createHmac('sha256', secret).update(base).digest();
    assertSignatureRefused(await sendWith('', mac), /does not fit/);
    assertSignatureRefused(await sendWith(';alg="hmac-sha256"', mac), /alg is not/);
  }
  assertSignatureRefused(await sendWith('', (base) => sign('sha256', Buffer.from(base), signer.privateKey)), /does not fit/);
  assert.equal(await balance(), '100.00');
  const another = await openSigned(undefined, newSigner('theirs'));
  for (const by of [another.signer, newSigner('unknown'), newSigner("' or 1 = 1 --"), newSigner('../../keys')]) {
    assertSignatureRefused(await send({ by }), /No signature has the keyid of a key of the application/);
  }
  const secretOnly = await openSigned({});
  assertSignatureRefused(await secretOnly.send(), /No signature has the keyid of a key of the application/);
  assert.equal(await balance(), '100.00');
  assert.equal((await sendWith(';alg="ecdsa-p256-sha256"', rightly)).status, 201);
});

test('of several signatures, those of the application must all be right; those of proxies do not count', async () => {
  const { send, signer, url, bodyOf, call } = await openSigned();
  const body = bodyOf();
  const sendBoth = async (other: Signer) => {
    const sign = (by: Signer, label: string) => signed({ by, label, url: `${url}/label-reallocations`, body });
    const [own, theirs] = [await sign(signer, 'own'), await sign(other, 'theirs')];
    const join = (name: string) => `${theirs[name]}, ${own[name]}`;
    return send({ body, sent: { 'signature-input': join('Signature-Input'), signature: join('Signature') } });
  };
  const answer = await sendBoth(newSigner('of a proxy', 'ed25519'));
  assert.equal(answer.status, 201, answer.text);
  assert.equal((await call('GET', answer.headers.location!)).body.signature.keyId, 'first');
  assertSignatureRefused(await sendBoth(newSigner('first')), /does not fit/);
});

test('a repeated idempotency key gives the first answer, also with another signature, and keeps the first evidence', async () => {
  const { send, call, balance } = await openSigned();
  const keyed = { headers: { 'idempotency-key': 'pay-1' }, fields: [...COVERED, 'idempotency-key'] };
  const first = await send({ ...keyed, params: { nonce: 'one' } });
  assert.equal(first.status, 201, first.text);
  const again = await send({ ...keyed, params: { nonce: 'two' } });
  assert.deepEqual([again.status, again.headers.location], [201, first.headers.location]);
  assert.equal(again.headers['idempotent-replayed'], 'true');
  assertSignatureRefused(await send({ ...keyed, by: newSigner('first') }), /does not fit/);
  assert.match((await call('GET', first.headers.location!)).body.signature.base, /;nonce="one"/);
  assert.equal(await balance(), '99.00');
});

test('a signature without an idempotency key is accepted once, also at the same time and in two processes', async () => {
  const { signer, url, bodyOf, call, token, balance } = await openSigned();
  const body = bodyOf();
  const headers = await signed({ by: signer, url: `${url}/label-reallocations`, body, params: { nonce: 'n' } });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call('POST', '/label-reallocations', { token, raw: body, headers })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400, 400, 400]);
  for (const answer of answers.filter(({ status }) => status === 400)) assertSignatureRefused(answer, /It was used before/);
  assert.equal(await balance(), '99.00');
});

test('a refused reallocation keeps no evidence', async () => {
  const { send, bodyOf } = await openSigned();
  const count = async () => (await shared.sql`select 1 from transfer_evidence`).length;
  const before = await count();
  assertRefused(await send({ body: bodyOf('1000.00') }), { status: 400, code: 'ValidationError' });
  assert.equal(await count(), before);
});

test('a reversal keeps the evidence too, with a body and without', async () => {
  const { send, call, signer, url, token } = await openSigned();
  const made = (await send()).headers.location!;
  const path = `${made}/reversals`.replace(url, '');
  const part = await send({ path, body: JSON.stringify({ amount: { value: '0.40', currency: 'USD' } }) });
  assert.equal(part.status, 201, part.text);
  const headers = await signed({ by: signer, url: `${url}${path}`, fields: ['@method', '@target-uri'] });
  const rest = await call('POST', path, { token, headers });
  assert.equal(rest.status, 201, rest.text);
  for (const reversal of [part, rest]) {
    assert.equal((await call('GET', reversal.headers.location!)).body.signature.valid, true);
  }
  const another = `${(await send({ params: { nonce: 'another' } })).headers.location!}/reversals`.replace(url, '');
  const withDigest = async (digest: string) => {
    const signedFor = { by: signer, url: `${url}${another}`, headers: { 'content-digest': digest } };
    return call('POST', another, { token, headers: await signed(signedFor) });
  };
  assertSignatureRefused(await withDigest(digestOf('x')), /Content-Digest is not that of the content/);
  const empty = await withDigest(digestOf(''));
  assert.equal(empty.status, 201, empty.text);
  assert.equal((await call('GET', empty.headers.location!)).body.signature.valid, true);
});

test('the ledger check accepts every target that was accepted, however it was spelled', async () => {
  const account = await openSigned();
  const body = account.bodyOf();
  const host = new URL(account.url).host;
  const made = idOf((await account.send()).headers.location!);
  const reversal = JSON.stringify({ amount: { value: '0.01', currency: 'USD' } });
  const targets: [status: number, target: string, body: string, path?: string][] = [
    [201, '/label%2Dreallocations', body],
    [201, '/%6cabel%2dreallocation%73', body],
    [201, '/label-reallocations?', body],
    [201, '/label-reallocations?at=%ZZ/x?#', body],
    [201, '/label-reallocations#?/x', body, '/label-reallocations'],
    [201, `/label-reallocations/${made}/%72eversals?x`, reversal, `/label-reallocations/${made}/%72eversals`],
    [201, `/label-reallocations/${made.replace('-', '%2D')}/reversals`, reversal],
    [404, `/label-reallocations/${made.toUpperCase()}/reversals`, reversal],
    [404, '/label%252Dreallocations', body],
    [404, '/label-reallocations/', body],
    [404, '//label-reallocations', body],
    [404, '/./label-reallocations', body],
    [404, '/x/../label-reallocations', body],
  ];
  for (const [status, target, body, path = target.replace(/\?.*/, '')] of targets) {
    const answer = await sendAsIs(account, { target, body });
    assert.equal(answer.status, status, `${target}: ${answer.text}`);
    const byPath = await sendAsIs(account, { target, body, covered: { '@authority': host, '@path': path } });
    assert.equal(byPath.status, status, `@path of ${target}: ${byPath.text}`);
  }
  await assertSoundLedger(shared.service.database);
});

test('a signed request in absolute form is refused', async () => {
  const account = await openSigned();
  const body = account.bodyOf();
  const { host } = new URL(account.url);
  for (const target of ['http://any/label-reallocations', `${account.url}/label-reallocations`]) {
    const byPath: Record<string, string> = { '@authority': host, '@path': '/label-reallocations' };
    for (const covered of [{ '@target-uri': target }, byPath]) {
      assertSignatureRefused(await sendAsIs(account, { target, body, covered }), /The target of the request is not a path/);
    }
  }
  assert.equal(await account.balance(), '100.00');
});

test('a key whose numbers are not written as usual signs too, and the ledger check accepts it', async () => {
  const ec = newSigner('first');
  const rsa = newSigner('second', 'rsa-pss-sha512');
  const withZero = Buffer.concat([Buffer.alloc(1), Buffer.from(rsa.jwk.n as string, 'base64url')]).toString('base64url');
  const keys = [
    { ...ec.jwk, x: `${ec.jwk.x}=` },
    { ...rsa.jwk, n: withZero },
  ];
  const { send, call } = await openSigned({ keys });
  for (const { by, usual } of [
    { by: ec, usual: ec.jwk },
    { by: rsa, usual: rsa.jwk },
  ]) {
    const answer = await send({ by });
    assert.equal(answer.status, 201, answer.text);
    const { signature } = (await call('GET', answer.headers.location!)).body;
    assert.equal(signature.thumbprint, await calculateJwkThumbprint(usual as JWK));
  }
  await assertSoundLedger(shared.service.database);
});

test('the ledger check accepts every body that was accepted, however it was written', async () => {
  const account = await openSigned();
  const { bodyOf, url } = account;
  const plain = bodyOf();
  const deep = (levels: number) => `{"mode":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const bodies: [status: number, body: string][] = [
    [201, `\uFEFF${plain}`],
    [400, `\uFEFF\uFEFF${plain}`],
    [201, `\r\n\t ${plain}\n\n`],
    [201, plain.replace('"amount"', String.raw`"\u0061mount"`)],
    [201, plain.replace('"1.00"', String.raw`"\u0031.00"`)],
    [201, bodyOf('1.00', { reference: 'u\u0308 \u00fc \u212b \u{1f4b6} \u2028 \ufeff' })],
    [201, bodyOf('1.00', { reference: '  two  ', correlationId: ' c ', externalId: 'e-1' })],
    [201, bodyOf('1.00', { reference: 'x' }).replace('"x"', String.raw`"\ud83d\udcb6\/\"\\"`)],
    [400, bodyOf('1.00', { reference: 'x' }).replace('"x"', String.raw`"\ud83d"`)],
    [400, bodyOf('1.00', { reference: 'x' }).replace('"x"', String.raw`"\u0000"`)],
    [201, bodyOf('1.00', { metadata: { b: '1', a: '2', 10: 'x', 9: 'y', constructor: 'ü' } })],
    [201, bodyOf('1.00', { metadata: {} })],
    [400, bodyOf('1.00', { metadata: { a: 'x' } }).replace('"x"', '1e400')],
    [400, plain.replace('{', '{"__proto__":{},')],
    [400, plain.replace('"amount"', '"reference":"a","reference":"b","amount"')],
    [400, plain.replace('"1.00"', '1e400')],
    [400, bodyOf('99999999999999999999999999')],
    [400, bodyOf('1.000')],
    [400, `[${plain}]`],
    [400, 'null'],
    [400, ''],
  ];
  for (const [status, body] of bodies) {
    const answer = await sendAsIs(account, { target: '/label-reallocations', body });
    assert.equal(answer.status, status, `${body}: ${answer.text}`);
  }
  const reversals: [status: number, body: string][] = [
    [201, 'null'],
    [201, ' null\n'],
    [201, '\uFEFFnull'],
    [201, ''],
    [201, '{}'],
    [201, '\uFEFF{"mode":"available"}'],
    [201, '{"mode":"exact","amount":{"value":"0.5","currency":"USD"},"reference":" \\u00e9 "}'],
    ...['  ', 'false', '0', '""', '[]', '[null]', '{"amount":null}', '{"mode":"exact","mode":"exact"}', '1e999'].map(
      (body): [number, string] => [400, body],
    ),
    [400, deep(31)],
    [400, deep(33)],
  ];
  for (const [status, body] of reversals) {
    const made = (await sendAsIs(account, { target: '/label-reallocations', body: plain })).headers.location!;
    const answer = await sendAsIs(account, { target: `${made}/reversals`.replace(url, ''), body });
    assert.equal(answer.status, status, `${body}: ${answer.text}`);
  }
  await assertSoundLedger(shared.service.database);
});

test('a batch with a signature is refused, because its evidence is not kept', async () => {
  const { send, bodyOf, balance } = await openSigned();
  const body = JSON.stringify({ mode: 'atomic', items: [JSON.parse(bodyOf())] });
  const refused = await send({ path: '/label-reallocation-batches', body });
  assertRefused(refused, {
    status: 400,
    code: 'BadRequest',
    message:
      'A signature of a batch cannot be kept with each of its reallocations: send signed label reallocations one by one, or the batch unsigned.',
  });
  assert.equal(await balance(), '100.00');
});

test('keys at an address sign too, and a new one is read', async (t) => {
  const signer = newSigner('remote');
  const server = await startKeyServer(t, (_request, response) => sendJson(response, { keys: [signer.jwk] }));
  const { send } = await openSigned({ jwksUri: `${server.url}/keys` }, signer);
  const answer = await send();
  assert.equal(answer.status, 201, answer.text);
});

test('a signed request with a token that is bound to a key needs both', async () => {
  const account = await openSigned();
  const { application, url, post, call, signer, bodyOf } = account;
  const { client_id, client_secret } = application;
  const dpopKey = await newKey();
  const at = (path: string, token?: string) => proofOf(dpopKey, { method: 'POST', url: `${url}${path}`, token });
  const issued = await post(
    '/token',
    { grant_type: 'client_credentials', client_id, client_secret },
    { dpop: await at('/token') },
  );
  const token = issued.body.access_token;
  const body = bodyOf();
  const path = '/label-reallocations';
  const sent = async (by: Signer) => ({
    ...(await signed({ by, url: `${url}${path}`, body })),
    authorization: `DPoP ${token}`,
  });
  const good = await call('POST', path, {
    raw: body,
    token: undefined,
    headers: { ...(await sent(signer)), dpop: await at(path, token) },
  });
  assert.equal(good.status, 201, good.text);
  assertRefused(await call('POST', path, { raw: body, token: undefined, headers: await sent(signer) }), {
    status: 401,
    code: 'InvalidAccessToken',
  });
  const wrong = { ...(await sent(newSigner('first'))), dpop: await at(path, token) };
  assertSignatureRefused(await call('POST', path, { raw: body, token: undefined, headers: wrong }), /does not fit/);
});

test('signature fields that are too large are refused', async () => {
  const { signer, url, token, bodyOf, send, balance } = await openSigned();
  const covering = (count: number) => ({ 'signature-input': `sig=(${'"x-a" '.repeat(count)});keyid="first"` });
  assertSignatureRefused(await send({ sent: covering(2_000) }), /created is missing/);
  const body = bodyOf();
  const headers = { ...(await signed({ by: signer, url: `${url}/label-reallocations`, body })), ...covering(4_000) };
  const answer = await shared.send('POST', '/label-reallocations', { token, raw: body, headers });
  assert.equal(answer.status, 431, answer.text);
  assert.equal(await balance(), '100.00');
});

test('an erasure removes evidence that has texts, and keeps the others', async () => {
  const { send, bodyOf, call, customer } = await openSigned();
  const [plain, text] = [await send(), await send({ body: bodyOf('1.00', { reference: 'Rent of May' }) })];
  assert.equal((await call('GET', text.headers.location!)).body.signature.content.includes('Rent of May'), true);
  const { eraseEvidence } = await import('../../ledger/transfers/evidence.ts');
  await shared.service.database.transaction((tx) => eraseEvidence(tx, customer.split('/').at(-1)!));
  assert.equal((await call('GET', plain.headers.location!)).body.signature.valid, true);
  assert.equal('signature' in (await call('GET', text.headers.location!)).body, false);
});

test('evidence that was changed in the database is shown as invalid', async () => {
  const { send, call } = await openSigned();
  const made = (await send()).headers.location!;
  const id = made.split('/').at(-1)!;
  const set = (member: string, value: string) =>
    shared.sql`
      update transfer_evidence set evidence = jsonb_set(evidence, array[${member}::text], to_jsonb(${value}::text))
      where transfer_id = ${id}`;
  const { signature } = (await call('GET', made)).body;
  for (const [member, value] of [
    ['content', signature.content.replace('1.00', '9.00')],
    ['base', signature.base.replace('POST', 'PUT')],
    ['signature', Buffer.alloc(64).toString('base64')],
  ] as const) {
    await set(member, value);
    assert.equal((await call('GET', made)).body.signature.valid, false, member);
    await set(member, signature[member]);
  }
  assert.equal((await call('GET', made)).body.signature.valid, true);
});
