// Faults of a server of the cluster: all its processes killed or stopped at once, by their ids.
import { childrenOf } from '../crash/target.ts';
import { isAlive } from '../support/process.ts';
import type { Node } from './cluster.ts';

/** Kills every process of a server with SIGKILL. */
export function crashServer(node: Node): void {
  signalAll(node, 'SIGKILL');
}

/** Stops every process of a server, as a machine that hangs. Connections stay open and are not answered. */
export function stopServer(node: Node): void {
  signalAll(node, 'SIGSTOP');
}

export function continueServer(node: Node): void {
  signalAll(node, 'SIGCONT');
}

function signalAll(node: Node, signal: NodeJS.Signals): void {
  const pid = node.pid();
  if (!isAlive(pid)) return;
  // A stopped postmaster starts no more processes.
  if (signal !== 'SIGCONT') process.kill(pid, 'SIGSTOP');
  for (const one of [...childrenOf(pid), pid]) if (isAlive(one)) process.kill(one, signal);
}
