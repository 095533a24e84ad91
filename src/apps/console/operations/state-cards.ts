// The state of the process: queues, refusals by code, and keys in use.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, table, time } from '../../../platform/pages/parts.ts';
import type { reviewQueue } from '../../../resources/documents/queue.ts';
import type { listSigningKeys } from '../../../resources/oauth/signing-key.ts';
import type { webhookBacklog } from '../../../resources/webhooks/backlog.ts';
import type { Service } from '../../service/service.ts';
import { agoText } from '../quantity.ts';

type Queues = { webhooks: Awaited<ReturnType<typeof webhookBacklog>>; reviews: Awaited<ReturnType<typeof reviewQueue>> };
type SigningKeys = Awaited<ReturnType<typeof listSigningKeys>>;

const COUNTED_MAX = 10_000;
const KEY_STATES = {
  next: { text: 'signs next', tone: 'accent' },
  signs: { text: 'signs', tone: 'good' },
  verifies: { text: 'verifies', tone: 'neutral' },
} as const;

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

export function keyCard(signingKeys: SigningKeys, encryptionKeys: readonly string[]): Html {
  const columns = [{ label: 'Signing key' }, { label: 'State' }, { label: 'Created' }];
  const rows = signingKeys.map(({ kid, created, state }) => [
    html`<span class="mono small">${kid.slice(0, 12)}…</span>`,
    badge(KEY_STATES[state].text, KEY_STATES[state].tone),
    html`${time(created)} <span class="muted small nowrap">${agoText(created)} ago</span>`,
  ]);
  return card(
    { title: 'Keys', isBare: true },
    html`${table({ caption: 'Signing keys', columns, rows })}
      <p class="card-end small muted">
        Encryption keys, newest first: ${encryptionKeys.map((id, index) => html`${index > 0 && ', '}<code>${id}</code>`)}
      </p>`,
  );
}
