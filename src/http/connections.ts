// Connections: one request at a time is served on each, and a connection whose client does not read ends.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection on which more requests wait ends. Node.js parses all that arrive together, and each keeps about 4 kB of memory. */
const WAITING_MAX = 256;

const CONNECTION = Symbol('connection');
type Waiting = { response: ServerResponse; start: () => void };
type Connection = { isServing: boolean; waiting: Waiting[] };
type Known = Socket & { [CONNECTION]?: Connection };

/**
 * Starts a request once the answer to the one before it on its connection is sent: only safe methods may be processed in parallel
 * (RFC 9112 §9.3.2). While requests wait, nothing more is read, so a client that does not read its answers cannot queue more.
 */
export function serveInOrder(response: ServerResponse, start: () => void): void {
  const socket: Known = response.req.socket;
  socket[CONNECTION] ??= open(socket);
  const connection = socket[CONNECTION];
  if (!socket.writable) return;
  if (!connection.isServing) serve(connection, { response, start });
  else if (connection.waiting.push({ response, start }) > WAITING_MAX) socket.destroy();
  else socket.pause();
}

function open(socket: Socket): Connection {
  const connection: Connection = { isServing: false, waiting: [] };
  // Whoever reads the body of a request resumes the socket.
  socket.on('resume', () => {
    if (connection.waiting.length > 0) socket.pause();
  });
  return connection;
}

function serve(connection: Connection, { response, start }: Waiting): void {
  connection.isServing = true;
  response.on('close', serveNext);
  response.on('timeout', endUnread);
  start();
}

function serveNext(this: ServerResponse): void {
  const socket: Known = this.req.socket;
  const connection = socket[CONNECTION]!;
  connection.isServing = false;
  // Node.js ends the responses that wait when it closes the connection.
  if (!socket.writable) connection.waiting.length = 0;
  const next = connection.waiting.shift();
  if (!next) return;
  if (connection.waiting.length === 0) socket.resume();
  serve(connection, next);
}

/** Called when a connection had no traffic for `connectionTimeout`: a request that is still being served is waited for. */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}
