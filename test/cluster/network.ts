// A TCP proxy before a worker, which cuts the network between the worker and the other servers of its cluster. The service is not cut off.
import net from 'node:net';
import type { TestScope } from '../support/test-scope.ts';

/** The application name of connections that Citus opens, in their first packet. */
const OF_CLUSTER = 'citus_';

/** Starts a proxy for a port; it ends with `t`. */
export async function startNetwork(t: TestScope, port: number) {
  const open = new Set<net.Socket>();
  const ofCluster = new Set<net.Socket>();
  let isCut = false;

  const server = net.createServer((client) => {
    const upstream = net.connect(port, '127.0.0.1');
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        open.delete(socket);
        ofCluster.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.once('data', (first) => {
      if (first.includes(OF_CLUSTER)) for (const socket of [client, upstream]) ofCluster.add(socket);
      if (isCut && ofCluster.has(client)) return pause(client, upstream);
      upstream.write(first);
      client.pipe(upstream).pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  t.after(async () => close());
  return {
    port: (server.address() as net.AddressInfo).port,
    /** Whether a service has connections. */
    isUsed: () => [...open].some((socket) => !ofCluster.has(socket)),
    /** Packets no longer arrive; nothing is reset. */
    cut() {
      isCut = true;
      pause(...ofCluster);
    },
    /** The connections that were cut are reset. */
    heal() {
      isCut = false;
      for (const socket of ofCluster) socket.destroy();
    },
    close,
  };
}

function pause(...sockets: net.Socket[]): void {
  for (const socket of sockets) {
    socket.unpipe();
    socket.pause();
  }
}
