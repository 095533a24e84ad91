// Every topic of events, from the manifests of the resources.
import { transparencyLog } from '../ledger/log/manifest.ts';
import { balanceMonitors } from './balance-monitors/manifest.ts';
import { beneficialOwners } from './beneficial-owners/manifest.ts';
import { customers } from './customers/manifest.ts';
import { funds } from './funds/manifest.ts';
import { holds } from './holds/manifest.ts';
import { labelReallocations } from './label-reallocations/manifest.ts';
import { labels } from './labels/manifest.ts';
import { ledgerEntries } from './ledger-entries/manifest.ts';
import { owedEntries } from './owed-entries/manifest.ts';
import { returns } from './returns/manifest.ts';
import { schedules } from './schedules/manifest.ts';

/** In the order of the OpenAPI document. Spread one by one, so that the names are types. */
export const topics = {
  ...customers.topics,
  ...beneficialOwners.topics,
  ...labels.topics,
  ...balanceMonitors.topics,
  ...ledgerEntries.topics,
  ...labelReallocations.topics,
  ...holds.topics,
  ...schedules.topics,
  ...funds.topics,
  ...returns.topics,
  ...owedEntries.topics,
  ...transparencyLog.topics,
};
