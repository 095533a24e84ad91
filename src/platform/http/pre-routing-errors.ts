// Formats errors raised before routing (bad URLs, malformed HTTP) as normal error responses.
import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ProblemName, problems, type Refusal } from '../../core/problems.ts';
import type { ServeInOrder } from './connections.ts';
import type { Cors } from './cors.ts';
import { answerError } from './errors.ts';
import type { Links } from './links.ts';
import type { SetHeaders } from './response-headers.ts';

// Errors of the Node.js parser, by code; any other is `malformed`.
const UNREADABLE: Record<string, ProblemName> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
};
// How long a refused connection stays open: closing it immediately would reset it before the client reads the response.
const LINGER_MS = 500;

/** The hooks that run before all others, needed here because Fastify does not run hooks for these errors. */
type FirstHooks = {
  serveInOrder: ServeInOrder;
  setHeaders: SetHeaders;
  requests: { track(request: FastifyRequest, reply: FastifyReply): void; countUnparsed(code: string): void };
  anonymous: { admit(request: FastifyRequest, reply: FastifyReply, done: (refusal?: Refusal) => void): void };
  cors: Cors | undefined;
};

/** Returns the Fastify options that route these errors, and those of closing and of a missing Host, to our error format. */
export function preRoutingErrors(links: Links, { serveInOrder, requests, setHeaders, anonymous, cors }: FirstHooks) {
  return {
    return503OnClosing: false,
    http: { requireHostHeader: false },
    frameworkErrors(error, request, reply) {
      serveInOrder(reply.raw, () => {
        requests.track(request, reply);
        setHeaders(request, reply);
        if (cors?.(request, reply)) return;
        anonymous.admit(request, reply, (refusal) => answerError(refusal ?? error, request, reply, { links }));
      });
    },
    clientErrorHandler(this: FastifyInstance, error, socket) {
      if (error.code === 'ECONNRESET') socket.destroy();
      // Ignores errors of bytes that arrive after the response.
      if (!socket.writable) return;
      const name = UNREADABLE[error.code] ?? 'malformed';
      // Do not log the error itself: it contains the received bytes, which may include credentials.
      this.log.info({ status: problems[name].status, reason: error.code }, 'unreadable request');
      requests.countUnparsed(problems[name].code);
      writeRefusal(socket, name, links.mediaType);
    },
  } satisfies FastifyHttpOptions<Server>;
}

/** Writes an error response on a connection without a parsed request, and closes the connection. */
function writeRefusal(socket: Socket, name: ProblemName, mediaType: string): void {
  const { status, code, message } = problems[name];
  const body = JSON.stringify({ code, message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${mediaType}; charset=utf-8`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Cache-Control: no-store`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
