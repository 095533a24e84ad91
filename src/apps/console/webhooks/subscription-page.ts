// The page of one subscription: rates of success, failures by answer, and its webhooks.
import { FIRST_ID, isId, LAST_ID } from '../../../core/ids.ts';
import { wallClock } from '../../../core/zone.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, field, icon, notice, pageHeader, pages as pageLinks, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { listWebhooks } from '../../../resources/webhooks/list.ts';
import {
  type AnswerCount,
  failuresByAnswer,
  GROUPED_MAX,
  type Rates,
  ratesSince,
  type SubscriptionReport,
} from '../../../resources/webhooks/overview.ts';
import { STATUSES, type StoredWebhook, type WebhookStatus } from '../../../resources/webhooks/webhook.ts';
import type { Service } from '../../service/service.ts';
import { WEBHOOKS as HREF } from '../addresses.ts';
import type { Pages } from '../screen.ts';
import { answerText, deliveryBadge, topicText } from './delivery-words.ts';
import { addSubscriptionChanges } from './subscription-changes.ts';
import { addSubscriptionEdits } from './subscription-edit.ts';
import { findReport } from './subscription-report.ts';
import { pauseText, shareText, stateBadge } from './subscription-words.ts';
import { addWebhooksCsv } from './webhooks-csv.ts';

const PAGE_SIZE = 25;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export function addSubscription(pages: Pages, service: Service): void {
  const { sql } = service.database;
  pages.page(`${HREF}/:id`, 'manageWebhooks', async ({ params, query, zone }) => {
    const subscription = await findReport(service, params.id!);
    if (!subscription) return undefined;
    const status = STATUSES.find((name) => name === query.get('status'));
    const after = [query.get('after') ?? ''].find(isId);
    const [rates, lastHour, answers, listed] = await Promise.all([
      ratesSince(sql, subscription, new Date(Date.now() - DAY_MS)),
      ratesSince(sql, subscription, new Date(Date.now() - HOUR_MS)),
      failuresByAnswer(sql, subscription, { start: FIRST_ID, end: LAST_ID }),
      listWebhooks(sql, subscription, { limit: PAGE_SIZE, offset: 0, status, after }),
    ]);
    return {
      title: 'Subscription',
      scripts: ['progress.js'],
      main: html`${pageHeader({
        title: html`<span class="break">${subscription.url}</span>`,
        lead: html`${stateBadge(subscription, lastHour)} of ${subscription.accountName}, since ${time(subscription.created)}`,
        back: { href: HREF, label: 'Webhooks' },
        actions: html`${pingForm(subscription)} ${pauseForm(subscription)}`,
      })}
      ${subscription.paused && notice(html`<p>${pauseText(subscription, answers)}</p>`, 'warn')} ${progressOf(subscription)} ${rateGrid(rates)}
      <div class="columns columns-wide">
        ${card(
          {
            title: 'Webhooks',
            actions: html`${filterLinks(subscription.id, status)} ${csvLink(subscription.id, status)}`,
            isBare: true,
          },
          webhookList(subscription.id, listed.elements, status),
        )}
        <div>${answerCard(answers)} ${replayCard(subscription, zone)} ${settingsCard(subscription)}</div>
      </div>`,
    };
  });
  addWebhooksCsv(pages, service);
  addSubscriptionChanges(pages, service);
  addSubscriptionEdits(pages, service);
}

function pingForm({ id, paused }: SubscriptionReport): Html {
  return (
    !paused &&
    html`<form method="post" action=${`${HREF}/${id}/ping`}>
      <button class="button button-primary" type="submit">Send a ping</button>
    </form>`
  );
}

function pauseForm({ id, paused }: SubscriptionReport): Html {
  if (!paused) return html`<a class="button" href=${`${HREF}/${id}/pause`}>Pause…</a>`;
  return html`<form method="post" action=${`${HREF}/${id}/resume`}>
      <input type="hidden" name="replay" value="yes" />
      <button class="button button-primary" type="submit">Resume and send what waits</button>
    </form>
    <a class="button" href=${`${HREF}/${id}/resume`}>Resume with new events…</a>`;
}

/** The page is loaded again while events wait to become webhooks; without a script the person does it. */
function progressOf({ behind, paused, webhooks }: SubscriptionReport): Html {
  if (behind === 0n || paused) return undefined;
  const all = Number(webhooks + behind);
  return html`<p data-reload>
    <label for="replay-progress">${behind.toLocaleString('en')} events wait to be sent</label>
    <progress class="progress" id="replay-progress" max=${all} value=${Number(webhooks)}></progress>
  </p>`;
}

