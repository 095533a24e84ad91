// `earmark cluster`: shows the servers of a Citus cluster, adds and drains servers, and moves groups between them.
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../core/user-error.ts';
import {
  type Address,
  addServer,
  closeServer,
  countTransfers,
  findMoves,
  hasCitus,
  listServers,
  type Moves,
  prepareServer,
  removeServer,
  type Server,
  startRebalance,
  stopRebalance,
} from '../../platform/db/cluster/servers.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { UsageError } from './command.ts';
import { print, printTable } from './output.ts';
import { openProgress } from './progress.ts';
import { withDatabase } from './with-database.ts';

type Call = { json: boolean };
type ServerCall = Call & { words: readonly [string] };

/** The servers report their statistics about once a second. */
const RATE_OVER_MS = 2_000;
const POLL_MS = 500;
/** A move that fails for a passing reason succeeds within half a minute. */
const TRIES_MAX = 2;
const MEBIBYTE = 1024 * 1024;
const SERVER = /^(?<host>[a-z0-9.-]+|\[[0-9a-f:.]+\]):(?<port>[0-9]{1,5})$/i;

export async function status({ json }: Call): Promise<number> {
  return withCluster(async (sql) => {
    const before = await countTransfers(sql);
    await sleep(RATE_OVER_MS);
    const after = await countTransfers(sql);
    const rateOf = (name: string) =>
      Math.max(0, Math.round((Number((after.get(name) ?? 0n) - (before.get(name) ?? 0n)) * 1000) / RATE_OVER_MS));
    const servers = (await listServers(sql)).map((server) => ({
      server: nameOf(server),
      role: server.accepts || server.groups > 0 ? 'worker' : 'coordinator',
      state: stateOf(server, after.has(nameOf(server))),
      groups: server.groups,
      bytes: Number(server.bytes),
      transfersPerSecond: rateOf(nameOf(server)),
    }));
    const moves = await findMoves(sql);
    if (json) print({ servers, moves: moves ?? null }, true);
    else {
      const rows = servers.map(({ bytes, transfersPerSecond, ...server }) => ({
        ...server,
        MiB: Math.round(bytes / MEBIBYTE),
        'transfers/s': transfersPerSecond,
      }));
      printTable(rows, 'The cluster has no servers.');
      if (moves && isRunning(moves)) print({ moves: `${moves.done} of ${moves.total} groups moved` }, false);
      if (moves?.error && moves.state !== 'finished') print({ error: moves.error }, false);
    }
    return 0;
  });
}

/** A server without groups is not asked, and never away. */
function stateOf({ active, accepts, groups }: Server, answers: boolean): string {
  if (!active) return 'inactive';
  if (groups > 0 && !answers) return 'away';
  return groups > 0 && !accepts ? 'draining' : 'active';
}

export async function addNode({ words, json }: ServerCall): Promise<number> {
  return withCluster(async (sql, databaseUrl) => {
    const server = readServer(words[0]);
    await explained(prepareServer(sql, databaseUrl, server));
    await explained(addServer(sql, server));
    print({ added: nameOf(server), next: 'earmark cluster rebalance' }, json);
    return 0;
  });
}

export async function rebalance({ json }: Call): Promise<number> {
  return withCluster(async (sql) => {
    const moved = await moveGroups(sql, {});
    print({ moved: json ? moved : `${moved} groups` }, json);
    return 0;
  });
}

/** Moves every group away from a server, and removes it from the cluster. */
export async function drain({ words, json }: ServerCall): Promise<number> {
  return withCluster(async (sql) => {
    const server = readServer(words[0]);
    requireKnown(await listServers(sql), server);
    await explained(closeServer(sql, server));
    const moved = await moveGroups(sql, { drainOnly: true });
    await explained(removeServer(sql, server));
    print({ removed: nameOf(server), moved: json ? moved : `${moved} groups` }, json);
    return 0;
  });
}

/** Waits for the moves of a rebalance, with progress. Returns their number. Prints the error of a move, and stops if it comes again. */
async function moveGroups(sql: Sql, options: { drainOnly?: boolean }): Promise<number> {
  if (!(await explained(startRebalance(sql, options)))) return 0;
  const progress = openProgress('moving groups');
  let told: string | undefined;
  try {
    for (;;) {
      const moves = (await findMoves(sql))!;
      const reason = moves.error ? ` ${moves.error}` : '';
      if (!isRunning(moves)) {
        if (moves.state === 'finished') return moves.total;
        throw new UserError(`The rebalance is ${moves.state}: ${moves.done} of ${moves.total} groups were moved.${reason}`);
      }
      if (moves.error && moves.error !== told) {
        told = moves.error;
        process.stderr.write(`A group cannot be moved, and is tried again: ${told}\n`);
      }
      if (moves.tries > TRIES_MAX) {
        await stopRebalance(sql);
        throw new UserError(`The rebalance was stopped: ${moves.done} of ${moves.total} groups were moved.${reason}`);
      }
      progress.show(moves.done / Math.max(1, moves.total), `${moves.done} of ${moves.total} groups`);
      await sleep(POLL_MS);
    }
  } finally {
    progress.end();
  }
}

function isRunning({ state }: Moves): boolean {
  return ['scheduled', 'running', 'cancelling', 'failing'].includes(state);
}

/** Runs work on the coordinator of a cluster. Throws a UserError on a single server. */
function withCluster<T>(work: (sql: Sql, databaseUrl: string) => Promise<T>): Promise<T> {
  return withDatabase(async ({ database: { sql }, databaseUrl }) => {
    if (await hasCitus(sql)) return work(sql, databaseUrl);
    throw new UserError('The database is a single server, not the coordinator of a Citus cluster.');
  }, requireMigrated);
}

/** Turns an error of the cluster, such as an unreachable server, into one line. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const message = (error as Error).message.replaceAll(/\s+/g, ' ').replace(/[.?]$/, '');
    throw new UserError(`The cluster refuses: ${message}.`, { cause: error });
  }
}

function readServer(text: string): Address {
  const { host, port } = SERVER.exec(text)?.groups ?? {};
  if (host === undefined || Number(port) > 65_535)
    throw new UsageError(`${JSON.stringify(text)} is not a server such as db-3:5432.`);
  return { host, port: Number(port) };
}

function requireKnown(servers: Server[], server: Address): void {
  if (!servers.some((one) => nameOf(one) === nameOf(server)))
    throw new UsageError(`The cluster has no server ${nameOf(server)}.`);
}

function nameOf({ host, port }: Address): string {
  return `${host}:${port}`;
}
