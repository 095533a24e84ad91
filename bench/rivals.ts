// `node bench/rivals.ts NAME`: a process with the service's own HTTP front, and another way behind it to post a transfer. Prints its port.
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { type Database, openDatabase } from '../src/db/sql.ts';
import { bucketOf } from '../src/ids.ts';
import type { Lanes } from '../src/ledger/lane.ts';
import type { Outcome, Transfer } from '../src/ledger/post.ts';
import { loadOrMakeKey } from '../src/sealing.ts';
import { openService } from '../src/service.ts';

export type Rival = 'row locks' | 'no database';

/** As many at once as a well-set pool allows; more only wait for each other. */
const CONNECTIONS = 16;

if (import.meta.main) {
  const rival = process.argv[2] as Rival;
  const config = readConfig();
  const databaseUrl = config.databaseUrl!;
  const log = pino({ level: config.logLevel });
  const service = await openService({ config, databaseUrl, keys: await loadOrMakeKey(config.dataDir), log });
  const database = openDatabase(databaseUrl, { max: CONNECTIONS, onError: () => {} });
  const app = await buildApp({ ...service, lanes: rival === 'row locks' ? rowLocks(database) : noDatabase() });
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.once('SIGTERM', async () => {
    await app.close();
    await service.close();
    await database.close();
  });
  process.stdout.write(`${JSON.stringify({ port: (app.server.address() as AddressInfo).port })}\n`);
}

/** One transaction a request, with row locks: bench/row-locks.sql. */
function rowLocks({ sql }: Database): Lanes {
  const post = async (transfer: Transfer): Promise<Outcome> => {
    const { id, accountId, fromId, toId, amount, currency, event, idempotency } = transfer;
    const [row] = await sql<{ code: Outcome['code'] }>`
      select bench_transfer(${id}, ${accountId}, ${fromId}, ${toId}, ${amount}, ${currency}, ${event.id}, ${event.topic},
        ${idempotency?.key}, ${idempotency?.fingerprint}, ${bucketOf(id)}, ${new Date()}) as code`;
    return row?.code === 'insufficient' ? { code: 'insufficient', available: 0n } : ({ code: row?.code } as Outcome);
  };
  return { post, queued: () => 0, drain: async () => {} };
}

/** The HTTP front alone: everything is posted, nothing is written. */
function noDatabase(): Lanes {
  return { post: async () => ({ code: 'posted' }), queued: () => 0, drain: async () => {} };
}
