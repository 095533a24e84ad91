// Where the rows of customers are: all on a single server, or on the workers of a cluster. What else depends on that asks this interface.
import type { Groups, GroupsOptions } from './groups.ts';

export type Placement = {
  /** Whether the events and other rows without a bucket are on another server than the groups, so that a statement cannot join them. */
  isFeedApart: boolean;
  /**
   * Whether a transaction on several customers becomes visible server by server, instead of at one moment, and a join of several servers
   * runs without their indexes.
   */
  isShownInParts: boolean;
  openGroups(options: GroupsOptions): Promise<Groups>;
  /** The size of a table without its indexes, in bytes. */
  sizeOf(table: string): Promise<bigint>;
  /** Runs a statement of the source, without parameters and results, on each server. */
  runEverywhere(statement: string): Promise<void>;
};
