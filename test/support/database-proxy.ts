// A proxy for the unix socket of a database that breaks a connection on a chosen statement.
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestScope } from './test-scope.ts';

/** before: the statement never arrives; after: it does, and its answer is lost. */
export type Moment = 'before' | 'after';

const SOCKET = '.s.PGSQL.5432';

/** Starts a proxy for the server of a URL; it ends with `t`. */
export async function startProxy(t: TestScope, url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'earmark-proxy-'));
  const target = join(decodeURIComponent(/[?&]host=([^&]+)/.exec(url)![1]!), SOCKET);
  const open = new Set<net.Socket>();
  let armed: { text: string; moment: Moment; behind: string } | undefined;
  let cuts = 0;

  const server = net.createServer((client) => {
    const upstream = net.connect(target);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    let silent = false;
    let passed = false;
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      passed ||= armed !== undefined && data.includes(armed.behind);
      const cut = armed && passed && data.includes(armed.text) ? armed : undefined;
      if (cut) {
        armed = undefined;
        cuts += 1;
        if (cut.moment === 'before') return end();
        silent = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => (silent ? end() : client.write(data)));
  });
  await new Promise<void>((resolve) => server.listen(join(folder, SOCKET), resolve));
  t.after(async () => {
    server.close();
    for (const socket of open) socket.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url: url.replace(/host=[^&]+/, `host=${encodeURIComponent(folder)}`),
    /** Breaks the connection that next sends a text, once; `behind`: only after it has sent this text. */
    cutAt(text: string, moment: Moment, behind = '') {
      armed = { text, moment, behind };
    },
    cuts: () => cuts,
  };
}
