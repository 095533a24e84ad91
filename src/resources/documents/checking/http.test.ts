// Tests of the checker of another service: the signed request, and services that hang, fail, lie or are down.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { useCheckers } from '../../../../test/support/checkers.ts';
import { type Body, idOf } from '../../../../test/support/http.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { findDocument } from '../document.ts';
import { openHttpChecker } from './http.ts';
import { listResults } from './result.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const TIMEOUT_MS = 300;
const shared = await openUploads({ after }, { env: { MODE: 'production', AUTO_DECIDE: 'accept-text,reject' } });

type Received = { headers: IncomingHttpHeaders; text: string };
type Respond = (response: ServerResponse, attempt: number) => void;

/** Starts a checking service. Unlike a webhook, its requests contain personal data. */
async function startChecker(t: TestContext, respond: Respond) {
  const received: Received[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers, text: Buffer.concat(chunks).toString() });
    respond(response, received.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/check?v=1`, received };
}

/** Submits a document to a service that checks with another one. Returns what became of it. */
async function submitTo(t: TestContext, url: string, documentType = 'passport') {
  const checker = openHttpChecker({ url, secret: SECRET, timeoutMs: TIMEOUT_MS, pausesMs: [1, 1] });
  const { newOwner, submitted, get, service, sql } = useCheckers(t, shared, [checker]);
  const document = await submitted(await newOwner({ firstName: 'Ada', lastName: 'Lovelace' }), {
    documentType,
  });
  const [review] = await waitUntil('the check is recorded', async () => {
    const { _embedded } = await get(`${document}/reviews`);
    return _embedded.reviews.length > 0 && _embedded.reviews;
  });
  const [result] = await listResults(sql, service.sealer, (await findDocument(sql, idOf(document)))!);
  return { document: await get(document), review: review as Body, result };
}

const answer =
  (body: unknown): Respond =>
  (response) =>
    response.end(typeof body === 'string' ? body : JSON.stringify(body));

test('sends a signed request, and decides as the service answers', async (t) => {
  const accepted = await startChecker(t, answer({ decision: 'accepted', findings: ['Looks genuine.'], reference: 'check-7' }));
  const { document, review, result } = await submitTo(t, accepted.url);
  assert.equal(document.documentVerificationStatus, 'accepted');
  assert.deepEqual(review.reviewer, {
    ...{ kind: 'checker', name: 'http', version: '1' },
    lookedAt: ['copy', 'name', 'dateOfBirth'],
  });
  assert.equal(result?.reference, 'check-7');
  assert.deepEqual(result?.findings, [{ field: 'note', result: 'unclear', text: 'Looks genuine.' }]);
  const [{ headers, text }] = accepted.received as [Received];
  const sent = new Webhook(SECRET).verify(text, headers as Record<string, string>) as Body;
  assert.equal(headers['webhook-id'], document.id);
  const { file, ...rest } = sent;
  assert.deepEqual(rest, {
    version: 1,
    id: document.id,
    type: 'passport',
    today: new Date().toISOString().slice(0, 10),
    person: { firstName: 'Ada', lastName: 'Lovelace', dateOfBirth: '1979-11-30' },
  });
  assert.equal(file.mediaType, 'image/jpeg');
  assert.equal(Buffer.from(file.base64, 'base64').toString('hex', 0, 3), 'ffd8ff');

  const rejected = await startChecker(t, answer({ decision: 'rejected', reasons: ['ScanIdExpired', 'ScanDobMismatch'] }));
  const second = await submitTo(t, rejected.url);
  assert.equal(second.document.failureReason, 'ScanDobMismatch');
});

test('tries again after a timeout, a broken connection, 429 and 5xx', async (t) => {
  const flaky = await startChecker(t, (response, attempt) => {
    if (attempt === 1) response.writeHead(503).end();
    else if (attempt === 2) response.destroy();
    else response.end('{"decision":"accepted"}');
  });
  const { document } = await submitTo(t, flaky.url);
  assert.equal(document.documentVerificationStatus, 'accepted');
  assert.deepEqual(new Set(flaky.received.map(({ headers }) => headers['webhook-id'])), new Set([document.id]));
});

test('a service that hangs, is down, or refuses leaves the document to a person', async (t) => {
  const hanging = await startChecker(t, () => {});
  const refusing = await startChecker(t, (response) => response.writeHead(403).end('{"decision":"accepted"}'));
  const moved = await startChecker(t, (response) => response.writeHead(307, { location: refusing.url }).end());
  const texts: [url: string, text: RegExp, requests: number, received: Received[]][] = [
    [hanging.url, /did not respond completely within 0\.3 s/, 3, hanging.received],
    ['http://127.0.0.1:1/', /The connection was refused/, 0, []],
    [refusing.url, /status 403/, 1, refusing.received],
    [moved.url, /status 307/, 1, moved.received],
  ];
  for (const [url, text, requests, received] of texts) {
    const { document, review, result } = await submitTo(t, url);
    assert.equal(document.status, 'pending', url);
    assert.equal(review.decision, 'undecided');
    assert.match(result!.findings[0]!.text, text);
    assert.equal(received.length, requests);
  }
});

test('an answer that is not exactly of the protocol decides nothing', async (t) => {
  const lies: unknown[] = [
    'accepted',
    '{"decision":"accepted"',
    { decision: 'approved' },
    { decision: 'accepted', reasons: ['ScanIdExpired'] },
    { decision: 'rejected' },
    { decision: 'rejected', reasons: [] },
    { decision: 'rejected', reasons: ['TooUgly'] },
    { decision: 'accepted', admin: true },
    { decision: 'accepted', findings: ['x'.repeat(501)] },
    { decision: 'accepted', reference: 'x'.repeat(100_000) },
    [{ decision: 'accepted' }],
    null,
  ];
  for (const lie of lies) {
    const { url } = await startChecker(t, answer(lie));
    const { document, result } = await submitTo(t, url);
    assert.equal(document.status, 'pending', JSON.stringify(lie).slice(0, 100));
    assert.match(result!.findings[0]!.text, /invalid/);
  }
  // A reason of the protocol that does not apply to a passport.
  const { url } = await startChecker(t, answer({ decision: 'rejected', reasons: ['BusinessTypeMismatch'] }));
  assert.equal((await submitTo(t, url)).document.status, 'pending');
});
