// The state of the process: queues, refusals by code, and keys in use.
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, table } from '../../../platform/pages/parts.ts';
import type { reviewQueue } from '../../../resources/documents/queue.ts';
import type { webhookBacklog } from '../../../resources/webhooks/backlog.ts';
import type { Service } from '../../service/service.ts';
import { agoText } from '../quantity.ts';

type Queues = { webhooks: Awaited<ReturnType<typeof webhookBacklog>>; reviews: Awaited<ReturnType<typeof reviewQueue>> };

const COUNTED_MAX = 10_000;

export function queueCard({ lanes, database }: Pick<Service, 'lanes' | 'database'>, { webhooks, reviews }: Queues): Html {
  const connections = database.connections();
  const age = (since: Date | undefined) => (since ? `, oldest ${agoText(since)}` : '');
  const facts = [
    ['Transfers waiting for a batch', countText(lanes.queued())],
    ['Events not yet sent to subscriptions', `${countText(webhooks.events)}${age(webhooks.oldest)}`],
    ['Deliveries in flight or waiting', countText(webhooks.due)],
    ['Documents to review', `${countText(reviews.pending)}${age(reviews.oldest)}`],
    ['Database connections in use', `${connections.total - connections.idle} of ${connections.max}`],
    ['Callers waiting for a connection', countText(connections.waiting)],
  ];
  return card(
    { title: 'Queues' },
    html`<dl class="facts facts-wide">
      ${facts.map(([name, value]) => html`<dt>${name}</dt><dd class="number">${value}</dd>`)}
    </dl>`,
  );
}

function countText(count: number): string {
  return count >= COUNTED_MAX ? `${COUNTED_MAX.toLocaleString('en')} or more` : count.toLocaleString('en');
}

/** Refusals since the start of the process, most frequent first. */
export function refusalCard({ http }: Service['metrics']): Html {
  const refusals = http.refusals
    .list()
    .map(({ labels, counter }) => ({ ...labels, total: counter.total() }))
    .toSorted((one, other) => other.total - one.total);
  const columns = [{ label: 'Code' }, { label: 'First fault' }, { label: 'Count', isNumber: true }];
  const rows = refusals.map(({ code, fault, total }) => [code, fault, total.toLocaleString('en')]);
  return card(
    { title: 'Refusals', lead: 'since the start of this process', isBare: true },
    rows.length > 0
      ? table({ caption: 'Refusals by code', columns, rows })
      : emptyState({ icon: 'check-circle', title: 'No refusals', text: 'Every request since the start was accepted.' }),
  );
}
