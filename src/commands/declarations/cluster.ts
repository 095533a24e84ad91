// Declarations of the commands for a Citus cluster.
import { command } from '../command.ts';

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
  run: async (call) => (await import('../cluster.ts')).drain(call),
});

export const clusterCommands = [status, addNode, rebalance, drain];
