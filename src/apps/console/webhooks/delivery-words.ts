// The state of a delivery in words.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge } from '../../../platform/pages/parts.ts';
import type { StoredWebhook } from '../../../resources/webhooks/webhook.ts';

type Attempt = StoredWebhook['attempts'][number];

type State = Pick<StoredWebhook, 'attempts' | 'nextAttempt' | 'live'>;

export function deliveryBadge(webhook: State): Html {
  const { text, tone } = stateOf(webhook);
  return badge(text, tone);
}

export function stateOf({ attempts, nextAttempt, live }: State) {
  const last = attempts.at(-1);
  if (!last) return { text: live ? 'waiting' : 'paused', tone: 'neutral' } as const;
  if (isDelivered(last)) return { text: 'delivered', tone: 'good' } as const;
  return nextAttempt && live ? ({ text: 'will be retried', tone: 'warn' } as const) : ({ text: 'failed', tone: 'bad' } as const);
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
