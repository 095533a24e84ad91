// What a log has of one customer, and the texts of it that a service shows.
import type { Details, TransferTexts } from './commitment.ts';
import type { Entry, Money } from './entry.ts';
import type { LoggedCustomer } from './replay.ts';

/** An entry that moved money, with its index in the log. */
export type Move = Entry & Money & { index: number };

/** `moves`: in the order of the log. */
export type CustomerLog = { id: string; known: LoggedCustomer; moves: Move[] };

/**
 * `salt`: null if it was erased. `labels`: the details of labels by id, which the log has. `ofTransfers`: those of transfers by id,
 * once they were compared.
 */
export type Texts = {
  salt: string | null;
  customer: Details;
  labels: Map<string, Details>;
  ofTransfers: Map<string, TransferTexts>;
};
