// The groups of a Citus cluster: one for each group of shards, on the worker that holds it.
import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKETS } from '../../../core/ids.ts';
import { addConnections, CONNECTIONS, type Groups, type GroupsOptions } from '../groups.ts';
import { type Database, databaseError, identifier, LIMITS, openDatabase, type Sql } from '../sql.ts';
import { copyOf } from './posting.ts';
import { type Probe, startProbe } from './probe.ts';
import { type Address, urlOn } from './servers.ts';

/** `requests`: the connections of requests that move money in their own transactions. */
type Server = { probe: Probe; requests: Database | undefined };
type Placed = Address & { database: Database; server: Server };
type Shard = Address & { id: bigint };
/** The name of the shard of each table in a group. */
type Names = Record<string, string>;

/** How often a cluster is asked where the groups are. A moved group stays reachable through the worker that it left. */
const REFRESH_MS = 1_000;
/** A transaction that finds its group on another server is repeated there. */
const MOVES_MAX = 12;
const MOVE_PAUSE_MS = 250;
/** SQLSTATE of lock_group() for a group that is on another server. */
const MOVED = '55000';

/** Opens the groups of the cluster that `sql` is the coordinator of, and follows them when they move. */
export async function openClusterGroups(sql: Sql, options: GroupsOptions): Promise<Groups> {
  const { databaseUrl, connections = CONNECTIONS, limits = LIMITS.request, requests, log, onError } = options;
  const shards = await findShards(sql);
  const groups = await readGroups(sql, shards);
  const names = await readNames(sql);
  const copies = shards.map(({ id }) => identifier(copyOf(id)));
  const coordinator = startProbe(databaseUrl);
  const servers = new Map<string, Server>();
  let current = shards.map(open);
  const stopRefreshing = repeat(() =>
    refresh().catch((error: unknown) => log.warn({ err: error }, 'the placement of the groups cannot be read')),
  );

  function open({ host, port }: Shard): Placed {
    const url = urlOn(databaseUrl, { host, port });
    const server = servers.get(url) ?? { probe: startProbe(url), requests: requests?.open(url) };
    servers.set(url, server);
    return { host, port, server, database: openDatabase(url, { max: connections, min: 1, onError, limits }) };
  }

  async function refresh(): Promise<void> {
    const found = await findShards(sql);
    if (found.length !== current.length) return;
    const before = current;
    current = found.map((shard, group) => {
      const { host, port } = before[group]!;
      return shard.host === host && shard.port === port ? before[group]! : open(shard);
    });
    const moved = before.filter((one) => !current.includes(one));
    if (moved.length === 0) return;
    log.info({ groups: moved.length }, 'groups moved to another worker');
    // Not awaited: a batch may still be running there, or the worker may be away.
    Promise.all(moved.map(({ database }) => database.close())).catch(onError);
    for (const [url, server] of servers) {
      if (current.some((one) => one.server === server)) continue;
      servers.delete(url);
      closeServer(server).catch(onError);
    }
  }

  return {
    count: shards.length,
    of: (bucket) => groups[bucket]!,
    database: (group) => current[group]!.database,
    posting: (group) => copies[group]!,
    transaction: (group, work) =>
      current[group]!.database.transaction(async (tx) => {
        await tx`select lock_group(${shards[group]!.id}), set_config('citus.enable_manual_changes_to_shards', 'on', true)`;
        return work({ tx, table: (name) => identifier(names[group]![name]!) });
      }),
    near: (bucket) => ({
      transaction: (work) =>
        retryMoved(() => (current[groups[bucket]!]!.server.requests ?? current[groups[bucket]!]!.database).transaction(work)),
    }),
    isShownInParts: true,
    outages: {
      isAway: (group) => current[group]!.server.probe.isAway(),
      isCoordinatorAway: coordinator.isAway,
      unwritable: () => ({
        groups: current.filter(({ server }) => server.probe.isUnwritable()).length,
        coordinator: coordinator.isUnwritable(),
      }),
    },
    connections: () => current.map(({ database }) => database.connections()).reduce(addConnections),
    async close() {
      await stopRefreshing();
      await Promise.all([
        coordinator.close(),
        ...current.map(({ database }) => database.close()),
        ...[...servers.values()].map(closeServer),
      ]);
    },
  };
}

async function closeServer({ probe, requests }: Server): Promise<void> {
  await Promise.all([probe.close(), requests?.close()]);
}

/** Repeats a transaction whose group is on another server, while a refresh finds where. */
async function retryMoved<T>(work: () => Promise<T>): Promise<T> {
  for (let left = MOVES_MAX; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || databaseError(error)?.state !== MOVED) throw error;
    }
    await sleep(MOVE_PAUSE_MS);
  }
}

/** Repeats work, one at a time, since a coordinator may hang. Returns a function that stops it. */
function repeat(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work().finally(() => {
      running = undefined;
    });
  }, REFRESH_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** The shards of a distributed table and where they are, in the order of their ids. */
function findShards(sql: Sql): Promise<Shard[]> {
  return sql<Shard>`
    select s.shardid as id, p.nodename as host, p.nodeport::int as port
    from pg_dist_shard s
    join pg_dist_shard_placement p on p.shardid = s.shardid
    where s.logicalrelid = 'ledger_account'::regclass
    order by s.shardid`;
}

/** The group of each bucket. */
async function readGroups(sql: Sql, shards: Shard[]): Promise<number[]> {
  const rows = await sql<{ shard: bigint }>`
    select get_shard_id_for_distribution_column('ledger_account', bucket) as shard
    from generate_series(0, ${BUCKETS - 1}::int) bucket
    order by bucket`;
  const groups = new Map(shards.map(({ id }, group) => [id, group]));
  return rows.map(({ shard }) => groups.get(shard)!);
}

/** The names of the shards of each group, in the order of the groups. */
async function readNames(sql: Sql): Promise<Names[]> {
  const rows = await sql<{ names: Names }>`
    select json_object_agg(s.logicalrelid::text, shard_name(s.logicalrelid, s.shardid)) as names
    from pg_dist_shard l
    join pg_dist_shard s on s.shardminvalue = l.shardminvalue
    where l.logicalrelid = 'ledger_account'::regclass
    group by l.shardid
    order by l.shardid`;
  return rows.map(({ names }) => names);
}
