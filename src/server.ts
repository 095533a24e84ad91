// A whole service in this process: database, migrations, rooms and the HTTP door; started by the command, the demo and the tests.
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import { type Connection, connectService } from './db/connect.ts';
import { migrate } from './db/migrate.ts';
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { loadOrMakeKey } from './sealing.ts';
import { openService, type Service } from './service.ts';

export type Server = {
  service: Service;
  /** The base of every link. */
  url: string;
  port: number;
  migrated: string[];
  sandbox: Sandbox | undefined;
  /** Finishes the requests under way, then closes everything. */
  stop(): Promise<void>;
};

/** Starts a service. Throws one-line errors for what a person can mend; leaves nothing running when it throws. */
export async function startServer(config: Config, log: FastifyBaseLogger, connection?: Connection): Promise<Server> {
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  };
  try {
    const database = connection ?? (await connectService(config));
    if (!connection) closers.push(database.stop);
    const migrated = await migrate(database.url);
    const keys = config.encryptionKeys.length > 0 ? config.encryptionKeys : await loadOrMakeKey(config.dataDir);
    const service = await openService({ config, databaseUrl: database.url, keys, log });
    closers.push(service.close);
    const app = await buildApp(service);
    closers.push(() => app.close());
    await app.listen({ host: config.host, port: config.port });
    const { port } = app.server.address() as AddressInfo;
    config.publicUrl ??= `http://localhost:${port}`;
    const sandbox = config.mode === 'sandbox' ? await openSandbox(service) : undefined;
    return { service, url: config.publicUrl, port, migrated, sandbox, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
