// Sends one request to an address that others chose: with a time limit, and without redirects. Returns the response, cut to 64 KiB.
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { type AddressPolicy, AddressRefusedError, hostOf } from './address-policy.ts';

export type Header = { name: string; value: string };

type Answer = { status: number; headers: Header[]; body: string };

type Request = { url: string; headers: Header[]; body?: string };

/** The result of a request. `error` is a sentence, set unless the response was complete. */
export type Exchange = { answer?: Answer; error?: string };

export type Sender = {
  /** A POST, or a GET if there is no body. Never rejects. */
  send(request: Request): Promise<Exchange>;
  /** Aborts requests in flight. */
  close(): void;
};

export const ANSWER_MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const IDLE_SOCKETS_PER_HOST = 32;
const IDLE_MS = 5_000;

/** Opens a sender. It reuses connections for a few seconds; the guard checks each when it is opened. */
export function openSender(guard: AddressPolicy, { timeoutMs }: { timeoutMs: number } = { timeoutMs: TIMEOUT_MS }): Sender {
  const options = { keepAlive: true, maxFreeSockets: IDLE_SOCKETS_PER_HOST, timeout: IDLE_MS, lookup: guard.lookup };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  let closed = false;
  return {
    async send(request) {
      const fault = guard.faultOf(request.url);
      if (fault) return { error: fault };
      let exchange = await exchangeOnce(request, agents, timeoutMs);
      // Each attempt uses up one stale connection.
      for (let tries = 0; exchange === 'stale' && !closed && tries < IDLE_SOCKETS_PER_HOST; tries++) {
        exchange = await exchangeOnce(request, agents, timeoutMs);
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

/** `stale` means that the receiver had closed a reused connection; the request must be sent again. */
function exchangeOnce(
  { url, headers, body }: Request,
  agents: { http: http.Agent; https: https.Agent },
  timeoutMs: number,
): Promise<Exchange | 'stale'> {
  return new Promise((resolve) => {
    const target = new URL(url);
    const secure = target.protocol === 'https:';
    const request = (secure ? https : http).request({
      method: body === undefined ? 'GET' : 'POST',
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
      end({ ...(answer && { answer }), error: `The receiver did not respond completely within ${timeoutMs / 1000} s.` });
      request.destroy();
    }, timeoutMs);
    request.on('response', (response) => {
      answer = { status: response.statusCode!, headers: headersOf(response), body: '' };
      read(request, response, answer, end);
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      end(isStale(request, error, answer) ? 'stale' : { ...(answer && { answer }), error: describe(error) }),
    );
    request.end(body);
  });
}

/** Reads a response into `answer.body`. Cuts it at `ANSWER_MAX_BYTES` and closes the connection. */
function read(request: ClientRequest, response: IncomingMessage, answer: Answer, end: (exchange: Exchange) => void): void {
  let bytes = 0;
  const decoder = new TextDecoder();
  response.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, ANSWER_MAX_BYTES - bytes);
    bytes += chunk.length;
    // PostgreSQL cannot store NUL in text.
    answer.body += decoder.decode(kept, { stream: true }).replaceAll('\0', '\ufffd');
    if (bytes <= ANSWER_MAX_BYTES) return;
    end({ answer });
    request.destroy();
  });
  response.on('end', () => end({ answer }));
  response.on('error', (error: NodeJS.ErrnoException) => end({ answer, error: describe(error) }));
}

function headersOf({ rawHeaders }: IncomingMessage): Header[] {
  const headers: Header[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.push({ name: rawHeaders[at]!, value: rawHeaders[at + 1]! });
  return headers;
}

function isStale(request: ClientRequest, { code }: NodeJS.ErrnoException, answer: Answer | undefined): boolean {
  return request.reusedSocket && answer === undefined && (code === 'ECONNRESET' || code === 'EPIPE');
}

function describe(error: NodeJS.ErrnoException): string {
  if (error instanceof AddressRefusedError) return error.message;
  if (error.code === 'ECONNREFUSED') return 'The connection was refused.';
  if (error.code === 'ENOTFOUND' || error.code === 'ENODATA' || error.code === 'EAI_AGAIN')
    return 'The host name has no address.';
  return `The connection failed: ${error.code ?? error.message}.`;
}
