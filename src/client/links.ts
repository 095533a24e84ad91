// What the links of resources lead to, by their name.
import { LinkError } from './errors.ts';
import type * as Schemas from './openapi.ts';
import { targetOf } from './reference.ts';

/** What can be read by following a link. The others are actions, with a call of their own. */
export type Targets = {
  account: Schemas.Account;
  balance: Schemas.CustomerBalance;
  'beneficial-owners': Schemas.BeneficialOwnerList;
  'beneficial-ownership': Schemas.BeneficialOwnership;
  customer: Schemas.Customer;
  customers: Schemas.CustomerList;
  document: Schemas.Document;
  documents: Schemas.DocumentList;
  event: Schemas.Event;
  events: Schemas.EventList;
  from: Schemas.Label;
  'from-ledger-entry': Schemas.LedgerEntry;
  label: Schemas.Label;
  'label-reallocation': Schemas.LabelReallocation;
  labels: Schemas.LabelList;
  'ledger-entries': Schemas.LedgerEntryList;
  owner: Schemas.BeneficialOwner;
  /** What an event is about. */
  resource:
    | Schemas.BeneficialOwner
    | Schemas.Customer
    | Schemas.Document
    | Schemas.Label
    | Schemas.LabelReallocation
    | Schemas.LedgerEntry
    | Schemas.Movement;
  reviews: Schemas.ReviewList;
  subscription: Schemas.WebhookSubscription;
  to: Schemas.Label;
  'to-ledger-entry': Schemas.LedgerEntry;
  webhook: Schemas.Webhook;
  'webhook-subscriptions': Schemas.WebhookSubscriptionList;
  webhooks: Schemas.WebhookList;
};

type Pages = 'self' | 'first' | 'last' | 'next' | 'prev';

export type Linked = { _links: object };
/** The links of a resource that can be followed. */
export type Rel<R extends Linked> = keyof R['_links'] & (keyof Targets | Pages);
/** What following one gives. */
export type Target<R extends Linked, L> = L extends Pages ? R : L extends keyof Targets ? Targets[L] : never;

/** The URL of a link. Throws a LinkError where there is none: links come and go with the state of their resource. */
export function linkOf(resource: Linked, rel: string): string {
  const links = resource._links as Record<string, { href: string } | undefined>;
  const href = links[rel]?.href;
  if (href !== undefined) return href;
  const whose = links.self ? targetOf(links.self.href) : 'This resource';
  throw new LinkError(`${whose} has no link ${rel} now. It has ${Object.keys(links).join(', ')}.`);
}
