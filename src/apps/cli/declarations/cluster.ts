// Declarations of the commands for a Citus cluster.
import { command } from '../command.ts';
import { groupsOption } from './operation.ts';

const SERVER = [{ name: 'SERVER', about: 'host and port of the server, such as db-3:5432' }] as const;

const status = command({
  name: 'cluster status',
  about: 'Shows the servers of a Citus cluster: groups, size, transfers per second, and running moves.',
  examples: ['earmark cluster status', 'earmark cluster status --json | jq .servers'],
  run: async (call) => (await import('../cluster.ts')).status(call),
});

const addNode = command({
  name: 'cluster add-node',
  about:
    'Adds a server to the cluster, and creates the database with Citus on it. It is empty until a rebalance moves groups to it.',
  words: SERVER,
  examples: ['earmark cluster add-node db-3:5432'],
  run: async (call) => (await import('../cluster.ts')).addNode(call),
});

const rebalance = command({
  name: 'cluster rebalance',
  about: 'Spreads the groups evenly over the servers while they are in use. Writes to a group pause for about a second.',
  examples: ['earmark cluster rebalance'],
  run: async (call) => (await import('../cluster.ts')).rebalance(call),
});

const drain = command({
  name: 'cluster drain',
  about: 'Moves all groups away from a server while they are in use, and removes it from the cluster.',
  words: SERVER,
  examples: ['earmark cluster drain db-3:5432'],
  asks: ({ words: [server] }) => `Move all groups away from ${server}, and remove it from the cluster?`,
  run: async (call) => (await import('../cluster.ts')).drain(call),
});

const moveIn = command({
  name: 'cluster move-in',
  about: 'Moves the database of a single server into an empty cluster: a backup, a restore and a ledger check.',
  detail:
    'DATABASE_URL or DATA_DIR is the single server, as for its services, which must be stopped. It is not changed. The new database must have no tables and be on the coordinator of a cluster with workers. The services then need the same encryption key: keep ENCRYPTION_KEY, or DATA_DIR with its key.',
  words: [{ name: 'DIR', about: 'a new folder for the backup, which stays there' }],
  options: {
    to: { value: 'FILE', about: 'a file with the DATABASE_URL of the coordinator', required: true },
    groups: groupsOption,
  },
  examples: ['earmark cluster move-in /backups/move --to /run/secrets/cluster-url --groups 16'],
  exits: { 1: 'not moved, or moved with a failed ledger check' },
  run: async (call) => (await import('../move-in.ts')).moveIn(call),
});

export const clusterCommands = [status, addNode, rebalance, drain, moveIn];
