// The webhooks of a subscription as CSV, newest first.
import { Readable } from 'node:stream';
import { csvLine, textCell } from '../../../core/csv.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { listWebhooks } from '../../../resources/webhooks/list.ts';
import type { Subscription } from '../../../resources/webhooks/subscription.ts';
import { STATUSES, type StoredWebhook, type WebhookStatus } from '../../../resources/webhooks/webhook.ts';
import type { Service } from '../../service/service.ts';
import { WEBHOOKS } from '../addresses.ts';
import type { Pages } from '../screen.ts';
import { answerText, stateOf } from './delivery-words.ts';
import { findReport } from './subscription-report.ts';

const PAGE_SIZE = 500;
const COLUMNS = [
  ...['created', 'webhook', 'topic', 'event', 'resource', 'state'],
  ...['attempts', 'lastAttempt', 'answer', 'nextAttempt'],
];

export function addWebhooksCsv(pages: Pages, service: Service): void {
  pages.file(`${WEBHOOKS}/:id/webhooks.csv`, 'manageWebhooks', async ({ params, query, audit }) => {
    const subscription = await findReport(service, params.id!);
    if (!subscription) return undefined;
    const { id } = subscription;
    const status = STATUSES.find((name) => name === query.get('status'));
    await audit({ action: 'download_list', resource: { type: 'webhook-subscription', id }, detail: { list: 'webhooks' } });
    const content = Readable.from(csvOf(service.database.sql, subscription, status));
    return { mediaType: 'text/csv; charset=utf-8', content, name: `webhooks-${id}.csv` };
  });
}

async function* csvOf(sql: Sql, subscription: Subscription, status: WebhookStatus | undefined): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for (let after: string | undefined, isMore = true; isMore; ) {
    const { elements } = await listWebhooks(sql, subscription, { limit: PAGE_SIZE, offset: 0, status, after });
    const page = elements.slice(0, PAGE_SIZE);
    yield page.map(lineOf).join('');
    after = page.at(-1)?.id;
    isMore = elements.length > PAGE_SIZE;
  }
}

function lineOf(webhook: StoredWebhook): string {
  const { created, id, topic, eventId, resourceId, attempts, nextAttempt, live } = webhook;
  const last = attempts.at(-1);
  return csvLine([
    ...[created.toISOString(), id, topic, eventId ?? '', resourceId, stateOf(webhook).text, String(attempts.length)],
    ...[last?.requested.toISOString() ?? '', textCell(last?.responded || last?.error ? answerText(last) : null)],
    live && nextAttempt ? nextAttempt.toISOString() : '',
  ]);
}
