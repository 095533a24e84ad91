// Webhook routes: subscriptions, their webhooks, and deliveries on request.
import Type from 'typebox';
import { settleEvents } from '../events/feed.ts';
import { idempotently, sendAnswer } from '../http/idempotency.ts';
import { IdParams, IdSchema, ListOf, LongPageQuery, listPage, NoQuery, PageQuery } from '../http/paging.ts';
import { type App, Created, IdempotencyHeaders } from '../http/route.ts';
import { bucketOf, randomBucket } from '../ids.ts';
import type { Service } from '../service.ts';
import { openGuard } from './guard.ts';
import { COUNT_MAX, listWebhooks } from './list.ts';
import { listRetries, pingSubscription, RetryList, represent as representRetry, retryWebhook } from './retry.ts';
import { changeSubscription, rotateSecret, subscribe, unsubscribe } from './subscribe.ts';
import {
  listSubscriptions,
  represent,
  requireSubscription,
  SecretRequest,
  SubscriptionChange,
  SubscriptionRequest,
  SubscriptionSchema,
} from './subscription.ts';
import { LISTED_BODY_MAX, represent as representWebhook, requireWebhook, STATUSES, WebhookSchema } from './webhook.ts';

const tags = ['webhooks'];

const Day = Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })]);

const WebhookQuery = Type.Object({
  ...LongPageQuery.properties,
  startDate: Type.Optional({ ...Day, description: 'Webhooks of events from this date or time on.' }),
  endDate: Type.Optional({ ...Day, description: 'Webhooks of events up to and including this date or time.' }),
  resourceId: Type.Optional({ ...IdSchema, description: 'Webhooks of events about this resource.' }),
  status: Type.Optional(Type.Enum(STATUSES, { description: '`pending`: not attempted yet; `failed`: the last attempt failed.' })),
});

export function webhookRoutes(app: App, service: Service): void {
  subscriptionRoutes(app, service);
  changeRoutes(app, service);
  deliveryRoutes(app, service);
}

function subscriptionRoutes(app: App, service: Service): void {
  const { config, links, database, sealer, clock } = service;
  const guard = openGuard(config);

  app.post(
    '/webhook-subscriptions',
    {
      config: { scope: 'write', problems: ['tooManySubscriptions'] },
      schema: {
        operationId: 'createWebhookSubscription',
        summary: 'Create a webhook subscription',
        description:
          'Every event from now on is delivered to the URL at least once. Deliveries with the same webhook-id are duplicates.',
        tags,
        headers: IdempotencyHeaders,
        body: SubscriptionRequest,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const bucket = randomBucket();
      await settleEvents(database.sql);
      const answer = await idempotently(service, request, bucket, async (tx) => {
        const id = await subscribe(tx, { sealer, guard }, request.caller, request.body, {
          bucket,
          now: clock.now(),
        });
        return { status: 201, resource: { type: 'webhook-subscription', id } };
      });
      return sendAnswer(reply, links, answer);
    },
  );

  app.get(
    '/webhook-subscriptions',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listWebhookSubscriptions',
        summary: 'List webhook subscriptions',
        description: 'Newest first. Secrets are never returned.',
        tags,
        querystring: PageQuery,
        response: { 200: ListOf('webhook-subscriptions', SubscriptionSchema) },
      },
    },
    async (request) => {
      const { elements, total } = await listSubscriptions(database.sql, request.caller.accountId, request.query);
      return listPage(links, request.query, {
        path: '/webhook-subscriptions',
        name: 'webhook-subscriptions',
        resourceType: 'webhook-subscription',
        elements: elements.map((subscription) => represent(links, subscription)),
        total,
      });
    },
  );

  app.get(
    '/webhook-subscriptions/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getWebhookSubscription',
        summary: 'Retrieve a webhook subscription',
        description: 'The secret is never returned.',
        tags,
        params: IdParams,
        response: { 200: SubscriptionSchema },
      },
    },
    async (request) => represent(links, await requireSubscription(database.sql, request.caller, request.params.id)),
  );
}

function changeRoutes(app: App, service: Service): void {
  const { links, database, sealer, clock } = service;

  app.post(
    '/webhook-subscriptions/:id',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'updateWebhookSubscription',
        summary: 'Pause or resume a webhook subscription',
        description:
          'A resumed subscription gets events from now on, with `replay` also those it missed. Outstanding retries continue.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: SubscriptionChange,
        response: { 200: SubscriptionSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await settleEvents(database.sql);
      const answer = await idempotently(service, request, bucketOf(id), async (tx) => {
        const subscription = await changeSubscription(tx, request.caller, id, request.body, clock.now());
        return { status: 200, resource: { type: 'webhook-subscription', id }, body: represent(links, subscription) };
      });
      return sendAnswer(reply, links, answer);
    },
  );

  app.delete(
    '/webhook-subscriptions/:id',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'removeWebhookSubscription',
        summary: 'Remove a webhook subscription',
        description: 'Nothing more is delivered. Returns the subscription as it was; its webhooks remain readable.',
        tags,
        params: IdParams,
        response: { 200: SubscriptionSchema },
      },
    },
    async (request) => {
      const { id } = request.params;
      return represent(links, await database.transaction((tx) => unsubscribe(tx, request.caller, id, clock.now())));
    },
  );

  app.post(
    '/webhook-subscriptions/:id/secrets',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the secret of a webhook subscription',
        description:
          'X-Request-Signature-SHA-256 uses the new secret immediately. For one day, webhook-signature contains a signature under each of the two secrets.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: SecretRequest,
        response: { 200: SubscriptionSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const answer = await idempotently(service, request, bucketOf(id), async (tx) => {
        await rotateSecret(tx, sealer, request.caller, { id, secret: request.body.secret }, clock.now());
        const subscription = await requireSubscription(tx, request.caller, id);
        return { status: 200, resource: { type: 'webhook-subscription', id }, body: represent(links, subscription) };
      });
      return sendAnswer(reply, links, answer);
    },
  );

  app.post(
    '/webhook-subscriptions/:id/pings',
    {
      config: { scope: 'write', problems: ['subscriptionPaused'] },
      schema: {
        operationId: 'pingWebhookSubscription',
        summary: 'Send a test webhook',
        description: 'Delivers a ping, a webhook without an event. Location is the URL of the webhook.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const answer = await idempotently(service, request, bucketOf(id), async (tx) => {
        const webhookId = await pingSubscription(tx, request.caller, id, clock.now());
        return { status: 201, resource: { type: 'webhook', id: webhookId } };
      });
      return sendAnswer(reply, links, answer);
    },
  );
}

function deliveryRoutes(app: App, service: Service): void {
  const { links, database, clock } = service;

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
        elements: elements.map((webhook) => representWebhook(links, webhook)),
        total,
        beforeLast,
        filters: { startDate, endDate, resourceId, status },
        byId: true,
      });
    },
  );

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
    async (request) => representWebhook(links, await requireWebhook(database.sql, request.caller, request.params.id)),
  );

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
        headers: IdempotencyHeaders,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const answer = await idempotently(service, request, bucketOf(id), async (tx) => {
        await retryWebhook(tx, request.caller, id, clock.now());
        return { status: 201, resource: { type: 'webhook', id } };
      });
      return sendAnswer(reply, links, answer);
    },
  );
}
