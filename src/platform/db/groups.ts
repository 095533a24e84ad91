// Groups of buckets: a transaction on rows of one group runs on one server. A single server has a group per lane; a Citus cluster has
// one per group of shards, on the worker that holds it.
import type { FastifyBaseLogger } from 'fastify';
import { type Database, type Fragment, identifier, LIMITS, openDatabase, type Sql } from './sql.ts';

export type Groups = {
  count: number;
  /** The group of a bucket, from 0. */
  of(bucket: number): number;
  /** The connections to the server that holds a group now. */
  database(group: number): Database;
  /** The function that posts transfers of a group. Lanes call it on the group's own server; `post_transfers` finds the group first. */
  posting(group: number): Fragment;
  /** Runs work in a transaction on the rows of a group, on the server that holds it now. */
  transaction<T>(group: number, work: (transaction: GroupTransaction) => Promise<T>): Promise<T>;
  /** For a request whose statements are all on rows of one bucket and that moves money: transactions on the server that holds it now. */
  near(bucket: number): Pick<Database, 'transaction'>;
  /** Whether a transaction becomes visible server by server, instead of at one moment. */
  isShownInParts: boolean;
  /** What is known of servers that are away. Undefined on a single server, where all groups share its fate. */
  outages: Outages | undefined;
  /** Statistics of all these connections. */
  connections: Database['connections'];
  close(): Promise<void>;
};

export type Outages = {
  /** Whether the server that holds a group does not answer, while others may. */
  isAway(group: number): boolean;
  /** Whether the coordinator does not answer, while groups may. */
  isCoordinatorAway(): boolean;
  /** What takes no writes, because its server is away or read-only: some groups, or the coordinator. */
  unwritable(): { groups: number; coordinator: boolean };
};

/** `table` names the group's part of a table, as a part of a statement: its shard on a cluster, the table on a single server. */
export type GroupTransaction = { tx: Sql; table: (name: string) => Fragment };

export type GroupsOptions = {
  databaseUrl: string;
  lanes: number;
  /** For each group, at most. */
  connections?: number;
  limits?: (typeof LIMITS)[keyof typeof LIMITS];
  /** The connections of requests, and how to open as many to another server. `near` needs them. */
  requests?: { database: Database; open(url: string): Database };
  log: FastifyBaseLogger;
  onError: (error: Error) => void;
};

/** Posts transfers of any group. */
export const POSTING = identifier('post_transfers');

/** A lane uses one connection. */
export const CONNECTIONS = 1;

/** Opens `lanes` groups on a single server. */
export function openSingleServerGroups(options: GroupsOptions): Groups {
  const { databaseUrl, lanes, connections = CONNECTIONS, limits = LIMITS.request, requests, onError } = options;
  const database = openDatabase(databaseUrl, { max: lanes * connections, min: lanes, onError, limits });
  return {
    count: lanes,
    of: (bucket) => bucket % lanes,
    database: () => database,
    posting: () => POSTING,
    transaction: (_, work) => database.transaction((tx) => work({ tx, table: identifier })),
    near: () => requests?.database ?? database,
    isShownInParts: false,
    outages: undefined,
    connections: database.connections,
    close: database.close,
  };
}

type Connections = ReturnType<Database['connections']>;

/** Adds the statistics of pools. */
export function addConnections(a: Connections, b: Connections): Connections {
  return { total: a.total + b.total, max: a.max + b.max, idle: a.idle + b.idle, waiting: a.waiting + b.waiting };
}
