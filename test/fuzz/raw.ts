// Malformed HTTP that a proxy and a server may read differently (RFC 9112 §11.2), and requests that arrive too slowly.
import assert from 'node:assert/strict';
import { HAL } from '../support/http.ts';
import { ask, type Exchange, type Sent } from './wire.ts';

/**
 * `refused`: one response, a refusal, and the connection is closed: nothing behind it is read as a request. `one`: one request.
 * `both`: two requests.
 */
type Outcome = 'refused' | 'one' | 'both';
type Case = { name: string; outcome: Outcome; text: string };

/** The smuggled request: it would be answered with 200. */
const HIDDEN = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const BODY = 'grant_type=client_credentials';
const TIMEOUT_MS = 20_000;
const REFUSALS = [400, 408, 413, 415, 431, 501, 505];

const post = (headers: string, body = '') =>
  `POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n${headers}\r\n${body}`;
const chunked = (body: string, header = 'Transfer-Encoding: chunked\r\n') => post(header, body);
const length = `Content-Length: ${BODY.length}\r\n`;

/** Each is followed by a second request behind what may be taken for the end of the first. */
const SMUGGLING: Record<string, [Outcome, string]> = {
  'both lengths': ['refused', post(`Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${HIDDEN}`)],
  'both lengths in reverse order': [
    'refused',
    post(`Transfer-Encoding: chunked\r\nContent-Length: ${HIDDEN.length + 5}\r\n`, `0\r\n\r\n${HIDDEN}`),
  ],
  'two lengths that differ': ['refused', post(`Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n`, HIDDEN)],
  'two lengths that agree': ['refused', post(`${length}${length}`, BODY + HIDDEN)],
  'a list of lengths': ['refused', post('Content-Length: 5, 5\r\n', `abcde${HIDDEN}`)],
  ...Object.fromEntries(
    ['+5', '-1', '0x5', '5 5', '5;', '"5"', '1e1', '5.0', '', 'five', '99999999999999999999', '5\u00a0', '\u0665'].map(
      (value) => [
        `the length ${JSON.stringify(value)}`,
        ['refused', post(`Content-Length: ${value}\r\n`, `abcde${HIDDEN}`)] as [Outcome, string],
      ],
    ),
  ),
  'a space before the colon of a length': ['refused', post('Content-Length : 5\r\n', `abcde${HIDDEN}`)],
  'a space before the colon of an encoding': ['refused', chunked(`0\r\n\r\n${HIDDEN}`, 'Transfer-Encoding : chunked\r\n')],
  ...Object.fromEntries(
    [
      'identity',
      'xchunked',
      'chunked, identity',
      'chunked, chunked',
      'chunked;q=1',
      '"chunked"',
      'gzip',
      'chunked\u000b',
      'chunk',
      '',
    ].map((value) => [
      `the encoding ${JSON.stringify(value)}`,
      ['refused', chunked(`0\r\n\r\n${HIDDEN}`, `Transfer-Encoding: ${value}\r\n`)] as [Outcome, string],
    ]),
  ),
  'two encodings, the last not chunked': [
    'refused',
    chunked(`0\r\n\r\n${HIDDEN}`, 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n'),
  ],
  'an encoding on a folded line': ['refused', chunked(`0\r\n\r\n${HIDDEN}`, 'Transfer-Encoding:\r\n chunked\r\n')],
  'a length on a folded line': ['refused', post('Content-Length:\r\n 5\r\n', `abcde${HIDDEN}`)],
  'obsolete folding': ['refused', post(`X-A: a\r\n b\r\n${length}`, BODY)],
  'folding before the first header': ['refused', `GET / HTTP/1.1\r\n Host: localhost\r\n\r\n${HIDDEN}`],
  'bare LF everywhere': ['refused', post(length, BODY).replaceAll('\r\n', '\n') + HIDDEN],
  'a bare LF inside the headers': ['refused', post(`X-A: a\nX-B: b\r\n${length}`, BODY + HIDDEN)],
  'a bare LF at the end of the headers': ['refused', `GET /health/live HTTP/1.1\r\nHost: localhost\r\n\n${HIDDEN}`],
  'a bare CR inside a header': ['refused', post(`X-A: a\rTransfer-Encoding: chunked\r\n${length}`, BODY + HIDDEN)],
  'a NUL inside a header': ['refused', post(`X-A: a\0b\r\n${length}`, BODY + HIDDEN)],
  'a NUL inside a name': ['refused', post(`X\0A: a\r\n${length}`, BODY + HIDDEN)],
  'a line without a colon': ['refused', post(`Transfer-Encoding\r\n${length}`, BODY + HIDDEN)],
  'an empty name': ['refused', post(`: a\r\n${length}`, BODY + HIDDEN)],
  ...Object.fromEntries(
    ['-1', '0x5', '5 5', '+5', 'g', '', 'fffffffffffffffff', '5\u00a0', '5\t'].map((size) => [
      `the chunk size ${JSON.stringify(size)}`,
      ['refused', chunked(`${size}\r\nabcde\r\n0\r\n\r\n${HIDDEN}`)] as [Outcome, string],
    ]),
  ),
  'a chunk that is longer than its size': ['refused', chunked(`3\r\nabcde\r\n0\r\n\r\n${HIDDEN}`)],
  'a chunk without its end': ['refused', chunked(`5\r\nabcde0\r\n\r\n${HIDDEN}`)],
  'a bare LF after a chunk size': ['refused', chunked(`5\nabcde\r\n0\r\n\r\n${HIDDEN}`)],
  'a bare LF after a chunk': ['refused', chunked(`5\r\nabcde\n0\r\n\r\n${HIDDEN}`)],
  'a bare LF inside a chunk extension': ['refused', chunked(`5;a\nb\r\nabcde\r\n0\r\n\r\n${HIDDEN}`)],
  'a bare CR inside a chunk extension': ['refused', chunked(`5;a\rb\r\nabcde\r\n0\r\n\r\n${HIDDEN}`)],
  'chunk extensions without end': ['refused', chunked(`5;${'a'.repeat(40_000)}\r\nabcde\r\n0\r\n\r\n${HIDDEN}`)],
  'a chunk extension': ['both', chunked(`5;a=b\r\nabcde\r\n0\r\n\r\n${HIDDEN}`)],
  'a length in the trailer': ['refused', chunked(`5\r\nabcde\r\n0\r\nContent-Length: 50\r\n\r\n${HIDDEN}`)],
  'an encoding in capitals': ['both', chunked(`5\r\nabcde\r\n0\r\n\r\n${HIDDEN}`, 'Transfer-Encoding: CHUNKED\r\n')],
  'a length with zeros before it': ['both', post('Content-Length: 005\r\n', `abcde${HIDDEN}`)],
  'a GET with a body': [
    'both',
    `GET /.well-known/jwks.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}${HIDDEN}`,
  ],
  'a DELETE with a chunked body': [
    'both',
    `DELETE /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n${HIDDEN}`,
  ],
  'two requests in sequence': ['both', post(length, BODY) + HIDDEN],
  'an unrequested upgrade': [
    'one',
    `GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n${HIDDEN}`,
  ],
  'a space in the target': ['refused', `GET / x HTTP/1.1\r\nHost: localhost\r\n\r\n${HIDDEN}`],
  'a tab for a space': ['refused', `GET\t/\tHTTP/1.1\r\nHost: localhost\r\n\r\n${HIDDEN}`],
  'a NUL in the target': ['refused', `GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n${HIDDEN}`],
  'a method in small letters': ['refused', `get / HTTP/1.1\r\nHost: localhost\r\n\r\n${HIDDEN}`],
  'an unknown version': ['refused', `GET / HTTP/9.9\r\nHost: localhost\r\n\r\n${HIDDEN}`],
  'no version': ['refused', `GET /\r\n\r\n${HIDDEN}`],
  'the preface of HTTP/2': ['refused', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${HIDDEN}`],
  'a TLS greeting': ['refused', `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${HIDDEN}`],
  'two hosts': ['refused', `GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`],
  'no host': ['refused', `GET /health/live HTTP/1.1\r\nAccept: ${HAL}\r\nConnection: close\r\n\r\n`],
  'a target of 100 KB': ['refused', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n${HIDDEN}`],
  'ten thousand headers': ['refused', `GET / HTTP/1.1\r\nHost: localhost\r\n${'A: b\r\n'.repeat(10_000)}\r\n${HIDDEN}`],
};

export const cases: Case[] = Object.entries(SMUGGLING).map(([name, [outcome, text]]) => ({ name, outcome, text }));

/** Sends a case, and checks the responses. */
export async function tryCase(port: number, { name, outcome, text }: Case): Promise<void> {
  const { answers, hung, text: received } = await ask(port, Buffer.from(text, 'latin1'), { timeoutMs: TIMEOUT_MS });
  const message = `${name}: ${JSON.stringify(received.slice(0, 800))}`;
  assert.ok(!hung, `hangs: ${message}`);
  assert.equal(answers.length, outcome === 'both' ? 2 : 1, message);
  if (outcome === 'refused') {
    assert.ok(REFUSALS.includes(answers[0]!.status), message);
    assert.deepEqual(Object.keys(answers[0]!.body), ['code', 'message'], message);
  } else if (outcome === 'both') {
    assert.equal(answers[1]!.status, 200, message);
    assert.ok(answers[0]!.status < 500, message);
  }
}

/**
 * Requests that arrive slowly or not at all: the service closes the connection after its time limit, with a response where there is
 * a request.
 */
const SLOW: Record<string, { sent: Sent; status: number }> = {
  'nothing at all': { sent: '', status: 408 },
  'a head that does not end': { sent: 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ', status: 408 },
  'a head a byte at a time': {
    sent: { pieces: [...`GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(1000)}`], pauseMs: 100 },
    status: 408,
  },
  'a body that does not come': { sent: post('Content-Length: 100\r\n'), status: 408 },
  'a body a byte at a time': {
    sent: { pieces: [post('Content-Length: 1000\r\n'), ...'a'.repeat(500)], pauseMs: 100 },
    status: 408,
  },
  'chunks without end': {
    sent: { pieces: [chunked(''), ...Array.from({ length: 500 }, () => '1\r\na\r\n')], pauseMs: 100 },
    status: 408,
  },
};

/** Sends all slow requests concurrently, several times each; other requests are served meanwhile. */
export async function trySlow(port: number, { times }: { times: number }): Promise<Exchange[]> {
  const all = Object.entries(SLOW).flatMap(([name, { sent, status }]) =>
    Array.from({ length: times }, async () => {
      const exchange = await ask(port, sent, { timeoutMs: TIMEOUT_MS });
      assert.ok(!exchange.hung, `${name} hangs`);
      assert.deepEqual(
        exchange.answers.map((answer) => answer.status),
        [status],
        `${name}: ${exchange.text}`,
      );
      return exchange;
    }),
  );
  const slow = Promise.all(all);
  const other = await ask(port, HIDDEN, { timeoutMs: TIMEOUT_MS });
  assert.equal(other.answers[0]?.status, 200, 'a normal request is answered');
  return slow;
}
