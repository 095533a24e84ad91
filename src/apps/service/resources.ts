// The manifests of all resources. The sandbox reset, key rotation, the ledger check and the OpenAPI document use them.
import { transparencyLog } from '../../ledger/log/manifest.ts';
import { ledger } from '../../ledger/transfers/manifest.ts';
import { idempotency } from '../../platform/idempotency/manifest.ts';
import type { Manifest } from '../../platform/manifest.ts';
import { sandbox } from '../../platform/sandbox/manifest.ts';
import { health } from '../../platform/telemetry/manifest.ts';
import { accounts } from '../../resources/accounts/manifest.ts';
import { allocationRules } from '../../resources/allocation-rules/manifest.ts';
import { balanceMonitors } from '../../resources/balance-monitors/manifest.ts';
import { beneficialOwners } from '../../resources/beneficial-owners/manifest.ts';
import { customers } from '../../resources/customers/manifest.ts';
import { documents } from '../../resources/documents/manifest.ts';
import { events } from '../../resources/events/manifest.ts';
import { funds } from '../../resources/funds/manifest.ts';
import { holds } from '../../resources/holds/manifest.ts';
import { labelReallocationBatches } from '../../resources/label-reallocation-batches/manifest.ts';
import { labelReallocations } from '../../resources/label-reallocations/manifest.ts';
import { labels } from '../../resources/labels/manifest.ts';
import { ledgerEntries } from '../../resources/ledger-entries/manifest.ts';
import { oauth } from '../../resources/oauth/manifest.ts';
import { owedEntries } from '../../resources/owed-entries/manifest.ts';
import { returns } from '../../resources/returns/manifest.ts';
import { schedules } from '../../resources/schedules/manifest.ts';
import { statements } from '../../resources/statements/manifest.ts';
import { transfers } from '../../resources/transfers/manifest.ts';
import { webhooks } from '../../resources/webhooks/manifest.ts';

/**
 * In the order of the OpenAPI document. A resource comes after those that its rows refer to: a reset goes from the last to the first. Keys
 * come first, because a change that a reset waits for may have stored one.
 */
export const resources: Manifest[] = [
  idempotency,
  oauth,
  accounts,
  customers,
  funds,
  returns,
  owedEntries,
  labels,
  ledgerEntries,
  labelReallocations,
  holds,
  transfers,
  statements,
  allocationRules,
  schedules,
  balanceMonitors,
  labelReallocationBatches,
  beneficialOwners,
  documents,
  transparencyLog,
  events,
  webhooks,
  sandbox,
  health,
  ledger,
];

/** The tags of the OpenAPI document. */
export const tags = resources.flatMap(({ tags = [] }) => tags);
