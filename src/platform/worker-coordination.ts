// What a process of the service shares with the other processes behind its port (WORKERS).
import type { Rate } from './http/rate.ts';

/** The ledger check, which runs in the first process. */
export type LedgerCheck = {
  /** The last complete run; undefined before the first. */
  last: CheckRun | undefined;
  /** The last increment, which proves the money of what is new; undefined before the first. */
  newest: ProvenMoney | undefined;
  /** When every rule last passed over all entries, also before the start; undefined if unknown. */
  complete: Date | undefined;
  /** The names of the rules that the last increment, and the current or the last run found broken. */
  broken: string[];
  /** Whether the last two increments or the last two runs ended with an error, so that nothing is known of what is new. */
  isFailing: boolean;
  /** The completed share (0 to 1) of the current run; undefined between runs. */
  progress: number | undefined;
};

/** The state before the first run. */
export const NO_CHECK: LedgerCheck = {
  last: undefined,
  newest: undefined,
  complete: undefined,
  broken: [],
  isFailing: false,
  progress: undefined,
};

/**
 * All money that was committed until `asOf`, in that many of the 4,096 buckets; the others wait for a complete run. `transfers`: how many
 * were new since the last increment.
 */
type ProvenMoney = { asOf: Date; transfers: number; buckets: number; durationMs: number };

type CheckRun = {
  finished: Date;
  durationMs: number;
  slices: number;
  violations: { rule: string; bucket: number; id: string; detail: string }[];
};

export type Peers = {
  /** Whether this process does the work that runs once per service: jobs, ledger check, webhook delivery, first start of a sandbox. */
  isFirst: boolean;
  /** Passes the function that writes this process's metrics, for the sum over all processes. */
  provideMetrics(expose: () => Promise<string>): void;
  /** The metrics of all processes, added up, in the Prometheus text format. */
  exposeAll(): Promise<string>;
  /** Makes the rate limits of this name in all processes count the same tokens. Others learn of a token within some 50 ms. */
  shareRate(name: string, rate: Rate): Rate;
  /** Reports the state of the ledger check. Only the first process checks. */
  reportCheck(check: LedgerCheck): void;
  /** The state that was last reported. */
  check(): LedgerCheck;
  /** Asks the first process to check the ledger now. */
  requestCheck(): void;
  /** Calls a function when another process asks for a check. */
  onCheckRequest(run: () => void): void;
};
