// Speaks to a service in bytes, for what no HTTP client would send, and holds a refusal against the one shape all have.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type ProblemName, problems } from '../src/problems.ts';
import { type Answer, HAL } from './harness.ts';
import { assertNothingSealed } from './sealed-values.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Sends bytes as they are, and reads all that comes until the service closes the connection. */
export function exchange(port: number, text: string | Buffer): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(readAnswers(Buffer.concat(chunks).toString())));
    socket.write(text);
  });
}

/** The answers in what came over a connection; each says its length. */
export function readAnswers(text: string): Answer[] {
  if (text === '') return [];
  assertNothingSealed(text);
  const end = text.indexOf('\r\n\r\n');
  const [first, ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const rest = end + 4 + Number(headers['content-length'] ?? 0);
  const body = text.slice(end + 4, rest);
  const isJson = /json/.test(headers['content-type'] ?? '');
  const answer = {
    status: Number(first!.split(' ')[1]),
    headers,
    text: body,
    body: isJson && body ? JSON.parse(body) : undefined,
  };
  return [answer, ...readAnswers(text.slice(rest))];
}

/** A refusal as every one is written: a body of code and message only, in the service's own media type, with a request id. */
export function assertPlainRefusal(answer: Answer, name: ProblemName, message: string = problems[name].message): void {
  const { status, code } = problems[name];
  assert.equal(answer.status, status, `${answer.status} ${answer.text}`);
  assert.deepEqual(answer.body, { code, message });
  assert.equal(answer.headers['content-type'], `${HAL}; charset=utf-8`);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.match(String(answer.headers['x-request-id']), UUID);
}
