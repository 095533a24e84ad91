// The state of a delivery in words.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge } from '../../../platform/pages/parts.ts';
import type { StoredWebhook } from '../../../resources/webhooks/webhook.ts';

type Attempt = StoredWebhook['attempts'][number];

export function deliveryBadge({ attempts, nextAttempt, live }: Pick<StoredWebhook, 'attempts' | 'nextAttempt' | 'live'>): Html {
  const last = attempts.at(-1);
  if (!last) return badge(live ? 'waiting' : 'paused', 'neutral');
  if (isDelivered(last)) return badge('delivered', 'good');
  return nextAttempt && live ? badge('will be retried', 'warn') : badge('failed', 'bad');
}

/** A topic, which breaks after its words. */
export function topicText(topic: string): Html {
  return topic.split('_').map((word, index) => (index === 0 ? word : html`_<wbr />${word}`));
}

/** The answer of a receiver: its status, or why there was none. */
export function answerText({ status, error }: Pick<Attempt, 'status' | 'error'>): string {
  return error ?? String(status);
}

export function isDelivered({ status, error }: Attempt): boolean {
  return error === null && status !== null && status >= 200 && status < 300;
}
