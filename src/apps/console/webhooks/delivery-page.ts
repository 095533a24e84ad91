// The page of one webhook: the request, the response and the time of each attempt, and sending it again.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, pageHeader } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { retryWebhook } from '../../../resources/webhooks/retry.ts';
import { findWebhook, type StoredWebhook } from '../../../resources/webhooks/webhook.ts';
import type { Service } from '../../service/service.ts';
import { WEBHOOKS as HREF } from '../addresses.ts';
import type { Pages } from '../screen.ts';
import { answerText, deliveryBadge, isDelivered } from './delivery-words.ts';

type Attempt = StoredWebhook['attempts'][number];

export function addDelivery(pages: Pages, { database, clock }: Service): void {
  pages.page(`${HREF}/deliveries/:id`, 'manageWebhooks', async ({ params }) => {
    const webhook = await find(database.sql, params.id!);
    if (!webhook) return undefined;
    const { id, subscriptionId, topic, created, eventId, resourceId, attempts, nextAttempt, live } = webhook;
    return {
      title: topic,
      scripts: ['progress.js'],
      main: html`${pageHeader({
        title: topic,
        lead: html`${deliveryBadge(webhook)} ${eventId ? 'of an event at' : 'sent as a test at'} ${time(created, 'seconds')}`,
        back: { href: `${HREF}/${subscriptionId}`, label: 'Subscription' },
        actions:
          live &&
          html`<form method="post" action=${`${HREF}/deliveries/${id}/again`}>
            <button class="button button-primary" type="submit">Send again</button>
          </form>`,
      })}
      ${card(
        { title: 'Webhook' },
        html`<dl class="facts">
          <dt>Id</dt>
          <dd class="mono small">${id}</dd>
          <dt>Event</dt>
          <dd class="mono small">${eventId ?? 'none: a ping'}</dd>
          <dt>About</dt>
          <dd class="mono small">${resourceId}</dd>
          <dt>Next attempt</dt>
          <dd>${live ? (nextAttempt ? time(nextAttempt, 'seconds') : 'none planned') : 'none: the subscription is paused or removed'}</dd>
        </dl>`,
      )}
      ${attempts.length === 0 && html`<div data-reload=${live ? '' : undefined}>${card({ title: 'Attempts' }, emptyState({ icon: 'clock', title: 'Not attempted yet', text: 'The first attempt follows within seconds.' }))}</div>`}
      ${attempts.map((attempt, index) => attemptCard(attempt, index + 1)).reverse()}`,
    };
  });
  pages.action(`${HREF}/deliveries/:id/again`, 'manageWebhooks', async ({ params, audit }) => {
    const webhook = await find(database.sql, params.id!);
    if (!webhook) throw refuse('notFound');
    const { id, accountId } = webhook;
    await database.transaction(async (tx) => {
      await retryWebhook(tx, { accountId }, id, clock);
      await audit({ action: 'retry_webhook', resource: { type: 'webhook', id } }, tx);
    });
    return `${HREF}/deliveries/${id}?done=again`;
  });
}

async function find(sql: Service['database']['sql'], id: string): Promise<StoredWebhook | undefined> {
  return isId(id) ? findWebhook(sql, id) : undefined;
}

function attemptCard(attempt: Attempt, number: number): Html {
  const { url, requested, requestHeaders, requestBody, responded, status, responseHeaders, responseBody } = attempt;
  const took = responded ? `, answered after ${(responded.getTime() - requested.getTime()).toLocaleString('en')} ms` : '';
  return card(
    {
      title: `Attempt ${number}`,
      lead: html`${time(requested, 'seconds')}${took}`,
      actions: badge(answerText(attempt), isDelivered(attempt) ? 'good' : 'bad'),
    },
    html`<details>
        <summary>Request to <span class="mono small break">${url}</span></summary>
        <pre tabindex="0"><code>${messageText(requestHeaders, pretty(requestBody))}</code></pre>
      </details>
      ${
        status !== null &&
        html`<details open>
          <summary>Response ${status}</summary>
          <pre tabindex="0"><code>${messageText(responseHeaders ?? [], responseBody || '(no body)')}</code></pre>
        </details>`
      }`,
  );
}

/** Headers, an empty line and the body, as they are sent. One value: templates trim the line ends around several. */
function messageText(headers: { name: string; value: string }[], body: string): string {
  return [...headers.map(({ name, value }) => `${name}: ${value}`), '', body].join('\n');
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
