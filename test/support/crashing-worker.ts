// A delivery worker process that kills itself with SIGKILL the nth time it reaches a step, for test/crash-webhooks.test.ts.
import { pino } from 'pino';
import { readConfig } from '../../src/platform/config/config.ts';
import { openDatabase } from '../../src/platform/db/sql.ts';
import { openLinks } from '../../src/platform/http/links.ts';
import { loadOrMakeKey } from '../../src/platform/keys/key-file.ts';
import { openSealer } from '../../src/platform/keys/sealing.ts';
import { openConnections } from '../../src/resources/webhooks/connections.ts';
import { openWorker } from '../../src/resources/webhooks/worker.ts';

const [databaseUrl, dataDir, publicUrl, leaseMs, step, times] = process.argv.slice(2);
const config = readConfig({
  DATABASE_URL: databaseUrl!,
  DATA_DIR: dataDir!,
  PUBLIC_URL: publicUrl!,
  MODE: 'sandbox',
  WEBHOOK_ALLOW_PRIVATE: 'true',
});
let left = Number(times);
const log = pino({ level: 'silent' });
const { sql } = openDatabase(databaseUrl!, { max: 1, onError: () => {} });
openWorker({
  ...(await openConnections(sql, { databaseUrl: databaseUrl!, log, onError: () => {} })),
  config,
  links: openLinks(config),
  sealer: openSealer(await loadOrMakeKey(dataDir!)),
  log,
  leaseMs: Number(leaseMs),
  async at(reached) {
    if (reached === step && --left === 0) process.kill(process.pid, 'SIGKILL');
  },
});
