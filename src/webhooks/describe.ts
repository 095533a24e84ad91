// The `webhooks` section of the OpenAPI document: the request sent for each topic.
import Type from 'typebox';
import { EventSchema, TOPICS, type Topic } from '../events/event.ts';
import { LinkSchema } from '../http/links.ts';
import { PING } from './webhook.ts';

const Timestamp = Type.String({ format: 'date-time', description: 'The same as `created`.' });

const DeliverySchema = Type.Object(
  { ...EventSchema.properties, timestamp: Timestamp },
  { title: 'WebhookDelivery', description: 'An event, as a subscription is told of it.' },
);

const PingSchema = Type.Object(
  {
    ...EventSchema.properties,
    _links: Type.Object({ resource: LinkSchema, account: LinkSchema }),
    topic: Type.String(),
    timestamp: Timestamp,
  },
  { title: 'WebhookPing', description: 'What tries a subscription out; there is no event of it.' },
);

const ABOUT: Record<Topic, string> = {
  customer_created: 'A customer was created',
  customer_verified: 'A customer is verified and may hold labels',
  customer_suspended: 'A customer was suspended',
  customer_activated: 'A suspended or deactivated customer is active again',
  customer_deactivated: 'A customer was deactivated',
  customer_reverification_needed: 'A customer could not be verified and has to be created with better data',
  customer_verification_document_needed: 'A customer needs a document to be verified',
  customer_verification_document_uploaded: 'A document of a customer was submitted',
  customer_verification_document_approved: 'A document of a customer was accepted',
  customer_verification_document_failed: 'A document of a customer was rejected',
  customer_beneficial_owner_created: 'A beneficial owner was created',
  customer_beneficial_owner_removed: 'A beneficial owner was removed',
  customer_beneficial_owner_verified: 'A beneficial owner is verified',
  customer_beneficial_owner_reverification_needed: 'A beneficial owner is incomplete and has to be changed',
  customer_beneficial_owner_verification_document_needed: 'A beneficial owner needs a document to be verified',
  customer_beneficial_owner_verification_document_uploaded: 'A document of a beneficial owner was submitted',
  customer_beneficial_owner_verification_document_approved: 'A document of a beneficial owner was accepted',
  customer_beneficial_owner_verification_document_failed: 'A document of a beneficial owner was rejected',
  customer_label_created: 'A label was created',
  customer_label_removed: 'A label was removed',
  customer_label_ledger_entry_created: 'An amount was put on a label, or given back',
  customer_label_reallocation_created: 'An amount was moved from one label to another',
  customer_deposit_created: 'A deposit was recorded',
  customer_withdrawal_created: 'A withdrawal was recorded',
};

const DESCRIPTION = `Sent at least once: what is sent again carries the same \`webhook-id\`. Any 2xx answer within 10 seconds takes it; else it is
sent again after 15 minutes, 1, 3, 6, 12, 24, 48 and 72 hours from the first. 410 pauses the subscription.`;

// A titled schema becomes a component: generators lose the type of an inline schema in a webhook's header.
const HeaderText = Type.String({ title: 'WebhookHeaderText' });

const responses = {
  200: { description: 'Taken, as is any other 2xx. The body is kept for the list of webhooks, up to 64 KiB.' },
  410: { description: 'Never again: the subscription is paused.' },
};

/** The `webhooks` section. `vendor` is the word in the topic header. */
export function describeWebhooks(vendor: string) {
  const parameters = headersOf(vendor);
  const request = (topic: string, summary: string, schema: object) => ({
    post: {
      operationId: `on_${topic}`.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
      summary,
      description: DESCRIPTION,
      // A separate tag: generators make a class per tag, and these are not calls to the service.
      tags: ['webhook deliveries'],
      security: [],
      parameters,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses,
    },
  });
  const operations = TOPICS.map((topic) => [topic, request(topic, ABOUT[topic], ofTopic(topic, DeliverySchema))]);
  return { ...Object.fromEntries(operations), [PING]: request(PING, 'A subscription is tried out', ofTopic(PING, PingSchema)) };
}

function ofTopic(topic: string, schema: object) {
  return { allOf: [schema, { type: 'object', properties: { topic: { type: 'string', const: topic } } }] };
}

function headersOf(vendor: string) {
  const header = (name: string, description: string, schema: object = HeaderText) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema,
  });
  return [
    header('X-Request-Signature-SHA-256', 'HMAC-SHA256 of the body as it was sent, under the secret of the subscription; hex.'),
    header(`X-${vendor.charAt(0).toUpperCase()}${vendor.slice(1)}-Topic`, 'The topic.'),
    header('webhook-id', 'The id of the webhook, the same in every attempt (Standard Webhooks).'),
    header('webhook-timestamp', 'When it was sent, in seconds since 1970 (Standard Webhooks).'),
    header('webhook-signature', '`v1,` with the signature in base64; one for each secret that is valid now (Standard Webhooks).'),
  ];
}
