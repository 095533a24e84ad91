// Types of link targets by relation, and the lookup of a link.
import { LinkError } from './errors.ts';
import type * as Schemas from './openapi.ts';
import { targetOf } from './reference.ts';

/** The resources that links point to. Links not listed are actions, which have their own calls. */
type Targets = {
  account: Schemas.Account;
  'allocation-rule': Schemas.AllocationRule;
  balance: Schemas.CustomerBalance;
  'beneficial-owners': Schemas.BeneficialOwnerList;
  'beneficial-ownership': Schemas.BeneficialOwnership;
  customer: Schemas.Customer;
  customers: Schemas.CustomerList;
  /** Of a ledger entry. On a customer it is an action. */
  deposit: Schemas.Movement;
  document: Schemas.Document;
  documents: Schemas.DocumentList;
  event: Schemas.Event;
  events: Schemas.EventList;
  from: Schemas.Label;
  'from-ledger-entry': Schemas.LedgerEntry;
  hold: Schemas.Hold;
  label: Schemas.Label;
  'label-reallocation': Schemas.LabelReallocation;
  labels: Schemas.LabelList;
  'ledger-entries': Schemas.LedgerEntryList;
  'ledger-entry': Schemas.LedgerEntry;
  'owed-entries': Schemas.OwedEntryList;
  'owed-entry': Schemas.OwedEntry;
  owner: Schemas.BeneficialOwner;
  /** The resource of an event. */
  resource:
    | Schemas.BeneficialOwner
    | Schemas.Customer
    | Schemas.Document
    | Schemas.Hold
    | Schemas.Label
    | Schemas.LabelReallocation
    | Schemas.LedgerEntry
    | Schemas.Monitor
    | Schemas.Movement
    | Schemas.OwedEntry
    | Schemas.Return
    | Schemas.Schedule;
  /** Of a ledger entry or an owed entry. On a deposit or a withdrawal it is an action. */
  return: Schemas.Return;
  returns: Schemas.ReturnList;
  reversals: Schemas.LabelReallocationList;
  reverses: Schemas.LabelReallocation;
  occurrences: Schemas.ScheduleOccurrenceList;
  reviews: Schemas.ReviewList;
  schedule: Schemas.Schedule;
  subscription: Schemas.WebhookSubscription;
  to: Schemas.Label;
  'to-ledger-entry': Schemas.LedgerEntry;
  /** Of the capture of a hold. */
  transfer: Schemas.LabelReallocation | Schemas.LedgerEntry | Schemas.Movement;
  webhook: Schemas.Webhook;
  'webhook-subscriptions': Schemas.WebhookSubscriptionList;
  webhooks: Schemas.WebhookList;
  withdrawal: Schemas.Movement;
};

type Pages = 'self' | 'first' | 'last' | 'next' | 'prev';

export type Linked = { _links: object };
/** The links of a resource that can be followed. */
export type Rel<R extends Linked> = keyof R['_links'] & (keyof Targets | Pages);
/** The type of a link's target. */
export type Target<R extends Linked, L> = L extends Pages ? R : L extends keyof Targets ? Targets[L] : never;

/** Returns the URL of a link. Throws a LinkError when it is absent: links depend on the state of their resource. */
export function linkOf(resource: Linked, rel: string): string {
  const links = resource._links as Record<string, { href: string } | undefined>;
  const href = links[rel]?.href;
  if (href !== undefined) return href;
  const path = links.self ? targetOf(links.self.href) : 'This resource';
  throw new LinkError(`${path} has no link ${rel} now. It has ${Object.keys(links).join(', ')}.`);
}
