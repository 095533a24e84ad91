// The page of one transfer: both entries with the balances before and after, events and webhooks.
import { bucketOf, isId, legId, parseLegId } from '../../../core/ids.ts';
import { eventsAbout } from '../../../ledger/feed/feed.ts';
import { findEvidence } from '../../../ledger/transfers/evidence.ts';
import { findParts, findSources } from '../../../ledger/transfers/transfer.ts';
import { findTransferDetail, type TransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import { listReversals } from '../../../ledger/transfers/transfer-list.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { findAccount } from '../../../resources/accounts/account.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { reportApplications } from '../../../resources/oauth/application.ts';
import { listOfEvents } from '../../../resources/webhooks/list.ts';
import type { StoredWebhook } from '../../../resources/webhooks/webhook.ts';
import type { Service } from '../../service/service.ts';
import { MONEY as HREF, holdHref } from '../addresses.ts';
import { amountText } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { KINDS, kindBadge, shownKind, sideLink, stateBadges } from '../ledger/transfer-words.ts';
import type { Pages } from '../screen.ts';
import { deliveryBadge, topicText } from '../webhooks/delivery-words.ts';
import { evidenceCard } from './evidence-card.ts';
import { receiptLink } from './receipt.ts';
import { returnable } from './return-form.ts';
import { reversible } from './reverse.ts';

/** Meanwhile the event and its webhooks may not be there yet. */
const NEW_MS = 30_000;
/** Reversals that are shown. */
const LINKED_MAX = 20;

export function addTransfer(pages: Pages, service: Service): void {
  pages.page(`${HREF}/transfers/:id`, 'readMoney', async ({ params, may }) => {
    const id = params.id!;
    if (!isId(id)) return undefined;
    const transfer = await findTransferDetail(service.database.sql, parseLegId(id)?.transferId ?? id);
    if (!transfer) return undefined;
    const parts = await readParts(service, transfer);
    const { customer, account, events, webhooks, evidence } = parts;
    const { amount, currency, created, customerId } = transfer;
    const isNew = service.clock.now(transfer.accountId).getTime() - created.getTime() < NEW_MS;
    return {
      scripts: ['receipt.js'],
      title: `${KINDS[shownKind(transfer)].name} of ${amountText(amount, currency)} ${currency}`,
      main: html`${pageHeader({
        title: `${amountText(amount, currency)} ${currency}`,
        lead: html`${kindBadge(shownKind(transfer))} ${stateBadges(transfer)} ${time(created, 'seconds')}`,
        back: { href: HREF, label: 'Money' },
        actions: may('moveMoney') && actionsFor(transfer),
      })}
      ${entryCard(transfer)}
      <div class="columns">
        ${card(
          { title: 'Transfer' },
          html`<dl class="facts">
            ${factsOf(transfer, parts).map(([name, value]) => value && html`<dt>${name}</dt><dd>${value}</dd>`)}
            <dt>Customer</dt>
            <dd><a href=${`/console/customers/${customerId}`}>${customer ? nameOf({ ...customer, businessName: customer.profile.businessName }) : customerId}</a></dd>
            <dt>Account</dt>
            <dd>${account?.name}</dd>
            <dt>Proof</dt>
            <dd>${receiptLink(transfer)}</dd>
            <dt>Event</dt>
            <dd>${events.length > 0 ? events.map((event) => html`<span class="mono small">${event}</span> `) : html`<span class="muted">${isNew ? 'follows within seconds' : 'none, or deleted after its retention period'}</span>`}</dd>
          </dl>`,
        )}
        <div>
          ${evidence && evidenceCard({ transfer, ...evidence, mayOpen: may('manageApplications') })}
          ${webhookCard(webhooks, { mayOpen: may('manageWebhooks'), isNew })}
        </div>
      </div>`,
    };
  });
}

function actionsFor(transfer: TransferDetail): Html {
  const { id, customerId } = transfer;
  return html`${reversible(transfer) > 0n && html`<a class="button" href=${`${HREF}/transfers/${id}/reverse`}>Reverse</a>`}
    ${returnable(transfer) > 0n && html`<a class="button" href=${`${HREF}/transfers/${id}/return`}>Record a return</a>`}
    <a class="button" href=${`${HREF}/move?customer=${customerId}`}>Move money</a>`;
}

async function readParts({ database: { sql } }: Pick<Service, 'database'>, transfer: TransferDetail) {
  const { id, accountId, customerId } = transfer;
  const resources = [id, legId(id, 'from'), legId(id, 'to')];
  const [customer, account, reversals, parts, sources, about, evidence] = await Promise.all([
    findCustomer(sql, customerId),
    findAccount(sql, accountId),
    listReversals(sql, transfer, { limit: LINKED_MAX, offset: 0 }),
    findParts(sql, bucketOf(id), [id]),
    findSources(sql, bucketOf(id), [id]),
    Promise.all(resources.map((resource) => eventsAbout(sql, accountId, resource))),
    findSigned(sql, id),
  ]);
  const events = about.flat();
  return {
    customer,
    account,
    events,
    evidence,
    reversals,
    parts: parts.get(id) ?? [],
    sources: sources.get(id) ?? [],
    webhooks: await listOfEvents(sql, accountId, events),
  };
}

async function findSigned(sql: Sql, id: string) {
  const evidence = await findEvidence(sql, id);
  if (!evidence) return undefined;
  const [application] = await reportApplications(sql, { id: evidence.applicationId });
  return { evidence, application: application?.name ?? evidence.applicationId };
}

type Parts = Awaited<ReturnType<typeof readParts>>;

function factsOf(transfer: TransferDetail, parts: Parts): [string, Html][] {
  const { id, reference, correlationId, externalId, metadata, key, requestId, reason } = transfer;
  return [
    ['Id', html`<span class="mono small">${id}</span>`],
    ['Reason', reason],
    ['Reference', reference],
    ['External id', externalId && html`<span class="mono small">${externalId}</span>`],
    ['Correlation id', correlationId],
    [
      'Metadata',
      metadata &&
        Object.entries(metadata).map(
          ([name, value]) => html`<div class="small"><span class="muted">${name}</span> ${value}</div>`,
        ),
    ],
    ...linksOf(transfer, parts),
    [
      'Captured the hold',
      transfer.holdId &&
        html`<a class="mono small" href=${holdHref({ customerId: transfer.customerId, holdId: transfer.holdId })}>${transfer.holdId}</a>`,
    ],
    ['Idempotency key', key ? html`<span class="mono small" title="Only a hash of the key is stored">${key}</span>` : 'none'],
    [
      'Request id',
      requestId ? html`<span class="mono small" title="The log line of the request has it">${requestId}</span>` : 'none',
    ],
  ];
}

/** Links to the transfers that belong to this one, and to those that it belongs to. */
function linksOf(transfer: TransferDetail, { reversals, parts, sources }: Parts): [string, Html][] {
  const { kind, reverses, reversed, currency, depositId, returnId } = transfer;
  const linkTo = (other: string | null) =>
    other !== null && html`<a class="mono small" href=${`${HREF}/transfers/${other}`}>${other}</a>`;
  const listOf = (others: { id: string; amount: bigint }[]) =>
    others.length > 0 &&
    others.map(
      (other) =>
        html`<div><a href=${`${HREF}/transfers/${other.id}`}>${amountText(other.amount, currency)} ${currency}</a></div>`,
    );
  const more = reversals.total > LINKED_MAX && `and ${reversals.total - LINKED_MAX} more`;
  return [
    [kind === 'reallocation' ? 'Reverses' : 'Returns', linkTo(reverses)],
    [
      kind === 'reallocation' ? 'Reversed by' : 'Returned by',
      reversed > 0n &&
        html`${listOf(reversals.elements.slice(0, LINKED_MAX))} ${more} <span class="muted small">${amountText(reversed, currency)} ${currency} in all</span>`,
    ],
    [kind === 'repayment' ? 'Paid by the deposit' : 'Divides the deposit', linkTo(depositId)],
    ['Divided into', listOf(parts.filter((part) => part.kind === 'allocation'))],
    ['Paid what was owed', listOf(parts.filter((part) => part.kind === 'repayment'))],
    ['Taken for the return', linkTo(returnId)],
    ['Taken from labels', listOf(sources.filter((source) => source.kind === 'recovery'))],
    ['Recorded as owed', listOf(sources.filter((source) => source.kind === 'debt'))],
  ];
}

function entryCard(transfer: TransferDetail): Html {
  const { fromId, fromKind, fromName, fromBalance, fromSequence, toId, toKind, toName, toBalance, toSequence } = transfer;
  const { amount, currency, id } = transfer;
  const columns = [
    { label: 'Ledger account' },
    { label: 'Entry' },
    { label: 'Before', isNumber: true },
    { label: 'Change', isNumber: true },
    { label: 'After', isNumber: true },
  ];
  const sides = [
    { id: fromId, kind: fromKind, name: fromName, after: fromBalance, change: -amount, sequence: fromSequence, leg: 'from' },
    { id: toId, kind: toKind, name: toName, after: toBalance, change: amount, sequence: toSequence, leg: 'to' },
  ] as const;
  const rows = sides.map((side) => [
    sideLink(side),
    html`<span class="mono small" title=${legId(id, side.leg)}>number ${side.sequence.toLocaleString('en')}</span>`,
    amountText(side.after - side.change, currency),
    `${side.change > 0n ? '+' : ''}${amountText(side.change, currency)}`,
    html`<b>${amountText(side.after, currency)}</b>`,
  ]);
  return card({ title: 'Entries', lead: `in ${currency}`, isBare: true }, table({ caption: 'Entries', columns, rows }));
}

function webhookCard(webhooks: StoredWebhook[], { mayOpen, isNew }: { mayOpen: boolean; isNew: boolean }): Html {
  if (webhooks.length === 0) {
    const text = isNew ? 'They follow the event within seconds. Load this page again.' : 'No subscription got the event.';
    return card({ title: 'Webhooks' }, emptyState({ icon: 'bolt', title: isNew ? 'No webhooks yet' : 'No webhooks', text }));
  }
  const rows = webhooks.map((webhook) => [
    mayOpen
      ? html`<a href=${`/console/webhooks/deliveries/${webhook.id}`}>${topicText(webhook.topic)}</a>`
      : topicText(webhook.topic),
    deliveryBadge(webhook),
    `${webhook.attempts.length}`,
  ]);
  const columns = [{ label: 'Topic' }, { label: 'State' }, { label: 'Attempts', isNumber: true }];
  return card({ title: 'Webhooks', isBare: true }, table({ caption: 'Webhooks', columns, rows }));
}
