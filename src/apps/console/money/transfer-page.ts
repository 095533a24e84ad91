// The page of one transfer: both entries with the balances before and after, events and webhooks.
import { isId, legId, parseLegId } from '../../../core/ids.ts';
import { eventsAbout } from '../../../ledger/feed/feed.ts';
import { findTransferDetail, type TransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, pageHeader, table, time } from '../../../platform/pages/parts.ts';
import { findAccount } from '../../../resources/accounts/account.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { listOfEvents } from '../../../resources/webhooks/list.ts';
import type { StoredWebhook } from '../../../resources/webhooks/webhook.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { nameOf } from '../customers/customer-status.ts';
import type { Pages } from '../screen.ts';
import { deliveryBadge } from '../webhooks/delivery-words.ts';
import { reversible } from './reverse.ts';
import { kindBadge, kindName, sideName } from './transfer-words.ts';

const HREF = '/console/money';

export function addTransfer(pages: Pages, service: Service): void {
  pages.page(`${HREF}/transfers/:id`, 'readMoney', async ({ params, may }) => {
    const id = params.id!;
    if (!isId(id)) return undefined;
    const transfer = await findTransferDetail(service.database.sql, parseLegId(id)?.transferId ?? id);
    if (!transfer) return undefined;
    const { customer, account, events, webhooks } = await readParts(service, transfer);
    const { kind, amount, currency, created, customerId } = transfer;
    return {
      title: `${kindName(kind)} of ${amountText(amount, currency)} ${currency}`,
      main: html`${pageHeader({
        title: `${amountText(amount, currency)} ${currency}`,
        lead: html`${kindBadge(kind)} ${time(created, 'seconds')}`,
        back: { href: HREF, label: 'Money' },
        actions: may('moveMoney') && actionsFor(transfer),
      })}
      ${entryCard(transfer)}
      <div class="columns">
        ${card(
          { title: 'Transfer' },
          html`<dl class="facts">
            ${factsOf(transfer).map(([name, value]) => value && html`<dt>${name}</dt><dd>${value}</dd>`)}
            <dt>Customer</dt>
            <dd><a href=${`/console/customers/${customerId}`}>${customer ? nameOf({ ...customer, businessName: customer.profile.businessName }) : customerId}</a></dd>
            <dt>Account</dt>
            <dd>${account?.name}</dd>
            <dt>Event</dt>
            <dd>${events.length > 0 ? events.map((event) => html`<span class="mono small">${event}</span> `) : html`<span class="muted">none, or deleted after its retention period</span>`}</dd>
          </dl>`,
        )}
        ${webhookCard(webhooks, may('manageWebhooks'))}
      </div>`,
    };
  });
}

function actionsFor(transfer: TransferDetail): Html {
  const { id, customerId } = transfer;
  return html`${reversible(transfer) > 0n && html`<a class="button" href=${`${HREF}/transfers/${id}/reverse`}>Reverse</a>`}
    <a class="button" href=${`${HREF}/move?customer=${customerId}`}>Move money</a>`;
}

async function readParts({ database: { sql } }: Pick<Service, 'database'>, transfer: TransferDetail) {
  const { id, accountId, customerId } = transfer;
  const resources = [id, legId(id, 'from'), legId(id, 'to')];
  const [customer, account, about] = await Promise.all([
    findCustomer(sql, customerId),
    findAccount(sql, accountId),
    Promise.all(resources.map((resource) => eventsAbout(sql, accountId, resource))),
  ]);
  const events = about.flat();
  return { customer, account, events, webhooks: await listOfEvents(sql, accountId, events) };
}

function factsOf(transfer: TransferDetail): [string, Html][] {
  const { id, reference, correlationId, key, requestId, reverses, reversed, currency, depositId } = transfer;
  const linkTo = (other: string) => html`<a class="mono small" href=${`${HREF}/transfers/${other}`}>${other}</a>`;
  return [
    ['Id', html`<span class="mono small">${id}</span>`],
    ['Reference', reference],
    ['Correlation id', correlationId],
    ['Reverses', reverses && linkTo(reverses)],
    ['Reversed', reversed > 0n && `${amountText(reversed, currency)} ${currency} of it`],
    ['Divides the deposit', depositId && linkTo(depositId)],
    ['Idempotency key', key ? html`<span class="mono small" title="Only a hash of the key is stored">${key}</span>` : 'none'],
    [
      'Request id',
      requestId ? html`<span class="mono small" title="The log line of the request has it">${requestId}</span>` : 'none',
    ],
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
    sideName(side),
    html`<span class="mono small" title=${legId(id, side.leg)}>number ${side.sequence.toLocaleString('en')}</span>`,
    amountText(side.after - side.change, currency),
    `${side.change > 0n ? '+' : ''}${amountText(side.change, currency)}`,
    html`<b>${amountText(side.after, currency)}</b>`,
  ]);
  return card({ title: 'Entries', lead: `in ${currency}`, isBare: true }, table({ caption: 'Entries', columns, rows }));
}

function webhookCard(webhooks: StoredWebhook[], mayOpen: boolean): Html {
  if (webhooks.length === 0) {
    return card(
      { title: 'Webhooks' },
      emptyState({ icon: 'bolt', title: 'No webhooks', text: 'No subscription got the event.' }),
    );
  }
  const rows = webhooks.map((webhook) => [
    mayOpen ? html`<a href=${`/console/webhooks/deliveries/${webhook.id}`}>${webhook.topic}</a>` : webhook.topic,
    deliveryBadge(webhook),
    `${webhook.attempts.length}`,
  ]);
  const columns = [{ label: 'Topic' }, { label: 'State' }, { label: 'Attempts', isNumber: true }];
  return card({ title: 'Webhooks', isBare: true }, table({ caption: 'Webhooks', columns, rows }));
}