function rateGrid(rates: Rates): Html {
  const figures: [string, string, string][] = [
    ['Success', shareText(rates), 'of the last day, by the last attempt'],
    ['Delivered', rates.delivered.toLocaleString('en'), 'in the last day'],
    ['Failed', rates.failed.toLocaleString('en'), 'in the last day, some will be retried'],
    ['Waiting', rates.pending.toLocaleString('en'), 'for a first attempt'],
  ];
  return html`<ul class="grid">
    ${figures.map(
      ([label, value, note]) => html`<li class="card">
        <div class="figure"><span class="label">${label}</span><span class="value">${value}</span><span class="note">${note}</span></div>
      </li>`,
    )}
  </ul>`;
}

function filterLinks(id: string, current: WebhookStatus | undefined): Html {
  return [undefined, ...STATUSES].map(
    (status) => html`<a
      class="button button-small"
      href=${`${HREF}/${id}${status ? `?status=${status}` : ''}`}
      aria-current=${status === current ? 'true' : undefined}
      >${status ?? 'all'}</a
    >`,
  );
}

function csvLink(id: string, status: WebhookStatus | undefined): Html {
  const query = status ? `?status=${status}` : '';
  return html`<a class="button button-small" href=${`${HREF}/${id}/webhooks.csv${query}`} download>${icon('arrow-down-tray', 'small')}CSV</a>`;
}

function webhookList(id: string, elements: StoredWebhook[], status: WebhookStatus | undefined): Html {
  const shown = elements.slice(0, PAGE_SIZE);
  if (shown.length === 0) {
    const text = status ? 'No webhook has this state.' : 'The next event of the account appears here.';
    return emptyState({ icon: 'bolt', title: 'No webhooks', text });
  }
  const columns = [{ label: 'Event' }, { label: 'Time' }, { label: 'State' }, { label: 'Attempts', isNumber: true }];
  const rows = shown.map((webhook) => [
    html`<a href=${`${HREF}/deliveries/${webhook.id}`}>${topicText(webhook.topic)}</a>`,
    time(webhook.created, 'seconds'),
    deliveryBadge(webhook),
    `${webhook.attempts.length}`,
  ]);
  const query = new URLSearchParams({ ...(status && { status }), after: shown.at(-1)!.id });
  const next = elements.length > PAGE_SIZE ? `${HREF}/${id}?${query}` : undefined;
  const text = next ? `${shown.length} shown, more follow` : `${shown.length} shown`;
  return html`${table({ caption: 'Webhooks', columns, rows })} ${pageLinks({ text, next })}`;
}

function answerCard(answers: AnswerCount[]): Html {
  if (answers.length === 0) {
    return card(
      { title: 'Failures by answer' },
      emptyState({ icon: 'check-circle', title: 'No failures', text: 'Nothing to send again.' }),
    );
  }
  const columns = [{ label: 'Answer' }, { label: 'Webhooks', isNumber: true }];
  const rows = answers.map((answer) => [
    html`<a href=${`${HREF}/deliveries/${answer.newest}`}>${answerText(answer)}</a>`,
    answer.count.toLocaleString('en'),
  ]);
  const lead = `of the newest ${GROUPED_MAX.toLocaleString('en')} failed webhooks, by the last attempt`;
  return card({ title: 'Failures by answer', lead, isBare: true }, table({ caption: 'Failures by answer', columns, rows }));
}

function settingsCard({ id, url, topics }: SubscriptionReport): Html {
  return card(
    { title: 'Settings' },
    html`<dl class="facts">
        <dt>Receiver</dt>
        <dd class="break">${url}</dd>
        <dt>Events</dt>
        <dd>${topics === null ? 'all' : topics.map((topic) => html`<code class="break">${topic}</code><br />`)}</dd>
        <dt>Id</dt>
        <dd class="mono small">${id}</dd>
      </dl>
      <div class="buttons form-end">
        <a class="button" href=${`${HREF}/${id}/edit`}>Change</a>
        <a class="button" href=${`${HREF}/${id}/new-secret`}>New secret…</a>
        <a class="button button-danger" href=${`${HREF}/${id}/remove`}>Remove…</a>
      </div>`,
  );
}

function replayCard({ id, created }: SubscriptionReport, zone: string): Html {
  const clock = wallClock(zone);
  const shown = (ms: number) => new Date(clock(ms)).toISOString().slice(0, 16);
  const earliest = shown(created.getTime());
  const start = shown(Math.max(created.getTime(), Date.now() - DAY_MS));
  return card(
    { title: 'Send again' },
    html`<form method="post" action=${`${HREF}/${id}/replay`}>
      ${field(
        { id: 'since', label: `All events since (${zone})`, hint: 'Receivers know them by the same webhook ids.' },
        html`<input class="input" type="datetime-local" id="since" name="since" required min=${earliest} value=${start} aria-describedby="since-hint" />`,
      )}
      <button class="button" type="submit">Send again</button>
    </form>`,
  );
}
