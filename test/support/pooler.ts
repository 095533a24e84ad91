// A connection pooler in front of the unix socket of a database, in transaction mode as PgBouncer has it: each transaction of a client may
// run in another session.
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestScope } from './test-scope.ts';

const SOCKET = '.s.PGSQL.5432';
/** Of a message: its type, and its length with itself. */
const HEAD_BYTES = 5;
const PID_AT = 5;

type Session = { socket: net.Socket; client: Client | undefined };
type Client = { socket: net.Socket; session: Session | undefined };

/** Starts a pooler for the server of a URL; it ends with `t`. `mode`: session keeps the session of a client. Returns the URL through it. */
export async function startPooler(t: TestScope, url: string, mode: 'transaction' | 'session'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-pooler-'));
  const target = join(decodeURIComponent(/[?&]host=([^&]+)/.exec(url)![1]!), SOCKET);
  const open = new Set<net.Socket>();
  /** The last one that was returned is taken first. */
  const idle: Session[] = [];

  const server = net.createServer((socket) => {
    // Each client signs in on a new session, which others may use afterwards.
    const session: Session = { socket: net.connect(target), client: undefined };
    const client: Client = { socket, session };
    session.client = client;
    for (const one of [socket, session.socket]) {
      open.add(one);
      one.on('error', () => one.destroy());
    }
    socket.on('close', () => mode === 'session' && session.socket.destroy());
    socket.on('data', (data) => {
      if (!client.session) {
        client.session = idle.pop()!;
        client.session.client = client;
      }
      client.session.socket.write(data);
    });
    answers(session.socket, ({ message, isLogin }) => {
      const to = session.client;
      if (isLogin) message.writeInt32BE(message.readInt32BE(PID_AT) + 1, PID_AT);
      to?.socket.write(message);
      const isIdle = message[0] === 'Z'.charCodeAt(0) && message[HEAD_BYTES] === 'I'.charCodeAt(0);
      if (!isIdle || !to || mode === 'session') return;
      to.session = undefined;
      session.client = undefined;
      idle.push(session);
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, SOCKET), resolve));
  t.after(async () => {
    server.close();
    for (const socket of open) socket.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  return url.replace(/host=[^&]+/, `host=${encodeURIComponent(folder)}`);
}

/** Calls back with each message of a server. `isLogin`: it has the number of the session. */
function answers(socket: net.Socket, receive: (answer: { message: Buffer; isLogin: boolean }) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= HEAD_BYTES) {
      const length = rest.readInt32BE(1) + 1;
      if (rest.length < length) return;
      const message = Buffer.from(rest.subarray(0, length));
      rest = rest.subarray(length);
      receive({ message, isLogin: message[0] === 'K'.charCodeAt(0) });
    }
  });
}
