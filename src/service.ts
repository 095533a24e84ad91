// A running service: what every room is handed, opened in one place and closed in the reverse order.
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/sql.ts';
import { type Documents, openDocuments } from './documents/desk.ts';
import { type Links, openLinks } from './http/links.ts';
import { type Lanes, openLanes } from './ledger/lane.ts';
import { type Authority, openAuthority } from './oauth/authority.ts';
import { openSealer, type Sealer } from './sealing.ts';

export type Service = {
  config: Config;
  log: FastifyBaseLogger;
  clock: Clock;
  links: Links;
  database: Database;
  lanes: Lanes;
  sealer: Sealer;
  authority: Authority;
  documents: Documents;
  /** Answers what is queued, then closes every connection. */
  close(): Promise<void>;
};

/** Opens a service on a migrated database. `keys` are the encryption keys, newest first. */
export async function openService(options: {
  config: Config;
  databaseUrl: string;
  keys: Buffer[];
  log: FastifyBaseLogger;
  clock?: Clock | undefined;
}): Promise<Service> {
  const { config, databaseUrl, log, clock = systemClock } = options;
  const onError = (error: Error) => log.warn({ err: error }, 'database connection lost');
  const database = openDatabase(databaseUrl, { max: config.poolSize, onError });
  const laneDatabase = openDatabase(databaseUrl, { max: config.lanes, onError });
  const lanes = openLanes({ database: laneDatabase, clock }, config);
  const sealer = openSealer(options.keys);
  const authority = await openAuthority({ config, database, sealer, log, clock });
  const documents = openDocuments({ config, database, sealer, log, clock });
  return {
    config,
    log,
    clock,
    links: openLinks(config),
    database,
    lanes,
    sealer,
    authority,
    documents,
    async close() {
      await lanes.drain();
      await authority.close();
      await documents.close();
      await Promise.all([laneDatabase.close(), database.close()]);
    },
  };
}
