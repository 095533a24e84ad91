// Events: schema, topics and representation.
import type { Static } from 'typebox';
import { isLate } from '../../../packages/proof/src/entry.ts';
import { Type } from '../../core/type.ts';
import type { Event } from '../../ledger/feed/event.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import { topics } from '../topics.ts';

export type Topic = keyof typeof topics;

export const TOPICS = Object.keys(topics) as [Topic, ...Topic[]];

/** `type` makes Ajv check `uniqueItems` with a hash, which it does only for items known to be strings. */
export const TopicSchema = Type.Enum(TOPICS, { title: 'Topic', type: 'string' });

export const EventSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      resource: LinkSchema,
      account: LinkSchema,
      customer: linkWhen('Present unless the event is about the account itself.'),
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    topic: TopicSchema,
    resourceId: IdSchema,
    late: Type.Optional(
      Type.Literal(true, {
        description: 'The event was lost and recreated by `earmark repair events`: it comes after events of later changes.',
      }),
    ),
    checkpoint: Type.Optional(
      Type.String({ description: 'The signed checkpoint of the transparency log; only of `account_checkpoint_created`.' }),
    ),
  },
  { title: 'Event', description: 'A change of a resource.' },
);

export function represent(links: Links, event: Event): Static<typeof EventSchema> {
  const topic = event.topic as Topic;
  return {
    _links: {
      self: links.to('event', event.id),
      resource: links.to(topics[topic].resource, event.resourceId),
      account: links.to('account', event.accountId),
      ...(event.customerId !== null && { customer: links.to('customer', event.customerId) }),
    },
    id: event.id,
    created: event.created.toISOString(),
    topic,
    resourceId: event.resourceId,
    ...(isLate(event) && { late: true as const }),
    ...(event.checkpoint !== null && { checkpoint: event.checkpoint }),
  };
}
