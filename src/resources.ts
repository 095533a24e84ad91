// The list of all resources, with their facts. The sandbox reset, key rotation, the ledger check, events and the OpenAPI document use it.
import { accounts } from './accounts/facts.ts';
import { allocationRules } from './allocation-rules/facts.ts';
import { beneficialOwners } from './beneficial-owners/facts.ts';
import { customers } from './customers/facts.ts';
import { documents } from './documents/facts.ts';
import { events } from './events/facts.ts';
import type { Facts } from './facts.ts';
import { funds } from './funds/facts.ts';
import { health } from './health/facts.ts';
import { idempotency } from './idempotency/facts.ts';
import { labelReallocationBatches } from './label-reallocation-batches/facts.ts';
import { labelReallocations } from './label-reallocations/facts.ts';
import { labels } from './labels/facts.ts';
import { ledger } from './ledger/facts.ts';
import { ledgerEntries } from './ledger-entries/facts.ts';
import { oauth } from './oauth/facts.ts';
import { sandbox } from './sandbox/facts.ts';
import { statements } from './statements/facts.ts';
import { transfers } from './transfers/facts.ts';
import { transparencyLog } from './transparency-log/facts.ts';
import { webhooks } from './webhooks/facts.ts';

/**
 * In the order of the OpenAPI document. A resource comes after those that its rows refer to: a reset goes from the last to the first.
 */
export const resources: Facts[] = [
  oauth,
  accounts,
  customers,
  funds,
  labels,
  ledgerEntries,
  labelReallocations,
  transfers,
  statements,
  allocationRules,
  labelReallocationBatches,
  beneficialOwners,
  documents,
  transparencyLog,
  events,
  webhooks,
  sandbox,
  health,
  idempotency,
  ledger,
];

/** Every topic, in the order of the OpenAPI document. Spread one by one, so that the names are types. */
export const topics = {
  ...customers.topics,
  ...beneficialOwners.topics,
  ...labels.topics,
  ...ledgerEntries.topics,
  ...labelReallocations.topics,
  ...funds.topics,
  ...transparencyLog.topics,
};
