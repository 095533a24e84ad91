// Connections: serves one request at a time on each, and closes connections whose client does not read.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { openConcurrencyLimit } from './concurrency-limit.ts';

/**
 * Maximum number of pipelined requests that wait, over all connections; one connection may use as many slots as are free. Node.js
 * parses all requests that arrive in one read, up to 64 kB, and each takes about 5 kB of memory.
 */
const WAITING_MAX = 10_000;

const CONNECTION = Symbol('connection');
type Waiting = { response: ServerResponse; start: () => void; release: () => void };
type Connection = { id: string; isServing: boolean; waiting: Waiting[] };
type TrackedSocket = Socket & { [CONNECTION]?: Connection };

/**
 * Starts a request once the response to the previous one on its connection is sent: only safe methods may be processed in parallel
 * (RFC 9112 §9.3.2). While requests wait, the socket is paused, so a client that does not read its responses cannot queue more.
 */
export type ServeInOrder = (response: ServerResponse, start: () => void) => void;

export function openConnections(): ServeInOrder {
  const limit = openConcurrencyLimit(WAITING_MAX);
  let opened = 0;
  return (response, start) => {
    const socket: TrackedSocket = response.req.socket;
    socket[CONNECTION] ??= open(socket, String(opened++));
    const connection = socket[CONNECTION];
    if (isClosing(socket)) return;
    if (!connection.isServing) {
      serve(connection, response, start);
      return;
    }
    const release = limit.acquire(connection.id);
    if (typeof release === 'string') {
      socket.destroy();
      return;
    }
    connection.waiting.push({ response, start, release });
    socket.pause();
  };
}

function open(socket: Socket, id: string): Connection {
  const connection: Connection = { id, isServing: false, waiting: [] };
  // Reading a request body resumes the socket.
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
  const socket: TrackedSocket = this.req.socket;
  const connection = socket[CONNECTION]!;
  connection.isServing = false;
  // Node.js ends the waiting responses when it closes the connection.
  if (isClosing(socket)) for (const { release } of connection.waiting.splice(0)) release();
  const next = connection.waiting.shift();
  if (!next) return;
  next.release();
  if (connection.waiting.length === 0) socket.resume();
  serve(connection, next.response, next.start);
}

function isClosing({ destroyed, writableEnded }: Socket): boolean {
  return destroyed || writableEnded;
}

/** Runs after `connectionTimeout` without traffic. Does not interrupt a request that is still being processed. */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}
