// Webhooks: the subscriptions of all accounts with their rates of success.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, icon, pageHeader, table } from '../../../platform/pages/parts.ts';
import { type Rates, ratesSince, reportSubscriptions, type SubscriptionReport } from '../../../resources/webhooks/overview.ts';
import { WEBHOOKS as HREF } from '../addresses.ts';
import type { Screen } from '../screen.ts';
import { addDelivery } from './delivery-page.ts';
import { addSubscription } from './subscription-page.ts';
import { shareText, stateBadge } from './subscription-words.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const createButton = html`<a class="button button-primary" href=${`${HREF}/new`}>${icon('plus', 'small')}Create a subscription</a>`;

export const webhooks: Screen = {
  href: HREF,
  label: 'Webhooks',
  icon: 'bolt',
  group: 'Run',
  permission: 'manageWebhooks',
  done: {
    again: 'The webhook is sent again now.',
    replay: 'The events since that time are sent again, with the same webhook ids.',
    edited: 'The subscription is changed.',
    pinged: 'The ping is on its way. This page shows the answer as soon as there is one.',
    removed: 'The subscription is removed.',
    paused: 'The subscription is paused. Events wait.',
    resumed: 'The subscription is resumed.',
  },
  add(pages, service) {
    pages.page(HREF, 'manageWebhooks', async () => {
      const { sql } = service.database;
      const subscriptions = await reportSubscriptions(sql);
      const since = (ms: number) => Promise.all(subscriptions.map((one) => ratesSince(sql, one, new Date(Date.now() - ms))));
      const [lastDay, lastHour] = await Promise.all([since(DAY_MS), since(HOUR_MS)]);
      return {
        title: 'Webhooks',
        main: html`${pageHeader({ title: 'Webhooks', lead: 'Subscriptions of all accounts, the failing first. The state is that of the last hour, the figures are of the last day.', actions: createButton })}
          ${card({ title: 'Subscriptions', isBare: true }, listOf(subscriptions, { lastDay, lastHour }))}`,
      };
    });
    addSubscription(pages, service);
    addDelivery(pages, service);
  },
};

type Since = { lastDay: Rates[]; lastHour: Rates[] };

function listOf(subscriptions: SubscriptionReport[], { lastDay, lastHour }: Since): Html {
  if (subscriptions.length === 0) {
    const text = 'A subscription sends each event to a URL of yours. Create one here, or with POST /webhook-subscriptions.';
    return emptyState({ icon: 'bolt', title: 'No subscriptions', text, action: createButton });
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
    const rate = lastDay[index]!;
    return [
      html`<a class="break" href=${`${HREF}/${subscription.id}`}>${subscription.url}</a>`,
      subscription.accountName,
      stateBadge(subscription, lastHour[index]!),
      shareText(rate),
      rate.failed.toLocaleString('en'),
      (rate.pending + Number(subscription.behind)).toLocaleString('en'),
    ];
  });
  return table({ caption: 'Subscriptions', columns, rows });
}
