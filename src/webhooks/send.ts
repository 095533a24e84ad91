// Sends one webhook: a POST that follows nothing, waits for no one longer than it may, and keeps what was answered.
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { type Guard, GuardError, hostOf } from './guard.ts';
import type { Header } from './sign.ts';

export type Answer = { status: number; headers: Header[]; body: string };

/** What came of it; `error`, in words, where there was no whole answer. */
export type Exchange = { answer?: Answer; error?: string };

export type Sender = {
  /** Never rejects. */
  send(request: { url: string; headers: Header[]; body: string }): Promise<Exchange>;
  /** Cuts off whatever is under way. */
  close(): void;
};

export const ANSWER_MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const IDLE_SOCKETS_PER_HOST = 32;
const IDLE_MS = 5_000;

/** Opens a sender; connections are kept for a moment, each checked by the guard when it was made. */
export function openSender(guard: Guard, { timeoutMs }: { timeoutMs: number } = { timeoutMs: TIMEOUT_MS }): Sender {
  const options = { keepAlive: true, maxFreeSockets: IDLE_SOCKETS_PER_HOST, timeout: IDLE_MS, lookup: guard.lookup };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  let closed = false;
  return {
    async send(request) {
      const fault = guard.faultOf(request.url);
      if (fault) return { error: fault };
      let exchange = await post(request, agents, timeoutMs);
      // Each of these closes a connection that was kept.
      for (let tries = 0; exchange === 'stale' && !closed && tries < IDLE_SOCKETS_PER_HOST; tries++) {
        exchange = await post(request, agents, timeoutMs);
      }
      return exchange === 'stale' ? { error: 'The connection was closed.' } : exchange;
    },
    close() {
      closed = true;
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** `stale`: a kept connection that the receiver had closed meanwhile; to be sent again on a new one. */
function post(
  { url, headers, body }: { url: string; headers: Header[]; body: string },
  agents: { http: http.Agent; https: https.Agent },
  timeoutMs: number,
): Promise<Exchange | 'stale'> {
  return new Promise((resolve) => {
    const target = new URL(url);
    const secure = target.protocol === 'https:';
    const request = (secure ? https : http).request({
      method: 'POST',
      agent: secure ? agents.https : agents.http,
      host: hostOf(target),
      port: target.port || (secure ? 443 : 80),
      path: `${target.pathname}${target.search}`,
      headers: { host: target.host, ...Object.fromEntries(headers.map(({ name, value }) => [name, value])) },
    });
    let answer: Answer | undefined;
    const end = (exchange: Exchange | 'stale') => {
      clearTimeout(timer);
      resolve(exchange);
    };
    const timer = setTimeout(() => {
      end({ ...(answer && { answer }), error: `There was no whole answer within ${timeoutMs / 1000} s.` });
      request.destroy();
    }, timeoutMs);
    request.on('response', (response) => {
      answer = { status: response.statusCode!, headers: headersOf(response), body: '' };
      read(request, response, answer, end);
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      end(isStale(request, error, answer) ? 'stale' : { ...(answer && { answer }), error: wordsOf(error) }),
    );
    request.end(body);
  });
}

/** Reads an answer into `answer.body`, as far as it is kept; what is longer is cut, and its connection closed. */
function read(request: ClientRequest, response: IncomingMessage, answer: Answer, end: (exchange: Exchange) => void): void {
  let bytes = 0;
  const decoder = new TextDecoder();
  response.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, ANSWER_MAX_BYTES - bytes);
    bytes += chunk.length;
    // PostgreSQL keeps no NUL in a text.
    answer.body += decoder.decode(kept, { stream: true }).replaceAll('\0', '\ufffd');
    if (bytes <= ANSWER_MAX_BYTES) return;
    end({ answer });
    request.destroy();
  });
  response.on('end', () => end({ answer }));
  response.on('error', (error: NodeJS.ErrnoException) => end({ answer, error: wordsOf(error) }));
}

function headersOf({ rawHeaders }: IncomingMessage): Header[] {
  const headers: Header[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.push({ name: rawHeaders[at]!, value: rawHeaders[at + 1]! });
  return headers;
}

function isStale(request: ClientRequest, { code }: NodeJS.ErrnoException, answer: Answer | undefined): boolean {
  return request.reusedSocket && answer === undefined && (code === 'ECONNRESET' || code === 'EPIPE');
}

function wordsOf(error: NodeJS.ErrnoException): string {
  if (error instanceof GuardError) return error.message;
  if (error.code === 'ECONNREFUSED') return 'The connection was refused.';
  if (error.code === 'ENOTFOUND' || error.code === 'ENODATA' || error.code === 'EAI_AGAIN')
    return 'The host name has no address.';
  return `The connection failed: ${error.code ?? error.message}.`;
}
