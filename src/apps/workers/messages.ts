// Messages between the supervisor and its worker processes.
import type { LedgerCheck } from '../../platform/worker-coordination.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** The address of a worker that listens. `sandbox` and `consoleLink` are those of the first worker. */
export type Listening = { url: string; port: number; sandbox: Sandbox | undefined; consoleLink: string | undefined };

/** Tokens taken from a rate limit, by key. */
type Taken = { name: string; tokens: [key: string, taken: number][] };

export type ToWorker =
  | { kind: 'start'; databaseUrl: string; ownerUrl: string; isFirst: boolean; check: LedgerCheck }
  /** Accept no more connections, answer the open ones, then stop. */
  | { kind: 'retire' }
  | { kind: 'stop' }
  /** Send the metrics of this process. */
  | { kind: 'expose'; request: number }
  /** The metrics of all processes. */
  | { kind: 'exposition'; request: number; text: string }
  | { kind: 'taken'; taken: Taken }
  | { kind: 'checked'; check: LedgerCheck }
  /** Check the ledger now. */
  | { kind: 'check' };

export type ToSupervisor =
  | { kind: 'ready' }
  | { kind: 'listening'; listening: Listening }
  | { kind: 'exposed'; request: number; text: string }
  /** Asks for the metrics of all processes. */
  | { kind: 'collect'; request: number }
  | { kind: 'taken'; taken: Taken }
  | { kind: 'checked'; check: LedgerCheck }
  /** Check the ledger now. */
  | { kind: 'check' };
