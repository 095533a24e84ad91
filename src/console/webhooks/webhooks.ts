// Webhooks: the subscriptions of all accounts with their rates of success.
import { type Html, html } from '../../pages/html.ts';
import { card, emptyState, pageHeader, table } from '../../pages/parts.ts';
import { type Rates, ratesSince, reportSubscriptions, type SubscriptionReport } from '../../webhooks/overview.ts';
import type { Screen } from '../screen.ts';
import { addDelivery } from './delivery-page.ts';
import { addSubscription } from './subscription-page.ts';
import { shareText, stateBadge } from './subscription-words.ts';

const HREF = '/console/webhooks';
const DAY_MS = 86_400_000;

export const webhooks: Screen = {
  href: HREF,
  label: 'Webhooks',
  icon: 'bolt',
  group: 'Run',
  permission: 'manageWebhooks',
  done: {
    again: 'The webhook is sent again now.',
    replay: 'The events since that time are sent again, with the same webhook ids.',
    paused: 'The subscription is paused. Events wait.',
    resumed: 'The subscription is resumed.',
  },
  add(pages, service) {
    pages.page(HREF, 'manageWebhooks', async () => {
      const { sql } = service.database;
      const subscriptions = await reportSubscriptions(sql);
      const since = new Date(Date.now() - DAY_MS);
      const rates = await Promise.all(subscriptions.map((subscription) => ratesSince(sql, subscription, since)));
      return {
        title: 'Webhooks',
        main: html`${pageHeader({ title: 'Webhooks', lead: 'Subscriptions of all accounts, the failing first. Rates are of the last day.' })}
          ${card({ title: 'Subscriptions', isBare: true }, listOf(subscriptions, rates))}`,
      };
    });
    addSubscription(pages, service);
    addDelivery(pages, service);
  },
};

function listOf(subscriptions: SubscriptionReport[], rates: Rates[]): Html {
  if (subscriptions.length === 0) {
    const text = 'An application creates one with POST /webhook-subscriptions.';
    return emptyState({ icon: 'bolt', title: 'No subscriptions', text });
  }
  const columns = [
    { label: 'Receiver' },
    { label: 'Account' },
    { label: 'State' },
    { label: 'Success', isNumber: true },
    { label: 'Failed', isNumber: true },
    { label: 'Waiting', isNumber: true },
  ];
  const rows = subscriptions.map((subscription, index) => {
    const rate = rates[index]!;
    return [
      html`<a class="break" href=${`${HREF}/${subscription.id}`}>${subscription.url}</a>`,
      subscription.accountName,
      stateBadge(subscription),
      shareText(rate),
      rate.failed.toLocaleString('en'),
      (rate.pending + Number(subscription.behind)).toLocaleString('en'),
    ];
  });
  return table({ caption: 'Subscriptions', columns, rows });
}
