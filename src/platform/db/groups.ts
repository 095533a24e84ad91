// Groups of buckets: a transaction on rows of one group runs on one server. A single server has a group per lane; a Citus cluster has
// one per group of shards, on the worker that holds it.
import type { FastifyBaseLogger } from 'fastify';
import { BUCKETS } from '../../core/ids.ts';
import { type Address, isCluster, urlOn } from './cluster.ts';
import { type Probe, startProbe } from './probe.ts';
import { type Database, type Fragment, identifier, LIMITS, openDatabase, type Sql } from './sql.ts';

export type Groups = {
  isCluster: boolean;
  count: number;
  /** The group of a bucket, from 0. */
  of(bucket: number): number;
  /** The connections to the server that holds a group now. */
  database(group: number): Database;
  /** Runs work in a transaction on the rows of a group, on the server that holds it now. */
  transaction<T>(group: number, work: (transaction: GroupTransaction) => Promise<T>): Promise<T>;
  /** Whether the server that holds a group does not answer, while others may. False on a single server, where all groups share its fate. */
  isAway(group: number): boolean;
  /** Whether the coordinator of a cluster does not answer, while groups may. False on a single server. */
  isCoordinatorAway(): boolean;
  /** What takes no writes, because its server is away or read-only: some groups, or the coordinator. Nothing on a single server. */
  unwritable(): { groups: number; coordinator: boolean };
  /** Statistics of all these connections. */
  connections: Database['connections'];
  close(): Promise<void>;
};

/** `table` names the group's part of a table, as a part of a statement: its shard on a cluster, the table on a single server. */
export type GroupTransaction = { tx: Sql; table: (name: string) => Fragment };

type Options = {
  databaseUrl: string;
  lanes: number;
  /** For each group, at most. */
  connections?: number;
  limits?: (typeof LIMITS)[keyof typeof LIMITS];
  log: FastifyBaseLogger;
  onError: (error: Error) => void;
};
type Held = Address & { database: Database; probe: Probe };
type Shard = Address & { id: bigint };
/** The name of the shard of each table in a group. */
type Names = Record<string, string>;

/** How often a cluster is asked where the groups are. A moved group stays reachable through the worker that it left. */
const REFRESH_MS = 1_000;
/** A lane uses one connection. */
const CONNECTIONS = 1;

/** Opens the groups of a database: those of its cluster, or `lanes` groups on a single server. */
export async function openGroups(sql: Sql, options: Options): Promise<Groups> {
  const shards = (await isCluster(sql)) ? await findShards(sql) : [];
  return shards.length === 0 ? openSingle(options) : openCluster(sql, shards, options);
}

function openSingle({ databaseUrl, lanes, connections = CONNECTIONS, limits = LIMITS.request, onError }: Options): Groups {
  const database = openDatabase(databaseUrl, { max: lanes * connections, onError, limits });
  return {
    isCluster: false,
    count: lanes,
    of: (bucket) => bucket % lanes,
    database: () => database,
    transaction: (_, work) => database.transaction((tx) => work({ tx, table: identifier })),
    isAway: () => false,
    isCoordinatorAway: () => false,
    unwritable: () => ({ groups: 0, coordinator: false }),
    connections: database.connections,
    close: database.close,
  };
}

async function openCluster(sql: Sql, shards: Shard[], options: Options): Promise<Groups> {
  const { databaseUrl, connections = CONNECTIONS, limits = LIMITS.request, log, onError } = options;
  const groups = await readGroups(sql, shards);
  const names = await readNames(sql);
  const coordinator = startProbe(databaseUrl);
  const probes = new Map<string, Probe>();
  let current = shards.map(open);
  const stopRefreshing = repeat(() =>
    refresh().catch((error: unknown) => log.warn({ err: error }, 'the placement of the groups cannot be read')),
  );

  function open({ host, port }: Shard): Held {
    const url = urlOn(databaseUrl, { host, port });
    let probe = probes.get(url);
    if (!probe) {
      probe = startProbe(url);
      probes.set(url, probe);
    }
    return { host, port, probe, database: openDatabase(url, { max: connections, onError, limits }) };
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
    for (const [url, probe] of probes) {
      if (current.some((one) => one.probe === probe)) continue;
      probes.delete(url);
      probe.close().catch(onError);
    }
  }

  return {
    isCluster: true,
    count: shards.length,
    of: (bucket) => groups[bucket]!,
    database: (group) => current[group]!.database,
    transaction: (group, work) =>
      current[group]!.database.transaction(async (tx) => {
        const [row] = await tx<{ held: boolean }>`
          select hold_group(${shards[group]!.id}) as held, set_config('citus.enable_manual_changes_to_shards', 'on', true)`;
        if (!row!.held) throw new Error('The group moved to another server.');
        return work({ tx, table: (name) => identifier(names[group]![name]!) });
      }),
    isAway: (group) => current[group]!.probe.isAway(),
    isCoordinatorAway: coordinator.isAway,
    unwritable: () => ({
      groups: current.filter(({ probe }) => probe.isUnwritable()).length,
      coordinator: coordinator.isUnwritable(),
    }),
    connections: () => current.map(({ database }) => database.connections()).reduce(addConnections),
    async close() {
      await stopRefreshing();
      await Promise.all([
        ...current.map(({ database }) => database.close()),
        ...[coordinator, ...probes.values()].map((probe) => probe.close()),
      ]);
    },
  };
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

type Connections = ReturnType<Database['connections']>;

/** Adds the statistics of pools. */
export function addConnections(a: Connections, b: Connections): Connections {
  return { total: a.total + b.total, max: a.max + b.max, idle: a.idle + b.idle, waiting: a.waiting + b.waiting };
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
