// What a process of the service shares with the other processes behind its port (WORKERS).
import type { Rate } from './http/rate.ts';

export type Peers = {
  /** Whether this process does the work that runs once per service: jobs, ledger check, webhook delivery, first start of a sandbox. */
  isFirst: boolean;
  /** Passes the function that writes this process's metrics, for the sum over all processes. */
  provideMetrics(expose: () => Promise<string>): void;
  /** The metrics of all processes, added up, in the Prometheus text format. */
  exposeAll(): Promise<string>;
  /** Makes the rate limits of this name in all processes count the same tokens. Others learn of a token within some 50 ms. */
  shareRate(name: string, rate: Rate): Rate;
  /** Reports all rules that the ledger check found broken. Only the first process checks. */
  reportBroken(rules: string[]): void;
  /** The rules that were last reported. */
  broken(): string[];
};
