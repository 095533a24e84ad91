// Sends raw bytes to a service, for requests that no HTTP client would send.
import { connect } from 'node:net';
import type { Answer } from './http.ts';
import { assertNothingSealed } from './sealed-values.ts';
import { waitUntil } from './wait.ts';

/** Sends bytes and returns the answers once the service closes the connection. */
export function sendBytes(port: number, text: string | Buffer): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(readAnswers(Buffer.concat(chunks).toString())));
    socket.write(text);
  });
}

/** Parses the answers of a connection by their Content-Length. */
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

/** Sends a head and pieces on a new connection and returns what came back; resets the connection once `cut` settles. */
export async function sendRaw(
  port: number,
  head: string[],
  pieces: (Buffer | string)[],
  options: { cut?: Promise<unknown> } = {},
): Promise<string> {
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' }, async () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      for (const piece of pieces) await new Promise<void>((sent) => socket.write(piece, () => sent()));
      await options.cut?.then(() => socket.resetAndDestroy());
    });
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data;
      if (/\r\n\r\n[\s\S]*\}$|content-length: 0\r\n[\s\S]*\r\n\r\n$/i.test(text)) socket.destroy();
    });
    socket.on('close', () => resolve(text)).on('error', (error) => (options.cut || text ? resolve(text) : reject(error)));
  });
  assertNothingSealed(answer);
  return answer;
}

/** Starts a request whose body is incomplete, and returns once the service reads it. */
export async function beginRequest(port: number) {
  const body = 'grant_type=client_credentials';
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  socket.write(
    'POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
      `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await waitUntil('the service reads the request', () => text.includes('100 Continue'));
  return {
    /** Sends the rest and returns the answer once the connection is closed. */
    finish(): Promise<string> {
      socket.write(body);
      return closed;
    },
    closed,
  };
}
