// What is refused before any route is met, in the same words as everywhere: URLs that cannot be read, and bytes that are no HTTP.
import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ProblemName, problems, type Refusal } from '../problems.ts';
import type { ServeInOrder } from './connections.ts';
import type { Cors } from './cors.ts';
import { answerError } from './errors.ts';
import type { Links } from './links.ts';

// What Node.js finds wrong with a request before there is one; anything else is malformed.
const UNREADABLE: Record<string, ProblemName> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
};
// How long a connection that was refused may go on sending: closed at once, it would lose the answer.
const LINGER_MS = 500;

/** What a request meets before any other hook: its connection, the metrics, and the limits of requests without a token. */
type Entrance = {
  serveInOrder: ServeInOrder;
  requests: { watch(request: FastifyRequest, reply: FastifyReply): void; unreadable(code: string): void };
  anonymous: { admit(request: FastifyRequest, reply: FastifyReply, done: (refusal?: Refusal) => void): void };
  cors: Cors | undefined;
};

/** The options of Fastify that leave these answers, and those while closing and without a Host, to the service. */
export function ownWords(links: Links, { serveInOrder, requests, anonymous, cors }: Entrance) {
  return {
    return503OnClosing: false,
    http: { requireHostHeader: false },
    frameworkErrors(error, request, reply) {
      serveInOrder(reply.raw, () => {
        requests.watch(request, reply);
        reply.header('x-request-id', request.id).header('cache-control', 'no-store');
        if (cors?.(request, reply)) return;
        anonymous.admit(request, reply, (refusal) => answerError(refusal ?? error, request, reply, { links }));
      });
    },
    clientErrorHandler(this: FastifyInstance, error, socket) {
      if (error.code === 'ECONNRESET') socket.destroy();
      // What still arrives after the answer is passed over.
      if (!socket.writable) return;
      const name = UNREADABLE[error.code] ?? 'malformed';
      // Never the error itself: it holds what was sent, and with it credentials.
      this.log.info({ status: problems[name].status, reason: error.code }, 'unreadable request');
      requests.unreadable(problems[name].code);
      writeRefusal(socket, name, links.mediaType);
    },
  } satisfies FastifyHttpOptions<Server>;
}

/** Writes a refusal on a connection that has no request, and closes it. */
function writeRefusal(socket: Socket, name: ProblemName, mediaType: string): void {
  const { status, code, message } = problems[name];
  const body = JSON.stringify({ code, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${mediaType}; charset=utf-8`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Cache-Control: no-store`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
