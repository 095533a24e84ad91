// The kinds of faults of a cluster, each with whom it may hit, and how it begins and ends.
import { setTimeout as sleep } from 'node:timers/promises';
import { bucketOf } from '../../src/core/ids.ts';
import { idOf } from '../support/http.ts';
import type { Random } from '../support/random.ts';
import { runOn } from './cluster.ts';
import type { FaultTarget } from './fault-target.ts';
import { continueServer, crashServer, stopServer } from './server-processes.ts';

export const KILLS = ['worker', 'coordinator', 'service'] as const;

export type Fault = {
  name: string;
  /** The server whose customers may be refused meanwhile, by the port at which the cluster knows it; `all`: everyone. */
  hits: number | 'none' | 'all';
  begin(): Promise<void>;
  end(): Promise<void>;
};

const DOWN_MS = { least: 500, most: 4_000 };
const CUT_MS = 10_000;
const MOVES = 2;

export function kill(target: FaultTarget, kind: (typeof KILLS)[number], random: Random): Fault {
  const { coordinator, workers } = target.cluster;
  const downMs = random.int(DOWN_MS.least, DOWN_MS.most);
  if (kind === 'service') {
    return {
      name: kind,
      hits: 'all',
      async begin() {
        target.service().child.kill('SIGKILL');
        await target.service().ended;
      },
      end: target.ready,
    };
  }
  const node = kind === 'worker' ? random.pick(workers) : coordinator;
  return {
    name: kind,
    hits: kind === 'worker' ? target.portOf(node.name) : 'none',
    async begin() {
      crashServer(node);
      await sleep(downMs);
    },
    end: node.start,
  };
}

/** Stops a worker, as a machine that hangs. */
export function stop(target: FaultTarget, seconds: number, random: Random): Fault {
  const node = random.pick(target.cluster.workers);
  return {
    name: 'workerStopped',
    hits: target.portOf(node.name),
    async begin() {
      stopServer(node);
      await sleep(seconds * 1000);
    },
    end: async () => continueServer(node),
  };
}

/** Cuts the network between a worker and the other servers; the service still reaches both. */
export function cutNetwork({ network }: FaultTarget): Fault {
  return {
    name: 'networkCut',
    hits: 'none',
    async begin() {
      network.cut();
      await sleep(CUT_MS);
    },
    end: async () => network.heal(),
  };
}

/** Adds a worker and moves groups to it. */
export function grow(target: FaultTarget): Fault {
  return {
    name: 'workerAdded',
    hits: 'none',
    async begin() {
      const { port } = await target.addServer('worker-3');
      await runOn(
        target.databaseUrl,
        `select citus_add_node('127.0.0.1', ${port})`,
        `select rebalance_table_shards(shard_transfer_mode => 'force_logical')`,
      );
    },
    end: async () => {},
  };
}

/** Moves the group of a customer to another worker and back. */
export function moveGroup(target: FaultTarget, random: Random): Fault {
  return {
    name: 'groupMoved',
    hits: 'none',
    async begin() {
      const customer = random.pick(target.customers);
      for (let move = 0; move < MOVES; move++) await moveOnce(target, customer);
    },
    end: async () => {},
  };
}

async function moveOnce(target: FaultTarget, customer: FaultTarget['customers'][number]): Promise<void> {
  const from = (await target.findServers([customer])).get(customer.customer)!;
  const ports = target.cluster.workers.map(({ name }) => target.portOf(name));
  const to = ports.find((port) => port !== from)!;
  const bucket = bucketOf(idOf(customer.customer));
  await runOn(
    target.databaseUrl,
    `select citus_move_shard_placement(get_shard_id_for_distribution_column('ledger_account', ${bucket}),
      '127.0.0.1', ${from}, '127.0.0.1', ${to}, shard_transfer_mode => 'force_logical')`,
  );
}
