// The webhooks of a subscription as CSV, newest first.
import { textCell } from '../../../core/csv.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { listWebhooks } from '../../../resources/webhooks/list.ts';
import type { Subscription } from '../../../resources/webhooks/subscription.ts';
import { STATUSES, type StoredWebhook, type WebhookStatus } from '../../../resources/webhooks/webhook.ts';
import type { Service } from '../../service/service.ts';
import { WEBHOOKS } from '../addresses.ts';
import { type CsvList, csvFile, csvOf } from '../csv-file.ts';
import type { Pages } from '../screen.ts';
import { answerText, stateOf } from './delivery-words.ts';
import { findReport } from './subscription-report.ts';

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
    return csvFile(`webhooks-${id}.csv`, csvOf(csvList(service.database.sql, subscription, status)));
  });
}

function csvList(sql: Sql, subscription: Subscription, status: WebhookStatus | undefined): CsvList<StoredWebhook> {
  return {
    columns: COLUMNS,
    async find(after, limit) {
      const { elements } = await listWebhooks(sql, subscription, { limit, offset: 0, status, after: after?.id });
      return elements.slice(0, limit);
    },
    cells: cellsOf,
  };
}

function cellsOf(webhook: StoredWebhook): string[] {
  const { created, id, topic, eventId, resourceId, attempts, nextAttempt, live } = webhook;
  const last = attempts.at(-1);
  return [
    ...[created.toISOString(), id, topic, eventId ?? '', resourceId, stateOf(webhook).text, String(attempts.length)],
    ...[last?.requested.toISOString() ?? '', textCell(last?.responded || last?.error ? answerText(last) : null)],
    live && nextAttempt ? nextAttempt.toISOString() : '',
  ];
}
