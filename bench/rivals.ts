// `node bench/rivals.ts NAME`: a process with the service's HTTP front and another way to post transfers. Prints its port.
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import Fastify, { type FastifyInstance } from 'fastify';
import { buildApp } from '../src/apps/api/app.ts';
import { V8_FLAGS } from '../src/apps/cli/serve.ts';
import { openService } from '../src/apps/service/service.ts';
import { bucketOf } from '../src/core/ids.ts';
import { NOTHING } from '../src/core/money/amount.ts';
import type { Lanes } from '../src/ledger/transfers/lane.ts';
import type { Outcome, Transfer } from '../src/ledger/transfers/post.ts';
import { type Config, readConfig } from '../src/platform/config/config.ts';
import { type Database, openDatabase } from '../src/platform/db/sql.ts';
import { openLog } from '../src/platform/telemetry/log.ts';
import { postByStatements } from './statements.ts';

/** `bare` is Fastify alone; the others have everything of the service except the ledger. */
export type Rival = 'row locks' | 'statements' | 'no database' | 'bare';

/** As large as a well-tuned pool; more connections only wait for each other. */
const CONNECTIONS = 16;

if (import.meta.main) {
  setFlagsFromString(V8_FLAGS);
  const rival = process.argv[2] as Rival;
  const config = readConfig();
  const { app, close } = rival === 'bare' ? { app: bare(), close: async () => {} } : await front(rival, config);
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.once('SIGTERM', async () => {
    await app.close();
    await close();
  });
  process.stdout.write(`${JSON.stringify({ port: (app.server.address() as AddressInfo).port })}\n`);
}

async function front(rival: Rival, config: Config) {
  const databaseUrl = config.databaseUrl!;
  const log = openLog(config.logLevel);
  // The service under benchmark checks its ledger; checks by three more processes would affect every measurement.
  const alone = { ...config, verifyEverySeconds: 0 };
  const service = await openService({ config: alone, databaseUrl, ownerUrl: databaseUrl, log });
  const database = openDatabase(databaseUrl, { max: CONNECTIONS, onError: () => {} });
  const posts = { 'row locks': rowLocks(database), statements: statements(database), 'no database': nothing, bare: nothing };
  const post = posts[rival];
  const postAll: Lanes['postAll'] = (transfers) => Promise.all(transfers.map(post));
  const lanes: Lanes = { post, postAll, queued: () => 0, drain: async () => {} };
  const app = await buildApp({ ...service, lanes });
  const close = async () => {
    await service.close();
    await database.close();
  };
  return { app: app as unknown as FastifyInstance, close };
}

/** The cost of a request and response alone: only the body is parsed. */
function bare(): FastifyInstance {
  const app = Fastify();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, JSON.parse(body as string)));
  app.post('/label-reallocations', (_request, reply) => reply.code(201).header('location', '/label-reallocations/0').send());
  return app;
}

/** One transaction for each request in one call, with row locks: bench/row-locks.sql. */
export function rowLocks({ sql }: Database) {
  return async (transfer: Transfer): Promise<Outcome> => {
    const { id, accountId, fromId, toId, amount, currency, event, idempotency } = transfer;
    const [row] = await sql<{ code: Outcome['code'] }>`
      select bench_transfer(${id}, ${accountId}, ${fromId}, ${toId}, ${amount}, ${currency}, ${event.id}, ${event.topic},
        ${idempotency?.key}, ${idempotency?.fingerprint}, ${bucketOf(id)}, ${new Date()}) as code`;
    return row?.code === 'insufficient' ? { code: 'insufficient', ...NOTHING } : ({ code: row?.code } as Outcome);
  };
}

/** One transaction for each request, statement by statement. */
export function statements(database: Database) {
  return (transfer: Transfer) => database.transaction((tx) => postByStatements(tx, transfer));
}

/** The HTTP front alone: every transfer is reported as posted, nothing is written. */
async function nothing(): Promise<Outcome> {
  return { code: 'posted' };
}
