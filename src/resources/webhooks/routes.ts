// Webhook routes: list the webhooks of a subscription, retrieve and retry a webhook.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { IdParams, IdSchema, ListOf, LongPageQuery, listPage, NoQuery } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { COUNT_MAX, listWebhooks } from './list.ts';
import { listRetries, RetryList, represent as representRetry, retryWebhook } from './retry.ts';
import { requireSubscription } from './subscription.ts';
import { LISTED_BODY_MAX, represent, requireWebhook, STATUSES, WebhookSchema } from './webhook.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const tags = ['webhooks'];

const Day = Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })]);

const WebhookQuery = Type.Object({
  ...LongPageQuery.properties,
  startDate: Type.Optional({ ...Day, description: 'Webhooks of events from this date or time on.' }),
  endDate: Type.Optional({ ...Day, description: 'Webhooks of events up to and including this date or time.' }),
  resourceId: Type.Optional({ ...IdSchema, description: 'Webhooks of events about this resource.' }),
  status: Type.Optional(Type.Enum(STATUSES, { description: '`pending`: not attempted yet; `failed`: the last attempt failed.' })),
});

export function webhookRoutes(app: App, service: Tools): void {
  addListWebhooks(app, service);
  addGetWebhook(app, service);
  addListWebhookRetries(app, service);
  addRetryWebhook(app, service);
}

function addListWebhooks(app: App, { links, database }: Tools): void {
  app.get(
    '/webhook-subscriptions/:id/webhooks',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listWebhooks',
        summary: 'List the webhooks of a subscription',
        description: `Newest events first. Response bodies are truncated to ${LISTED_BODY_MAX.toLocaleString('en')} characters here. With a filter, \`total\` counts to at most ${COUNT_MAX.toLocaleString('en')}.`,
        tags,
        params: IdParams,
        querystring: WebhookQuery,
        response: { 200: ListOf('webhooks', WebhookSchema) },
      },
    },
    async (request) => {
      const { startDate, endDate, resourceId, status } = request.query;
      const subscription = await requireSubscription(database.sql, request.caller, request.params.id);
      const { elements, total, beforeLast } = await listWebhooks(database.sql, subscription, request.query);
      return listPage(links, request.query, {
        path: `/webhook-subscriptions/${subscription.id}/webhooks`,
        name: 'webhooks',
        resourceType: 'webhook',
        elements: elements.map((webhook) => represent(links, webhook)),
        total,
        beforeLast,
        filters: { startDate, endDate, resourceId, status },
        byId: true,
      });
    },
  );
}

function addGetWebhook(app: App, { links, database }: Tools): void {
  app.get(
    '/webhooks/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getWebhook',
        summary: 'Retrieve a webhook',
        description: 'Includes the request and the response of every delivery attempt.',
        tags,
        params: IdParams,
        response: { 200: WebhookSchema },
      },
    },
    async (request) => represent(links, await requireWebhook(database.sql, request.caller, request.params.id)),
  );
}

function addListWebhookRetries(app: App, { links, database }: Tools): void {
  app.get(
    '/webhooks/:id/retries',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listWebhookRetries',
        summary: 'List the requested retries of a webhook',
        description: 'Newest first. Not paged. Scheduled retries are not listed here, but as attempts of the webhook.',
        tags,
        params: IdParams,
        querystring: NoQuery,
        response: { 200: RetryList },
      },
    },
    async (request) => {
      const { id } = await requireWebhook(database.sql, request.caller, request.params.id);
      const retries = await listRetries(database.sql, id);
      return {
        _links: { self: links.link(`/webhooks/${id}/retries`, 'webhook-retry') },
        _embedded: { retries: retries.map((retry) => representRetry(links, retry)) },
        total: retries.length,
      };
    },
  );
}

function addRetryWebhook(app: App, service: Tools): void {
  const { clock } = service;

  app.post(
    '/webhooks/:id/retries',
    {
      config: { scope: 'write', problems: ['subscriptionPaused'] },
      schema: {
        operationId: 'retryWebhook',
        summary: 'Retry a webhook',
        description: 'Sends the webhook again now, even if it was delivered before. Location is the URL of the webhook.',
        tags,
        params: IdParams,
        ...creates(WebhookSchema),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      return replyOnce(service, reply, bucketOf(id), async (tx) => {
        await retryWebhook(tx, request.caller, id, clock);
        return { status: 201, resource: { type: 'webhook', id } };
      });
    },
  );
}
