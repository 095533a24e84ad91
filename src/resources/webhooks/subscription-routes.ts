// Webhook subscription routes: create, list, retrieve, change and remove subscriptions, and send a test webhook.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { settleEvents } from '../../ledger/feed/feed.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import { createAddressPolicy } from '../../platform/http/address-policy.ts';
import type { Links } from '../../platform/http/links.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates, IdempotencyHeaders } from '../../platform/http/route.ts';
import { bucketFor } from '../../platform/idempotency/key.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import type { Authority } from '../oauth/authority.ts';
import { pingSubscription } from './retry.ts';
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
import { WebhookSchema } from './webhook.ts';

type Tools = {
  authority: Authority;
  clock: Clock;
  config: Config;
  database: Database;
  groups: Groups;
  links: Links;
  sealer: Sealer;
};

const tags = ['webhooks'];

export function subscriptionRoutes(app: App, service: Tools): void {
  addCreateWebhookSubscription(app, service);
  addListWebhookSubscriptions(app, service);
  addGetWebhookSubscription(app, service);
  addUpdateWebhookSubscription(app, service);
  addRemoveWebhookSubscription(app, service);
  addRotateWebhookSecret(app, service);
  addPingWebhookSubscription(app, service);
}

function addCreateWebhookSubscription(app: App, service: Tools): void {
  const { config, database, sealer, clock } = service;
  const guard = createAddressPolicy(config);

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
        body: SubscriptionRequest,
        ...creates(SubscriptionSchema),
      },
    },
    async (request, reply) => {
      const bucket = bucketFor(request);
      await settleEvents(database.sql);
      return replyOnce(service, reply, bucket, async (tx) => {
        const id = await subscribe(tx, { sealer, guard }, request.caller, request.body, { bucket, clock });
        return { status: 201, resource: { type: 'webhook-subscription', id } };
      });
    },
  );
}

function addListWebhookSubscriptions(app: App, service: Tools): void {
  const { links, database } = service;

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
        elements: elements.map((subscription) => represent(service, subscription)),
        total,
      });
    },
  );
}

function addGetWebhookSubscription(app: App, service: Tools): void {
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
    async (request) => represent(service, await requireSubscription(service.database.sql, request.caller, request.params.id)),
  );
}

function addUpdateWebhookSubscription(app: App, service: Tools): void {
  const { database, clock } = service;

  app.post(
    '/webhook-subscriptions/:id',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'updateWebhookSubscription',
        summary: 'Pause or resume a webhook subscription',
        description:
          'A second after a pause, no delivery is started any more. A resumed subscription gets events from now on, with `replay` also those it missed. Outstanding deliveries continue.',
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
      return replyOnce(service, reply, bucketOf(id), async (tx) => {
        const subscription = await changeSubscription(tx, request.caller, id, request.body, clock.now());
        return { status: 200, resource: { type: 'webhook-subscription', id }, body: represent(service, subscription) };
      });
    },
  );
}

function addRemoveWebhookSubscription(app: App, service: Tools): void {
  const { database, clock } = service;

  app.delete(
    '/webhook-subscriptions/:id',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'removeWebhookSubscription',
        summary: 'Remove a webhook subscription',
        description:
          'From a second later, no delivery is started. Returns the subscription as it was; its webhooks remain readable.',
        tags,
        params: IdParams,
        response: { 200: SubscriptionSchema },
      },
    },
    async (request) => {
      const { id } = request.params;
      return represent(service, await database.transaction((tx) => unsubscribe(tx, request.caller, id, clock.now())));
    },
  );
}

function addRotateWebhookSecret(app: App, service: Tools): void {
  const { sealer, clock } = service;

  app.post(
    '/webhook-subscriptions/:id/secrets',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the secret of a webhook subscription',
        description:
          'X-Request-Signature-SHA-256 uses the new secret after a second at most. For one day, webhook-signature contains a signature under each of the two secrets.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: SecretRequest,
        response: { 200: SubscriptionSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      return replyOnce(service, reply, bucketOf(id), async (tx) => {
        await rotateSecret(tx, sealer, request.caller, { id, secret: request.body.secret }, clock.now());
        const subscription = await requireSubscription(tx, request.caller, id);
        return { status: 200, resource: { type: 'webhook-subscription', id }, body: represent(service, subscription) };
      });
    },
  );
}

function addPingWebhookSubscription(app: App, service: Tools): void {
  const { clock } = service;

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
        ...creates(WebhookSchema),
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      return replyOnce(service, reply, bucketOf(id), async (tx) => {
        const webhookId = await pingSubscription(tx, request.caller, id, clock);
        return { status: 201, resource: { type: 'webhook', id: webhookId } };
      });
    },
  );
}
