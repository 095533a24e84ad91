// Connections: one request at a time is served on each, and a connection whose client does not read ends.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { openPlaces } from './places.ts';

/**
 * Most requests that wait behind another of their connection, on all connections; one connection has half of what is free. Node.js
 * parses all that arrive together, up to 64 kB, and each request keeps some 5 kB of memory.
 */
const WAITING_MAX = 10_000;

const CONNECTION = Symbol('connection');
type Waiting = { response: ServerResponse; start: () => void; leave: () => void };
type Connection = { id: string; isServing: boolean; waiting: Waiting[] };
type Known = Socket & { [CONNECTION]?: Connection };

/**
 * Starts a request once the answer to the one before it on its connection is sent: only safe methods may be processed in parallel
 * (RFC 9112 §9.3.2). While requests wait, nothing more is read, so a client that does not read its answers cannot queue more.
 */
export type ServeInOrder = (response: ServerResponse, start: () => void) => void;

export function openConnections(): ServeInOrder {
  const places = openPlaces(WAITING_MAX);
  let opened = 0;
  return (response, start) => {
    const socket: Known = response.req.socket;
    socket[CONNECTION] ??= open(socket, String(opened++));
    const connection = socket[CONNECTION];
    if (isClosing(socket)) return;
    if (!connection.isServing) {
      serve(connection, response, start);
      return;
    }
    const leave = places.take(connection.id);
    if (typeof leave === 'string') {
      socket.destroy();
      return;
    }
    connection.waiting.push({ response, start, leave });
    socket.pause();
  };
}

function open(socket: Socket, id: string): Connection {
  const connection: Connection = { id, isServing: false, waiting: [] };
  // Whoever reads the body of a request resumes the socket.
  socket.on('resume', () => {
    if (connection.waiting.length > 0) socket.pause();
  });
  return connection;
}

function serve(connection: Connection, response: ServerResponse, start: () => void): void {
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
  if (isClosing(socket)) for (const { leave } of connection.waiting.splice(0)) leave();
  const next = connection.waiting.shift();
  if (!next) return;
  next.leave();
  if (connection.waiting.length === 0) socket.resume();
  serve(connection, next.response, next.start);
}

function isClosing({ destroyed, writableEnded }: Socket): boolean {
  return destroyed || writableEnded;
}

/** Called when a connection had no traffic for `connectionTimeout`: a request that is still being served is waited for. */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}
