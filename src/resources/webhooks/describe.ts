// The `webhooks` section of the OpenAPI document: for each topic, the request that a receiver gets.
import { Type } from '../../core/type.ts';
import { LinkSchema } from '../../platform/http/links.ts';
import { EventSchema } from '../events/event.ts';
import { topics } from '../topics.ts';
import { PING } from './webhook.ts';

const Timestamp = Type.String({ format: 'date-time', description: 'The same as `created`.' });

const DeliverySchema = Type.Object(
  { ...EventSchema.properties, timestamp: Timestamp },
  { title: 'WebhookDelivery', description: 'An event, as delivered to a subscription.' },
);

const PingSchema = Type.Object(
  {
    ...EventSchema.properties,
    _links: Type.Object({ resource: LinkSchema, account: LinkSchema }),
    topic: Type.String(),
    timestamp: Timestamp,
  },
  { title: 'WebhookPing', description: 'A test delivery without an event.' },
);

const DESCRIPTION = `Delivered at least once; a repeated delivery has the same \`webhook-id\`. Any 2xx response within 10 seconds acknowledges it.
Otherwise it is retried 15 minutes and 1, 3, 6, 12, 24, 48 and 72 hours after the first attempt. 410 pauses the subscription.`;

const responses = {
  200: {
    description: 'Acknowledged, as by any other 2xx. Up to 64 KiB of the body are stored and shown in the list of webhooks.',
  },
  410: { description: 'Gone. The subscription is paused.' },
};

/** Returns the `webhooks` section. `vendor` is the word in the name of the topic header. */
export function describeWebhooks(vendor: string) {
  const parameters = headersOf(vendor);
  const request = (topic: string, summary: string, schema: object) => ({
    post: {
      operationId: `on_${topic}`.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
      summary,
      description: DESCRIPTION,
      // A separate tag: generators create a class per tag, and these are not requests to the service.
      tags: ['webhook deliveries'],
      security: [],
      parameters,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses,
    },
  });
  const deliveries = Object.entries(topics).map(([topic, { about }]) => [
    topic,
    request(topic, about, ofTopic(topic, DeliverySchema)),
  ]);
  return { ...Object.fromEntries(deliveries), [PING]: request(PING, 'A subscription is tested', ofTopic(PING, PingSchema)) };
}

function ofTopic(topic: string, schema: object) {
  return { allOf: [schema, { type: 'object', properties: { topic: { type: 'string', const: topic } } }] };
}

function headersOf(vendor: string) {
  const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema,
  });
  return [
    header('X-Request-Signature-SHA-256', 'HMAC-SHA256 of the raw body with the secret of the subscription, in hexadecimal.'),
    header(`X-${vendor.charAt(0).toUpperCase()}${vendor.slice(1)}-Topic`, 'The topic of the event.'),
    header('webhook-id', 'The id of the webhook, identical in every attempt (Standard Webhooks).'),
    header('webhook-timestamp', 'Time of the attempt, in seconds since 1970 (Standard Webhooks).'),
    header(
      'webhook-signature',
      '`v1,` and the signature in base64, once for each valid secret; `v1a,` and the Ed25519 signature, once for each key of the service that signs: one, or two on the day after a rotation (Standard Webhooks).',
    ),
  ];
}
